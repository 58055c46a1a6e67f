/* Lines one behind the other: the bending of a run is exaggerated from the straight line between their ends. */
import type {Model, Part} from './declarations';
import {length, minus, unit, zero} from './vector';

/* Nodes of a chain, where these lie between the ends (0 to 1), from the end nodes to the ends of the line; the
   direction from end to end. */
interface Chain {
  nodes: number[];
  s: number[];
  from: number[];
  to: number[];
  way: Float64Array;
}

/* Lines between nodes that lie somewhere. */
export const isLine = (m: Model, e: Part): boolean =>
  e.shape === 'line' && !e.symbol && e.nodes.length > 1 && e.nodes.slice(0, 2).every(i => m.nodes[i]?.lies);

export class Chains {
  private all: Chain[] = [];
  private of = new Map<number, Chain>();

  constructor(
    model: Model,
    private reference: Float64Array,
  ) {
    model.elements.forEach((e, i) => {
      const [a, b] = e.nodes,
        ends = model.bars.get(i)?.ends ?? [zero, zero],
        last = this.all[this.all.length - 1];
      if (!isLine(model, e)) return;
      if (last && model.elements[i - 1]?.name === e.name && last.nodes[last.nodes.length - 1] === a)
        last.nodes.push(b);
      else this.all.push({nodes: [a, b], s: [], from: ends[0], to: zero, way: new Float64Array(3)});
      const chain = this.all[this.all.length - 1];
      chain.to = ends[1];
      this.of.set(i, chain);
    });
    this.join(new Set(model.joints.flatMap(j => j.nodes)));
    for (const c of this.all) {
      const far = [0];
      for (let k = 1; k < c.nodes.length; k++)
        far.push(far[k - 1] + length(this.between(c.nodes[k - 1], c.nodes[k])));
      c.s = far.map(x => x / (far[far.length - 1] || 1));
    }
  }
  get empty(): boolean {
    return !this.all.length;
  }
  chordOf(element: number): Float64Array | null {
    return this.of.get(element)?.way ?? null;
  }

  private between(a: number, b: number): number[] {
    return minus(this.reference.subarray(3 * b, 3 * b + 3), this.reference.subarray(3 * a, 3 * a + 3));
  }

  /* Beams that go on straight in another one, with nothing else there but masses, are one. */
  private join(jointed: Set<number>): void {
    const {all} = this,
      ends = new Map<number, number>(),
      last = (c: Chain) => c.nodes[c.nodes.length - 1],
      way = (c: Chain) => unit(this.between(c.nodes[0], last(c)));
    for (const c of all) for (const i of [c.nodes[0], last(c)]) ends.set(i, (ends.get(i) ?? 0) + 1);
    for (let i = 0; i < all.length; i++)
      for (;;) {
        const c = all[i],
          at = last(c),
          k = all.findIndex((o, j) => j !== i && o.nodes[0] === at);
        if (
          k < 0 ||
          ends.get(at) !== 2 ||
          jointed.has(at) ||
          length(c.to) > 0 ||
          length(all[k].from) > 0 ||
          way(c).reduce((s, x, j) => s + x * way(all[k])[j], 0) < 1 - 1e-6
        )
          break;
        c.nodes.push(...all[k].nodes.slice(1));
        c.to = all[k].to;
        for (const [e, o] of this.of) if (o === all[k]) this.of.set(e, c);
        all.splice(k, 1);
        if (k < i) i--;
      }
  }

  /* Inner nodes to f times their way from the line between the ends, where these have been put. */
  bend(
    was: Float64Array,
    now: Float64Array,
    turned: (node: number, v: ArrayLike<number>, out: number[]) => number[],
    f: number,
  ): void {
    const p = [0, 0, 0],
      e = [0, 0, 0];
    for (const c of this.all) {
      const a = c.nodes[0],
        b = c.nodes[c.nodes.length - 1];
      turned(a, c.from, p);
      turned(b, c.to, e);
      for (let j = 0; j < 3; j++) {
        p[j] += was[3 * a + j];
        e[j] += was[3 * b + j] - p[j];
      }
      const l = Math.hypot(e[0], e[1], e[2]) || 1;
      for (let j = 0; j < 3; j++) c.way[j] = e[j] / l;
      for (let k = 1; k + 1 < c.nodes.length; k++)
        for (let j = 0; j < 3; j++) {
          const on = p[j] + c.s[k] * e[j],
            at = 3 * c.nodes[k] + j,
            shift = (1 - c.s[k]) * (now[3 * a + j] - was[3 * a + j]) + c.s[k] * (now[3 * b + j] - was[3 * b + j]);
          now[at] = on + shift + f * (was[at] - on);
        }
    }
  }
}
