/* Thin rods: springs as coils, sleeves where both ends are one, what reaches from a body to its joints and fastenings,
   joints that are lines. */
import * as THREE from 'three';
import {isBall} from './balls';
import type {Part} from './declarations';
import type {Painting} from './fields';
import {lies, model, moves, planar, point, ref} from './pose';
import {Sweep, solid} from './sweep';
import {across, length, minus, plus, unit, zero} from './vector';

const steel = new THREE.Color('#8b95a3'),
  wire = new THREE.Color('#9aa3af');
/* Symbols of elements that are drawn as a coil, and of joints that are reached by their bodies. */
const coils = ['spring', 'bushing', 'stop'],
  reached = ['hinge', 'ball', 'clamp', 'weld'];

interface Rod {
  element: number;
  a: number;
  from: number[];
  b: number;
  to: number[];
  half: number;
  coil: boolean;
  turns: number;
  colour: THREE.Color;
}

export class Rods {
  readonly objects: THREE.Object3D[];
  private rods: Rod[] = [];
  private sweep: Sweep;
  private linked = new Set<string>();
  private at: Map<number, number>;

  constructor(
    private size: number,
    colour: (element: number) => THREE.Color,
    private only?: THREE.Color,
  ) {
    for (const e of model.elements) {
      const centre = isBall(e) ? (model.masses.get(e.row)?.centre ?? zero) : zero;
      if (length(centre) > 1e-9) this.add(-1, e.nodes[0], zero, e.nodes[0], centre, 0.006, colour(e.row));
      if (coils.includes(e.symbol) && e.nodes.length > 1 && e.nodes.slice(0, 2).every(lies)) this.coil(e);
    }
    model.joints.forEach((j, i) => this.reach(j, i));
    this.sweep = new Sweep(
      this.rods.map(r => this.ringsOf(r)),
      solid(6, true),
      this.rods.map(r => r.colour),
    );
    this.at = new Map(this.rods.map((r, i): [number, number] => [r.element, i]).reverse());
    this.objects = this.sweep.empty ? [] : [this.sweep.mesh];
  }

  /* half: of its thickness, for a model of size 1. */
  private add(
    element: number,
    a: number,
    from: number[],
    b: number,
    to: number[],
    half: number,
    colour: THREE.Color,
    coil = false,
  ): void {
    const far = coil ? length(minus(plus(ref(b), to), plus(ref(a), from))) : 0,
      turns = Math.min(Math.max(Math.round(far / (0.02 * this.size)), 3), 8);
    this.rods.push({element, a, from, b, to, half: half * this.size, coil, turns, colour: this.only ?? colour});
  }

  /* A coil between the points where an element is fastened; a sleeve where these are one in the reference
     configuration. */
  private coil(e: Part): void {
    const [a, b] = e.nodes,
      [from, to] = e.arms,
      s = 0.012 * this.size;
    this.link(a, from);
    this.link(b, to);
    if (length(minus(plus(ref(b), to), plus(ref(a), from))) > 1e-6 * this.size) {
      this.add(e.row, a, from, b, to, 0.003, wire, true);
      return;
    }
    const [node, at] = moves(b) ? [b, to] : [a, from],
      way = planar ? [0, 0, s] : [s, 0, 0];
    this.add(e.row, node, minus(at, way), node, plus(at, way), 0.012, wire);
  }

  /* A body reaches from its node to what is fastened to it. */
  private link(node: number, to: number[]): void {
    const key = `${node}:${to.map(x => x.toPrecision(6)).join()}`;
    if (!moves(node) || length(to) < 1e-9 || this.linked.has(key)) return;
    this.linked.add(key);
    this.add(-1, node, zero, node, to, 0.006, steel);
  }

  /* Joints sit where their pin is; where that is not known, at the second node. */
  private reach(j: Part, i: number): void {
    const [a, b] = j.nodes,
      pin = model.pins[i];
    if (j.nodes.length < 2 || !lies(a) || !lies(b)) return;
    if (reached.includes(j.symbol)) {
      const at = pin && lies(pin.node) ? plus(ref(pin.node), pin.arm) : ref(b);
      for (const node of [a, b]) this.link(node, minus(at, ref(node)));
    } else if (j.shape === 'line' && !j.symbol) this.add(-1, a, j.arms[0], b, j.arms[1], 0.005, steel);
  }

  private coils(r: Rod): boolean {
    return r.coil && this.rods.length < 300;
  }
  private ringsOf(r: Rod): number {
    return this.coils(r) ? 16 * r.turns + 1 : 2;
  }

  private draw(r: Rod): void {
    const p1 = point(r.a, r.from),
      p2 = point(r.b, r.to),
      d = minus(p2, p1),
      e = unit(d),
      [y, z] = across(e),
      n = this.ringsOf(r),
      s = this.sweep;
    if (!this.coils(r)) {
      s.ring(p1[0], p1[1], p1[2], y, z, r.half, r.half);
      s.ring(p2[0], p2[1], p2[2], y, z, r.half, r.half);
      return;
    }
    const R = 0.013 * this.size; /* turns between short straight ends */
    for (let i = 0; i < n; i++) {
      const x = i / (n - 1),
        u = Math.min(Math.max((x - 0.12) / 0.76, 0), 1),
        a = 2 * Math.PI * r.turns * u,
        w = R * Math.min(1, 8 * u, 8 * (1 - u));
      const cos = Math.cos(a),
        sin = Math.sin(a),
        out = [0, 1, 2].map(j => cos * y[j] + sin * z[j]);
      s.ring(
        p1[0] + x * d[0] + w * out[0],
        p1[1] + x * d[1] + w * out[1],
        p1[2] + x * d[2] + w * out[2],
        out,
        e,
        r.half,
        r.half,
      );
    }
  }

  update(): void {
    this.sweep.begin();
    for (const r of this.rods) this.draw(r);
    this.sweep.end();
  }
  paint(by: Painting | null): void {
    this.rods.forEach((r, i) => {
      const x = r.element < 0 ? undefined : by?.read(r.element);
      this.sweep.paint(i, x ? x[0] : NaN, x ? x[Math.min(1, by!.points - 1)] : NaN, by?.colours ?? null);
    });
    this.sweep.painting();
  }
  painted(element: number): number[][] | null {
    const i = this.at.get(element);
    return i === undefined ? null : this.sweep.painted(i);
  }
  /* Both ends of what an element is drawn as. */
  ends(element: number): number[][] | null {
    const i = this.at.get(element);
    return i === undefined ? null : this.sweep.ends(i);
  }
}
