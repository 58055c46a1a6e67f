/* Loads and reactions as arrows: forces from the point where they act; moments as an arc in planar models, seen from
   the front, as an arrow with two heads about its axis in space. The whole run's largest is as long as `most`. */
import * as THREE from 'three';
import {header, result, together} from './data';
import {fieldOf, sample} from './fields';
import {lies, model, planar, point} from './pose';

export interface Arrow {
  what: string;
  row: number;
  point: number[];
  vector: number[];
  length: number;
  moment: boolean;
}
export const groups = ['load', 'reaction'] as const;
const colours: Record<string, {light: string; dark: string}> = {
  load: {light: '#b3261e', dark: '#ff8a80'},
  reaction: {light: '#00695c', dark: '#4fd1bd'},
};

/* Largest force and moment of both groups in all results; 0 where there is nothing but rounding, in a model of that
   size. */
export function largest(size: number): [number, number] {
  let f = 0,
    m = 0;
  for (const p of together())
    for (const o of result(p).header.fields)
      if ((groups as readonly string[]).includes(o.name)) {
        f = Math.max(f, o.range[0] ?? 0);
        m = Math.max(m, o.range[1] ?? 0);
      }
  return [f * size > 1e-5 * m ? f : 0, m > 1e-5 * f * size ? m : 0];
}

/* Where number i of a group, about that row of elements or joints, acts now. */
function whereOf(of: string, row: number, i: number): number[] | null {
  const middle = (nodes: number[], arm: number[]) => {
    const out = [0, 0, 0];
    for (const n of nodes) {
      if (!lies(n)) return null;
      const x = point(n, arm);
      for (let j = 0; j < 3; j++) out[j] += x[j] / nodes.length;
    }
    return out;
  };
  if (of === 'joints') {
    const p = model.pins[row];
    return p ? middle([p.node], p.arm) : null;
  }
  const l = model.loads[i];
  return l?.element === row ? middle(l.nodes, l.arm) : null;
}

/* Of a group the rows that are to be drawn, with the largest force and moment of theirs. */
export interface Chosen {
  rows: Set<number>;
  most: [number, number];
}
/* Force and moment of n numbers. */
const vectors = (y: number[]): [number[], number[]] =>
  y.length === 3
    ? [
        [y[0], y[1], 0],
        [0, 0, y[2]],
      ]
    : [y.slice(0, 3), y.slice(3)];

/* Some rows of a group, those that the page has numbers of. */
export function choose(what: string, rows: number[]): Chosen {
  const f = fieldOf(what),
    out: Chosen = {rows: new Set(rows), most: [0, 0]};
  for (let frame = 0; f && frame < header.frames; frame += header.fieldStride) {
    const number = sample(f, frame),
      n = f.components.length;
    for (const [i, row] of f.rows.entries()) {
      if (!out.rows.has(row)) continue;
      const y = vectors(Array.from({length: n}, (_, k) => number(n * i + k)));
      for (const k of [0, 1]) out.most[k] = Math.max(out.most[k], Math.hypot(...y[k]) || 0);
    }
  }
  return out;
}

/* Everything to be drawn of a group at a frame; what is below a thousandth of the largest is left out. */
export function arrows(what: string, frame: number, size: number, chosen: Chosen | null = null): Arrow[] {
  const f = fieldOf(what),
    [force, moment] = chosen?.most ?? largest(size),
    most = 0.16 * size;
  if (!f) return [];
  const number = sample(f, frame);
  return f.rows.flatMap((row, i) => {
    if (chosen && !chosen.rows.has(row)) return [];
    const p = whereOf(f.of, row, i),
      n = f.components.length,
      y = Array.from({length: n}, (_, k) => number(n * i + k));
    if (!p || !y.every(Number.isFinite)) return [];
    const parts = vectors(y);
    return parts.flatMap((vector, k) => {
      const amount = Math.hypot(...vector),
        top = k ? moment : force;
      return top && amount > 1e-3 * top
        ? [{what, row, point: p, vector, length: (most * amount) / top, moment: k === 1}]
        : [];
    });
  });
}

/* One kind of piece, drawn as many times as wanted. */
class Pieces {
  mesh: THREE.InstancedMesh;
  private n = 0;
  constructor(
    private geometry: THREE.BufferGeometry,
    private material: THREE.Material,
    private group: THREE.Group,
    room = 16,
  ) {
    this.mesh = this.make(room);
  }
  private make(room: number): THREE.InstancedMesh {
    const m = new THREE.InstancedMesh(this.geometry, this.material, room);
    m.frustumCulled = false;
    m.renderOrder = 5;
    this.group.add(m);
    return m;
  }
  begin(): void {
    this.n = 0;
  }
  put(m: THREE.Matrix4): void {
    if (this.n === this.mesh.instanceMatrix.count) {
      const old = this.mesh;
      this.mesh = this.make(2 * this.n);
      for (let i = 0, k = new THREE.Matrix4(); i < this.n; i++) {
        old.getMatrixAt(i, k);
        this.mesh.setMatrixAt(i, k);
      }
      this.group.remove(old);
      old.dispose();
    }
    this.mesh.setMatrixAt(this.n++, m);
  }
  end(): void {
    this.mesh.count = this.n;
    this.mesh.instanceMatrix.needsUpdate = true;
  }
}

/* All arrows of a group. */
export class Arrows {
  readonly group = new THREE.Group();
  private material: THREE.MeshBasicMaterial;
  private shaft: Pieces;
  private head: Pieces;
  private arc: Pieces;
  shown: Arrow[] = [];
  chosen: Chosen | null = null; /* these alone */

  constructor(
    readonly what: string,
    private size: number,
  ) {
    /* over everything else: most begin inside of what they act on */
    this.material = new THREE.MeshBasicMaterial({side: THREE.DoubleSide, depthTest: false, transparent: true});
    this.shaft = new Pieces(new THREE.CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0), this.material, this.group);
    this.head = new Pieces(
      new THREE.ConeGeometry(1, 1, 16).translate(0, -0.5, 0),
      this.material,
      this.group,
    ); /* its tip is the origin */
    this.arc = new Pieces(new THREE.TorusGeometry(1, 0.05, 8, 40, 1.5 * Math.PI), this.material, this.group);
    this.group.visible = false;
  }
  get most(): number {
    return 0.16 * this.size;
  }
  theme(dark: boolean): void {
    this.material.color.set(colours[this.what][dark ? 'dark' : 'light']);
  }

  update(frame: number): void {
    this.shown = this.group.visible ? arrows(this.what, frame, this.size, this.chosen) : [];
    for (const p of [this.shaft, this.head, this.arc]) p.begin();
    for (const a of this.shown)
      if (a.moment && planar) this.curve(a);
      else this.straight(a);
    for (const p of [this.shaft, this.head, this.arc]) p.end();
  }

  private straight(a: Arrow): void {
    const thick = 0.0032 * this.size,
      tip = Math.min(0.024 * this.size, 0.45 * a.length),
      m = new THREE.Matrix4(),
      at = new THREE.Vector3(...a.point);
    const along = new THREE.Vector3(...a.vector).normalize(),
      turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), along);
    const wide = 0.36 * tip,
      thin = Math.min(thick, 0.5 * wide);
    this.shaft.put(m.compose(at, turn, new THREE.Vector3(thin, Math.max(a.length - tip, 1e-9), thin)));
    for (let k = 0; k < (a.moment ? 2 : 1); k++)
      this.head.put(
        m.compose(
          at.clone().addScaledVector(along, a.length - 0.7 * k * tip),
          turn,
          new THREE.Vector3(wide, tip, wide),
        ),
      );
  }

  /* Three quarters of a circle whose diameter is the arrow's length, with its head at the end. */
  private curve(a: Arrow): void {
    const r = a.length / 2,
      left = a.vector[2] > 0,
      m = new THREE.Matrix4(),
      at = new THREE.Vector3(...a.point),
      tip = Math.min(0.024 * this.size, 0.8 * r),
      wide = 0.4 * tip;
    const none = new THREE.Quaternion(),
      end = new THREE.Vector3(0, left ? -r : r, 0).add(at);
    this.arc.put(m.compose(at, none, new THREE.Vector3(r, left ? r : -r, r)));
    this.head.put(
      m.compose(
        end.addScaledVector(new THREE.Vector3(1, 0, 0), tip),
        new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), new THREE.Vector3(1, 0, 0)),
        new THREE.Vector3(wide, tip, wide),
      ),
    );
  }
}

/* 1, 2 or 5 times a power of ten, not above x. */
export function round(x: number): number {
  if (!(x > 0)) return 0;
  const ten = 10 ** Math.floor(Math.log10(x));
  return ten * [5, 2, 1].find(k => k * ten <= x * (1 + 1e-12))!;
}
