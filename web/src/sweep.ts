/* Many bars drawn in one call: rings of vertices along lines that are moved with every frame. */
import * as THREE from 'three';

export class Sweep {
  readonly mesh: THREE.Mesh;
  private place: Float32Array;
  private normal: Float32Array | null;

  /* bars[i]: rings of bar i. round: with normals along the radius; else flat faces. */
  constructor(private bars: number[], private sides: number, colours: THREE.Color[], private round: boolean) {
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
      for (let s = 1; s + 1 < sides; s++) index.push(first, first + s + 1, first + s, end, end + s, end + s + 1);
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
  ring(cx: number, cy: number, cz: number, y: number[], z: number[], hy: number, hz: number): void {
    for (let s = 0; s < this.sides; s++) {
      const angle = 2 * Math.PI * (s + 0.5) / this.sides;
      const c = this.round ? Math.cos(angle) : Math.sign(Math.cos(angle)), d = this.round ? Math.sin(angle) : Math.sign(Math.sin(angle));
      const k = this.cursor, u = c * hy, v = d * hz;
      this.place[k] = cx + u * y[0] + v * z[0];
      this.place[k + 1] = cy + u * y[1] + v * z[1];
      this.place[k + 2] = cz + u * y[2] + v * z[2];
      if (this.normal) for (let j = 0; j < 3; j++) this.normal[k + j] = c * y[j] + d * z[j];
      this.cursor += 3;
    }
  }
  end(): void {
    this.mesh.geometry.attributes.position.needsUpdate = true;
    if (this.normal) this.mesh.geometry.attributes.normal.needsUpdate = true;
  }
  get empty(): boolean { return this.bars.length === 0; }
}
