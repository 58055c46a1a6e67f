/* Surfaces: triangles and quadrilaterals with their thickness, smooth where they go on in each other, with the edges
   of the mesh; coloured by numbers at their corners or in their middle. */
import * as THREE from 'three';
import {Painting, STEPS, entry} from './fields';
import {Edge, Face, edgesOf, facesOf, knot, normalOf} from './faces';
import {model, planar, position, ref, reference} from './pose';
import {crossUnit, length, minus} from './vector';

/* Colours come from a picture of three rows, by the vertices' places in it: the colour map, what has no number, and
   white, over which a surface has its own colour. So they are right within a face too, not at its corners alone. */
export enum Row {
  map,
  missing,
  own,
}
const textures = new Map<Float32Array | null, THREE.DataTexture>();
export function textureOf(colours: Float32Array | null): THREE.DataTexture {
  let t = textures.get(colours);
  if (t) return t;
  const data = new Uint8Array(4 * STEPS * 3).fill(255),
    c = new THREE.Color();
  for (let i = 0; colours && i < STEPS; i++)
    for (const [row, k] of [
      [Row.map, i],
      [Row.missing, STEPS],
    ])
      c.fromArray(colours, 3 * k)
        .convertLinearToSRGB()
        .toArray()
        .forEach((x, j) => (data[4 * (row * STEPS + i) + j] = Math.round(255 * x)));
  t = new THREE.DataTexture(data, STEPS, 3);
  t.colorSpace = THREE.SRGBColorSpace;
  t.needsUpdate = true;
  textures.set(colours, t);
  return t;
}

/* Vertices of a face: its corners and its middle, on the upper and on the lower side; of a free edge four. */
export class Surfaces {
  readonly objects: THREE.Object3D[] = [];
  private faces = facesOf(model);
  private knots: number[] = knot(this.faces, reference);
  private edges: Edge[] = edgesOf(this.faces);
  private half: Float64Array; /* of each face's thickness, as it is drawn */
  private first: number[] = []; /* vertex of each face */
  private at: Map<number, number>;
  private up = new Float64Array(3 * this.knots.length); /* normals at the knots */
  private place!: Float32Array;
  private normal!: Float32Array;
  private tint!: Float32Array;
  private where!: Float32Array; /* in the picture of colours */
  private lines!: Float32Array;
  private own: THREE.Color[];
  private mesh!: THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>;
  private net!: THREE.LineSegments;
  private by: Float32Array | null = null;

  constructor(size: number, colour: (element: number) => THREE.Color) {
    const {faces} = this;
    /* in planar pictures, seen along the thickness, joints stay in sight */
    this.half = Float64Array.from(faces, f => Math.min(f.thickness / 2, planar ? 0.002 * size : Infinity));
    this.at = new Map(faces.map((f, i) => [f.element, i]));
    this.own = faces.map(f => colour(f.element));
    if (faces.length) this.make(size);
  }

  private make(size: number): void {
    const index: number[] = [],
      rim = this.edges.filter(e => e.free);
    let n = 0;
    for (const f of this.faces) {
      const c = f.nodes.length,
        low = n + c + 1;
      this.first.push(n);
      for (let k = 0; k < c; k++) {
        const next = (k + 1) % c;
        index.push(n + k, n + next, n + c, low + next, low + k, low + c);
      }
      n = low + c + 1;
    }
    for (let i = 0; i < rim.length; i++, n += 4) index.push(n, n + 1, n + 2, n + 1, n + 3, n + 2);
    this.place = new Float32Array(3 * n);
    this.normal = new Float32Array(3 * n);
    this.tint = new Float32Array(3 * n);
    this.where = new Float32Array(2 * n);
    this.lines = new Float32Array(12 * this.edges.length);
    const g = new THREE.BufferGeometry(),
      moving = (x: Float32Array, k: number) => new THREE.BufferAttribute(x, k).setUsage(THREE.DynamicDrawUsage);
    g.setAttribute('position', moving(this.place, 3));
    g.setAttribute('normal', moving(this.normal, 3));
    g.setAttribute('color', moving(this.tint, 3));
    g.setAttribute('uv', moving(this.where, 2));
    g.setIndex(index);
    this.mesh = new THREE.Mesh(
      g,
      new THREE.MeshStandardMaterial({
        vertexColors: true,
        map: textureOf(null),
        roughness: 0.55,
        metalness: 0.1,
        polygonOffset: true /* edges lie on it */,
        polygonOffsetFactor: 1,
        polygonOffsetUnits: 1,
      }),
    );
    this.net = new THREE.LineSegments(
      new THREE.BufferGeometry().setAttribute('position', moving(this.lines, 3)),
      new THREE.LineBasicMaterial({color: '#000000', transparent: true, opacity: 0.4 * this.fineness(size)}),
    );
    for (const o of [this.mesh, this.net]) o.frustumCulled = false;
    this.objects.push(this.mesh, this.net);
    this.paint(null);
  }

  /* Edges of a fine mesh are faint, or one would see nothing else: from 1 down to a tenth. */
  private fineness(size: number): number {
    const {edges, faces} = this,
      long = edges.reduce((sum, {face, from, to}) => {
        const {nodes} = faces[face];
        return sum + length(minus(ref(nodes[to]), ref(nodes[from])));
      }, 0);
    return Math.min(Math.max(long / edges.length / (0.03 * size), 0.1), 1);
  }

  /* Mean of the normals of all faces at a knot, by their areas. */
  private normals(): void {
    const {up} = this,
      n = [0, 0, 0];
    up.fill(0);
    for (const {nodes, knots, sides} of this.faces) {
      normalOf(nodes, position, n);
      for (let c = 0; c < knots.length; c++) for (let j = 0; j < 3; j++) up[3 * knots[c] + j] += sides[c] * n[j];
    }
    for (let k = 0; k < up.length; k += 3) {
      const l = Math.hypot(up[k], up[k + 1], up[k + 2]) || 1;
      for (let j = 0; j < 3; j++) up[k + j] /= l;
    }
  }

  private put(vertex: number, x: ArrayLike<number>, n: ArrayLike<number>, h: number, side: number): void {
    for (let j = 0; j < 3; j++) {
      this.place[3 * vertex + j] = x[j] + side * h * n[j];
      this.normal[3 * vertex + j] = side * n[j];
    }
  }

  private face(f: Face, i: number): void {
    const c = f.nodes.length,
      n = this.first[i],
      low = n + c + 1,
      h = this.half[i],
      x = [0, 0, 0],
      up = [0, 0, 0],
      middle = [0, 0, 0],
      mean = [0, 0, 0];
    for (let k = 0; k < c; k++) {
      for (let j = 0; j < 3; j++) {
        x[j] = position[3 * f.nodes[k] + j];
        up[j] = f.sides[k] * this.up[3 * f.knots[k] + j];
        middle[j] += x[j] / c;
        mean[j] += up[j];
      }
      this.put(n + k, x, up, h, 1);
      this.put(low + k, x, up, h, -1);
    }
    const l = Math.hypot(mean[0], mean[1], mean[2]) || 1;
    for (let j = 0; j < 3; j++) mean[j] /= l;
    this.put(n + c, middle, mean, h, 1);
    this.put(low + c, middle, mean, h, -1);
  }

  /* Vertices of an edge on both sides: upper and lower of its first corner, of its second. */
  private ends(e: Edge): number[] {
    const n = this.first[e.face],
      c = this.faces[e.face].nodes.length;
    return [n + e.from, n + c + 1 + e.from, n + e.to, n + c + 1 + e.to];
  }

  update(): void {
    if (!this.faces.length) return;
    this.normals();
    this.faces.forEach((f, i) => this.face(f, i));
    let n = this.rim();
    const along = [0, 0, 0],
      out = [0, 0, 0];
    this.edges.forEach((e, i) => {
      const v = this.ends(e);
      const lower = this.half[e.face] > 0 ? [v[1], v[3]] : [v[0], v[0]]; /* nothing is drawn twice */
      [v[0], v[2], ...lower].forEach((w, k) => {
        for (let j = 0; j < 3; j++) this.lines[12 * i + 3 * k + j] = this.place[3 * w + j];
      });
      if (!e.free) return;
      for (let j = 0; j < 3; j++) along[j] = this.place[3 * v[2] + j] - this.place[3 * v[0] + j];
      crossUnit(along, this.normal.subarray(3 * v[0], 3 * v[0] + 3), out);
      for (const w of v) {
        for (let j = 0; j < 3; j++) {
          this.place[3 * n + j] = this.place[3 * w + j];
          this.normal[3 * n + j] = out[j];
        }
        n++;
      }
    });
    const {position: p, normal} = this.mesh.geometry.attributes;
    p.needsUpdate = normal.needsUpdate = this.net.geometry.attributes.position.needsUpdate = true;
  }
  /* First vertex of the free edges. */
  private rim(): number {
    const last = this.faces.length - 1;
    return this.first[last] + 2 * (this.faces[last].nodes.length + 1);
  }

  paint(by: Painting | null): void {
    if (!this.faces.length) return;
    const white = [1, 1, 1];
    this.by = by?.colours ?? null;
    this.mesh.material.map = textureOf(this.by);
    this.faces.forEach((f, i) => {
      const c = f.nodes.length,
        n = this.first[i],
        x = by?.read(f.element),
        of = (k: number) => (x ? x[Math.min(f.corners[k], by!.points - 1)] : NaN),
        own = by ? white : this.own[i].toArray();
      let mean = 0;
      for (let k = 0; k <= c; k++) {
        const y = k < c ? of(k) : mean;
        if (k < c) mean += y / c;
        for (const v of [n + k, n + c + 1 + k]) this.dye(v, y, own, !by);
      }
    });
    let n = this.rim();
    for (const e of this.edges)
      if (e.free)
        for (const v of this.ends(e)) {
          this.tint.copyWithin(3 * n, 3 * v, 3 * v + 3);
          this.where.copyWithin(2 * n, 2 * v, 2 * v + 2);
          n++;
        }
    const {color, uv} = this.mesh.geometry.attributes;
    color.needsUpdate = uv.needsUpdate = true;
  }
  private dye(v: number, y: number, own: ArrayLike<number>, plain: boolean): void {
    const row = plain ? Row.own : y === y ? Row.map : Row.missing;
    for (let j = 0; j < 3; j++) this.tint[3 * v + j] = own[j];
    this.where[2 * v] = y === y ? (Math.min(Math.max(y, 0), 1) * (STEPS - 1) + 0.5) / STEPS : 0.5;
    this.where[2 * v + 1] = (row + 0.5) / 3;
  }

  /* Colours of an element's corners, linear. */
  painted(element: number): number[][] | null {
    const i = this.at.get(element);
    if (i === undefined) return null;
    return this.faces[i].nodes.map((_, k) => {
      const v = this.first[i] + k,
        u = (this.where[2 * v] * STEPS - 0.5) / (STEPS - 1),
        at = entry(this.where[2 * v + 1] > (Row.missing + 0.5) / 3 - 0.1 ? NaN : u);
      return this.by ? Array.from(this.by.slice(at, at + 3)) : Array.from(this.tint.slice(3 * v, 3 * v + 3));
    });
  }
  /* Corners of an element on its upper and its lower side, and its normals there. */
  sides(element: number): {upper: number[][]; lower: number[][]; normal: number[][]} | null {
    const i = this.at.get(element);
    if (i === undefined) return null;
    const n = this.first[i],
      c = this.faces[i].nodes.length,
      get = (x: Float32Array, v: number) => Array.from(x.slice(3 * v, 3 * v + 3)),
      all = this.faces[i].nodes.map((_, k) => k);
    return {
      upper: all.map(k => get(this.place, n + k)),
      lower: all.map(k => get(this.place, n + c + 1 + k)),
      normal: all.map(k => get(this.normal, n + k)),
    };
  }
  get empty(): boolean {
    return !this.faces.length;
  }
  /* With the edges of the mesh or without. */
  mark(on: boolean): void {
    if (this.faces.length) this.net.visible = on;
  }
}
