/* How far a mechanism reaches in the course of time. */
import {header, modes} from './data';
import type {Solid} from './declarations';
import {amplitudes, lies, middle, model, planar, pose, position, turned} from './pose';
import {outermost, placeOf, skinOf} from './skins';
import {dot, plus, zero} from './vector';

interface Mark {
  node: number;
  at: number[];
  r: number;
  bent?: () => number[]; /* in place of at: where it is by now */
}

function radius(s: Solid): number {
  const [a, b, c] = s.size;
  return s.form === 'box'
    ? Math.hypot(a, b, c) / 2
    : s.form === 'cylinder'
      ? Math.hypot(a, b / 2)
      : s.form === 'sphere'
        ? a
        : 0;
}

/* Outermost points of meshes. */
const skins = (): Mark[] =>
  model.meshes.flatMap(m => {
    const s = skinOf(m.mesh),
      d = new Float64Array(m.modes),
      x = [0, 0, 0];
    return (s ? outermost(s) : []).map(i => ({
      node: m.node,
      at: zero,
      r: 0,
      bent: () => {
        placeOf(s!, i, amplitudes(m, d), x);
        return plus(
          m.at,
          [0, 3, 6].map(k => dot(m.turn.slice(k, k + 3), x)),
        );
      },
    }));
  });

/* Nodes, and what belongs to them: centres of mass, pins, points where things are fastened, solids, meshes. The origin
   of a mesh's own node may lie anywhere. */
function marks(): Mark[] {
  const inner = new Set(model.meshes.filter(m => model.nodes[m.node].name.startsWith(`${m.name}.`)).map(m => m.node)),
    list: Mark[] = model.nodes.map((_, node) => ({node, at: zero, r: 0})).filter(m => !inner.has(m.node));
  for (const [e, m] of model.masses) list.push({node: model.elements[e].nodes[0], at: m.centre, r: 0});
  for (const p of model.pins) if (p) list.push({node: p.node, at: p.arm, r: 0});
  for (const part of [...model.elements, ...model.joints])
    part.arms.forEach((at, k) => {
      if (at.some(x => x !== 0)) list.push({node: part.nodes[k], at, r: 0});
    });
  for (const s of model.solids) list.push({node: s.node, at: s.at, r: radius(s)});
  list.push(...skins());
  return list.filter(m => lies(m.node));
}

export interface Extent {
  low: number[];
  high: number[];
  own: number;
  travel: number;
  cloud: number[];
  carried: number[];
}

/* Box around all nodes at some sights, low and high corner, and how far their middle travels. cloud: x, y, z and
   radius of some hundred of them at some sights; carried: the same, seen by who goes along with the middle. */
export function extent(): Extent {
  const cloud: number[] = [],
    carried: number[] = [],
    here: number[] = [],
    there: number[] = [];
  const low = [Infinity, Infinity, Infinity],
    high = [-Infinity, -Infinity, -Infinity],
    v: number[] = [];
  const steps = modes ? 1 : Math.min(header.sights, 200),
    all = marks();
  let own = 0,
    travel = 0,
    begin: number[] | null = null;
  for (let s = 0; s < Math.max(steps, 1); s++) {
    pose(steps > 1 ? (s / (steps - 1)) * (header.frames - 1) : 0);
    const lo = [Infinity, Infinity, Infinity],
      hi = [-Infinity, -Infinity, -Infinity];
    middle(s === 0 ? there : here);
    const thin = s === 0 ? Math.ceil(all.length / 2000) : Math.ceil(all.length / 100),
      some = s % 4 === 0 || s === steps - 1;
    for (const [i, m] of all.entries()) {
      turned(m.node, m.bent?.() ?? m.at, v);
      if (some && i % thin === 0)
        for (let j = 0; j < 4; j++) {
          const x = j < 3 ? position[3 * m.node + j] + v[j] : m.r;
          cloud.push(Number.isFinite(x) ? x : 0);
          carried.push(Number.isFinite(x) ? x + (s > 0 && j < 3 ? there[j] - here[j] : 0) : 0);
        }
      for (let j = 0; j < 3; j++) {
        const x = position[3 * m.node + j] + v[j],
          r = planar && j === 2 ? 0 : m.r;
        if (Number.isFinite(x)) {
          lo[j] = Math.min(lo[j], x - r);
          hi[j] = Math.max(hi[j], x + r);
        }
      }
    }
    const mid = lo.map((x, j) => (x + hi[j]) / 2);
    begin ??= mid;
    travel = Math.max(travel, Math.hypot(...mid.map((x, j) => x - begin![j])));
    own = Math.max(own, Math.hypot(...hi.map((x, j) => x - lo[j])));
    for (let j = 0; j < 3; j++) {
      low[j] = Math.min(low[j], lo[j]);
      high[j] = Math.max(high[j], hi[j]);
    }
  }
  return {low, high, own, travel, cloud, carried};
}
