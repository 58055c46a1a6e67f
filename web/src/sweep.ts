/* Many bars drawn in one call: rings of vertices along lines that are moved with every frame, in place. */
import * as THREE from 'three';

export class Sweep {
  readonly mesh: THREE.Mesh;
  private place: Float32Array;
  private normal: Float32Array | null;
  private cos: Float64Array; private sin: Float64Array; /* of the corners of a ring */

  /* bars[i]: rings of bar i. round: with normals along the radius; else flat faces. ends[i]: 1 closed at its first ring,
     2 at its last, 3 at both, which is what they are if nothing is said. */
  constructor(private bars: number[], private sides: number, colours: THREE.Color[], round: boolean, ends?: number[]) {
    const corner = (f: (x: number) => number) => Float64Array.from({length: sides}, (_, s) => { const x = f(2 * Math.PI * (s + 0.5) / sides); return round ? x : Math.sign(x); });
    this.cos = corner(Math.cos);
    this.sin = corner(Math.sin);
    const rings = bars.reduce((a, b) => a + b, 0), vertices = rings * sides;
    this.place = new Float32Array(3 * vertices);
    this.normal = round ? new Float32Array(3 * vertices) : null;
    const colour = new Float32Array(3 * vertices), index: number[] = [];
    let first = 0;
    bars.forEach((n, b) => {
      for (let r = 0; r < n; r++) for (let s = 0; s < sides; s++) {
        colours[b].toArray(colour, 3 * (first + r * sides + s));
        if (r + 1 === n) continue;
        const a = first + r * sides + s, c = first + r * sides + (s + 1) % sides;
        index.push(a, c, a + sides, c, c + sides, a + sides);
      }
      const end = first + (n - 1) * sides;
      for (let s = 1; s + 1 < sides; s++) {
        if ((ends?.[b] ?? 3) & 1) index.push(first, first + s + 1, first + s);
        if ((ends?.[b] ?? 3) & 2) index.push(end, end + s, end + s + 1);
      }
      first += n * sides;
    });
    const g = new THREE.BufferGeometry();
    g.setAttribute('position', new THREE.BufferAttribute(this.place, 3).setUsage(THREE.DynamicDrawUsage));
    g.setAttribute('color', new THREE.BufferAttribute(colour, 3));
    if (this.normal) g.setAttribute('normal', new THREE.BufferAttribute(this.normal, 3).setUsage(THREE.DynamicDrawUsage));
    g.setIndex(index);
    this.mesh = new THREE.Mesh(g, new THREE.MeshStandardMaterial({vertexColors: true, flatShading: !round, roughness: 0.55, metalness: 0.1, side: THREE.DoubleSide}));
    this.mesh.frustumCulled = false;
  }

  private cursor = 0;
  begin(): void { this.cursor = 0; }
  /* The next ring: centre, axes y and z, half sizes along them. */
  ring(cx: number, cy: number, cz: number, y: ArrayLike<number>, z: ArrayLike<number>, hy: number, hz: number): void {
    const {place, normal, cos, sin} = this, y0 = y[0], y1 = y[1], y2 = y[2], z0 = z[0], z1 = z[1], z2 = z[2];
    for (let s = 0, k = this.cursor; s < this.sides; s++, k += 3) {
      const c = cos[s], d = sin[s], u = c * hy, v = d * hz;
      place[k] = cx + u * y0 + v * z0;
      place[k + 1] = cy + u * y1 + v * z1;
      place[k + 2] = cz + u * y2 + v * z2;
      if (normal) { normal[k] = c * y0 + d * z0; normal[k + 1] = c * y1 + d * z1; normal[k + 2] = c * y2 + d * z2; }
    }
    this.cursor += 3 * this.sides;
  }
  end(): void {
    this.mesh.geometry.attributes.position.needsUpdate = true;
    if (this.normal) this.mesh.geometry.attributes.normal.needsUpdate = true;
  }
  get empty(): boolean { return this.bars.length === 0; }
}
