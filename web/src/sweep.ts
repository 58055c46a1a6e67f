/* Many bars drawn in one call: rings of vertices along lines that are moved with every frame, in place. */
import * as THREE from 'three';
import {entry} from './fields';

/* The outline of a section. Corner k lies at y = a hy + b iy, z = c hz + d iz of the half sizes outside and of the
   hole; walls join corners, caps are triangles that close an end. */
export interface Outline {
  corner: [number, number, number, number][];
  wall: [number, number][];
  cap: [number, number, number][];
  normal: [number, number][] | null;
}

const around = (n: number, from: number, back = false): [number, number][] =>
  Array.from({length: n}, (_, s): [number, number] =>
    back ? [from + ((s + 1) % n), from + s] : [from + s, from + ((s + 1) % n)],
  );
const fan = (n: number): [number, number, number][] =>
  Array.from({length: n - 2}, (_, s): [number, number, number] => [0, s + 1, s + 2]);
/* Between an outer and an inner loop of n corners. */
const annulus = (n: number): [number, number, number][] =>
  Array.from({length: n}, (_, s) => {
    const t = (s + 1) % n;
    return [
      [s, t, n + s],
      [t, n + t, n + s],
    ] as [number, number, number][];
  }).flat();

function loop(n: number, round: boolean): [number, number][] {
  return Array.from({length: n}, (_, s) => {
    const a = (2 * Math.PI * (s + 0.5)) / n,
      c = Math.cos(a),
      d = Math.sin(a);
    return round ? [c, d] : [Math.sign(c), Math.sign(d)];
  });
}

export function solid(n: number, round: boolean): Outline {
  const l = loop(n, round);
  return {corner: l.map(([c, d]) => [c, 0, d, 0]), wall: around(n, 0), cap: fan(n), normal: round ? l : null};
}
export function hollow(n: number, round: boolean): Outline {
  const l = loop(n, round),
    inner = l.map(([c, d]): [number, number, number, number] => [0, c, 0, d]);
  return {
    corner: [...l.map(([c, d]): [number, number, number, number] => [c, 0, d, 0]), ...inner],
    wall: [...around(n, 0), ...around(n, n, true)],
    cap: annulus(n),
    normal: round ? [...l, ...l.map(([c, d]): [number, number] => [-c, -d])] : null,
  };
}
/* Flanges across y, the web between them: corners go around. */
export const iShape: Outline = {
  corner: [
    [1, 0, 1, 0],
    [0, 1, 1, 0],
    [0, 1, 1, -1],
    [0, -1, 1, -1],
    [0, -1, 1, 0],
    [-1, 0, 1, 0],
    [-1, 0, -1, 0],
    [0, -1, -1, 0],
    [0, -1, -1, 1],
    [0, 1, -1, 1],
    [0, 1, -1, 0],
    [1, 0, -1, 0],
  ],
  wall: around(12, 0, true),
  cap: [
    [0, 11, 1],
    [11, 10, 1],
    [2, 9, 3],
    [9, 8, 3],
    [4, 7, 5],
    [7, 6, 5],
  ],
  normal: null,
};

export class Sweep {
  readonly mesh: THREE.Mesh;
  private place: Float32Array;
  private normal: Float32Array | null;
  private tint: Float32Array;
  private own: Float32Array;
  private form: Float64Array; /* 4 a corner */
  private out: Float64Array; /* normals, 2 a corner */
  private sides: number;
  private first: number[] = []; /* vertex of each bar */

  /* bars[i]: rings of bar i. With normals along the radius where the outline says so; else flat faces. ends[i]: 1
     closed at its first ring, 2 at its last, 3 at both, which is what they are if nothing is said. */
  constructor(
    private bars: number[],
    outline: Outline,
    colours: THREE.Color[],
    ends?: number[],
  ) {
    const sides = (this.sides = outline.corner.length);
    this.form = Float64Array.from(outline.corner.flat());
    this.out = Float64Array.from((outline.normal ?? []).flat());
    const rings = bars.reduce((a, b) => a + b, 0),
      vertices = rings * sides;
    this.place = new Float32Array(3 * vertices);
    this.normal = outline.normal ? new Float32Array(3 * vertices) : null;
    this.own = new Float32Array(3 * vertices);
    const index: number[] = [];
    let first = 0;
    bars.forEach((n, b) => {
      this.first.push(first);
      for (let v = 0; v < n * sides; v++) colours[b].toArray(this.own, 3 * (first + v));
      for (let r = 0; r + 1 < n; r++)
        for (const [s, t] of outline.wall) {
          const a = first + r * sides + s,
            c = first + r * sides + t;
          index.push(a, c, a + sides, c, c + sides, a + sides);
        }
      const end = first + (n - 1) * sides;
      for (const [i, j, k] of outline.cap) {
        if ((ends?.[b] ?? 3) & 1) index.push(first + i, first + k, first + j);
        if ((ends?.[b] ?? 3) & 2) index.push(end + i, end + j, end + k);
      }
      first += n * sides;
    });
    this.tint = this.own.slice();
    const g = new THREE.BufferGeometry();
    g.setAttribute('position', new THREE.BufferAttribute(this.place, 3).setUsage(THREE.DynamicDrawUsage));
    g.setAttribute('color', new THREE.BufferAttribute(this.tint, 3).setUsage(THREE.DynamicDrawUsage));
    if (this.normal)
      g.setAttribute('normal', new THREE.BufferAttribute(this.normal, 3).setUsage(THREE.DynamicDrawUsage));
    g.setIndex(index);
    this.mesh = new THREE.Mesh(
      g,
      new THREE.MeshStandardMaterial({
        vertexColors: true,
        flatShading: !this.normal,
        roughness: 0.55,
        metalness: 0.1,
        side: THREE.DoubleSide,
      }),
    );
    this.mesh.frustumCulled = false;
  }

  private cursor = 0;
  begin(): void {
    this.cursor = 0;
  }
  /* The next ring: centre, axes y and z, half sizes along them, those of the hole. */
  ring(
    cx: number,
    cy: number,
    cz: number,
    y: ArrayLike<number>,
    z: ArrayLike<number>,
    hy: number,
    hz: number,
    iy = 0,
    iz = 0,
  ): void {
    const {place, normal, form, out} = this,
      y0 = y[0],
      y1 = y[1],
      y2 = y[2],
      z0 = z[0],
      z1 = z[1],
      z2 = z[2];
    for (let s = 0, k = this.cursor; s < this.sides; s++, k += 3) {
      const f = 4 * s,
        u = form[f] * hy + form[f + 1] * iy,
        v = form[f + 2] * hz + form[f + 3] * iz;
      place[k] = cx + u * y0 + v * z0;
      place[k + 1] = cy + u * y1 + v * z1;
      place[k + 2] = cz + u * y2 + v * z2;
      if (normal) {
        const c = out[2 * s],
          d = out[2 * s + 1];
        normal[k] = c * y0 + d * z0;
        normal[k + 1] = c * y1 + d * z1;
        normal[k + 2] = c * y2 + d * z2;
      }
    }
    this.cursor += 3 * this.sides;
  }
  end(): void {
    this.mesh.geometry.attributes.position.needsUpdate = true;
    if (this.normal) this.mesh.geometry.attributes.normal.needsUpdate = true;
  }
  get empty(): boolean {
    return this.bars.length === 0;
  }

  /* Colour a bar from x0 at one end to x1 at the other by a table (fields.ts); null: its own colour. */
  paint(bar: number, x0: number, x1: number, table: Float32Array | null): void {
    const n = this.bars[bar],
      {tint, sides} = this;
    let k = 3 * this.first[bar];
    if (!table) {
      tint.set(this.own.subarray(k, k + 3 * n * sides), k);
      return;
    }
    for (let r = 0; r < n; r++) {
      const at = entry(n > 1 ? x0 + ((x1 - x0) * r) / (n - 1) : x0),
        a = table[at],
        b = table[at + 1],
        c = table[at + 2];
      for (let s = 0; s < sides; s++, k += 3) {
        tint[k] = a;
        tint[k + 1] = b;
        tint[k + 2] = c;
      }
    }
  }
  painting(): void {
    this.mesh.geometry.attributes.color.needsUpdate = true;
  }
  /* Middle of a bar's first and last ring. */
  ends(bar: number): number[][] {
    return [0, this.bars[bar] - 1].map(r =>
      [0, 1, 2].map(j => {
        let x = 0;
        for (let s = 0; s < this.sides; s++) x += this.place[3 * (this.first[bar] + r * this.sides + s) + j];
        return x / this.sides;
      }),
    );
  }
  /* Colour of a bar's first and last ring, linear. */
  painted(bar: number): number[][] {
    return [0, this.bars[bar] - 1].map(r => {
      const k = 3 * (this.first[bar] + r * this.sides);
      return Array.from(this.tint.slice(k, k + 3));
    });
  }
}
