/* Where the nodes are: positions and rotations (from the reference configuration) of a frame, or between two; with the
   deformation exaggerated where that is asked for. */
import {Header, Numbers, current, fine, header, load, modes, q, shape} from './data';

export const POINT2 = 0,
  FRAME2 = 1,
  POINT3 = 2,
  FRAME3 = 3,
  STILL = 4,
  NOWHERE = 5;
let n: number;
export let kind: number[], planar: boolean, hasStates: boolean;
export let position: Float64Array, reference: Float64Array;
export let turn: Float64Array; /* row by row */
let mix: Float64Array, sort: Uint8Array, first: Int32Array; /* what place() and blend() read for every frame */

/* Pieces of a beam one behind the other: their nodes, where these lie between the ends (0 to 1), from the end nodes
   to the beam's ends; the direction from end to end. */
interface Chain {
  nodes: number[];
  s: number[];
  from: number[];
  to: number[];
  way: Float64Array;
}
interface Known {
  kind: number[];
  planar: boolean;
  hasStates: boolean;
  position: Float64Array;
  turn: Float64Array;
  reference: Float64Array;
  mix: Float64Array;
  sort: Uint8Array;
  first: Int32Array;
  chains: Chain[];
  chainOf: Map<number, Chain>;
}
const known = new Map<Header, Known>();
let chains: Chain[], chainOf: Map<number, Chain>;

/* To the result that data.ts tells of. */
export function restart(): void {
  n = header.nodes.length;
  let k = known.get(header);
  if (!k) known.set(header, (k = begin()));
  ({kind, planar, hasStates, position, turn, reference, mix, sort, first, chains, chainOf} = k);
}
/* What is done with another result of the page being the one that everything tells of. */
export function within<T>(ids: string, what: () => T): T {
  const before = current();
  if (ids === before) return what();
  load(ids);
  restart();
  try {
    return what();
  } finally {
    load(before);
    restart();
  }
}

function begin(): Known {
  kind = header.nodes.map(a =>
    a.v < 0
      ? STILL
      : a.size === 6
        ? FRAME3
        : a.size === 3
          ? a.theta
            ? FRAME2
            : POINT3
          : a.size === 2
            ? POINT2
            : NOWHERE,
  );
  planar =
    kind.every(k => k === POINT2 || k === FRAME2 || k === STILL || k === NOWHERE) &&
    header.nodes.every(a => a.at[2] === 0);
  hasStates = header.nq > 0 && q.length > 0;
  position = new Float64Array(3 * n);
  turn = new Float64Array(9 * n);
  reference = new Float64Array(3 * n);
  header.nodes.forEach((a, i) => reference.set(a.at, 3 * i));
  mix = new Float64Array(Math.max(header.nq, 1));
  sort = Uint8Array.from(kind);
  first = Int32Array.from(header.nodes, o => o.q);
  chainOf = new Map();
  chains = findChains();
  return {kind, planar, hasStates, position, turn, reference, mix, sort, first, chains, chainOf};
}

function findChains(): Chain[] {
  const all: Chain[] = [],
    body = new Map(header.bodies.map(b => [b.x[0], b.x]));
  header.elements.forEach((e, i) => {
    const [a, b] = e.x,
      row = body.get(i),
      last = all[all.length - 1];
    if (!/^beam/.test(e.name) || a < 0 || b < 0) return;
    if (last && header.elements[i - 1]?.name === e.name && last.nodes[last.nodes.length - 1] === a)
      last.nodes.push(b);
    else
      all.push({nodes: [a, b], s: [], from: row?.slice(6, 9) ?? [0, 0, 0], to: [0, 0, 0], way: new Float64Array(3)});
    const chain = all[all.length - 1];
    chain.to = row?.slice(9, 12) ?? [0, 0, 0];
    chainOf.set(i, chain);
  });
  for (const c of join(all)) {
    const length = [0];
    for (let k = 1; k < c.nodes.length; k++)
      length.push(
        length[k - 1] +
          Math.hypot(...[0, 1, 2].map(j => reference[3 * c.nodes[k] + j] - reference[3 * c.nodes[k - 1] + j])),
      );
    c.s = length.map(x => x / (length[length.length - 1] || 1));
  }
  return all;
}

/* Beams that go on straight in another one, with nothing else there but masses, are one. Works on the list itself. */
function join(all: Chain[]): Chain[] {
  const ends = new Map<number, number>(),
    jointed = new Set(header.joints.flatMap(j => j.x)),
    flat = (v: number[]) => Math.hypot(...v) === 0;
  for (const c of all) for (const n of [c.nodes[0], c.nodes[c.nodes.length - 1]]) ends.set(n, (ends.get(n) ?? 0) + 1);
  const way = (c: Chain) => {
    const a = c.nodes[0],
      b = c.nodes[c.nodes.length - 1],
      d = [0, 1, 2].map(j => reference[3 * b + j] - reference[3 * a + j]),
      l = Math.hypot(...d) || 1;
    return d.map(x => x / l);
  };
  for (let i = 0; i < all.length; i++)
    for (;;) {
      const c = all[i],
        at = c.nodes[c.nodes.length - 1],
        k = all.findIndex((o, j) => j !== i && o.nodes[0] === at);
      if (
        k < 0 ||
        ends.get(at) !== 2 ||
        jointed.has(at) ||
        !flat(c.to) ||
        !flat(all[k].from) ||
        way(c).reduce((s, x, j) => s + x * way(all[k])[j], 0) < 1 - 1e-6
      )
        break;
      c.nodes.push(...all[k].nodes.slice(1));
      c.to = all[k].to;
      for (const [e, o] of chainOf) if (o === all[k]) chainOf.set(e, c);
      all.splice(k, 1);
      if (k < i) i--;
    }
  return all;
}
restart();

/* Exaggeration. Of an equilibrium: displacements and rotations from the reference configuration. Of a run, which may
   go far: bending, the way of a beam's points from the straight line between its ends, which stay where they are. */
export let factor = 1;
export function exaggerate(f: number): void {
  factor = f;
}
export const still = (): boolean => header.analysis === 'static' || header.analysis === 'linearise';
/* Direction of the line that an element's bending is measured from; null: it is drawn as it is. */
export const chordOf = (element: number): Float64Array | null =>
  factor === 1 || still() || modes ? null : (chainOf.get(element)?.way ?? null);

function enlarge(): void {
  for (let i = 0; i < n; i++) {
    const at = header.nodes[i].q,
      k = kind[i],
      flat = k === POINT2 || k === FRAME2 ? 2 : k === POINT3 || k === FRAME3 ? 3 : 0;
    for (let j = 0; j < flat; j++) mix[at + j] = reference[3 * i + j] + factor * (mix[at + j] - reference[3 * i + j]);
    if (k === FRAME2) mix[at + 2] *= factor;
    if (k !== FRAME3) continue;
    const sign = mix[at + 3] < 0 ? -1 : 1,
      s = Math.hypot(mix[at + 4], mix[at + 5], mix[at + 6]),
      half = Math.atan2(s, sign * mix[at + 3]) * factor;
    mix[at + 3] = Math.cos(half);
    for (let j = 4; j < 7; j++) mix[at + j] *= s > 0 ? (sign * Math.sin(half)) / s : 0;
  }
}

function bend(): void {
  const p = [0, 0, 0],
    e = [0, 0, 0];
  for (const c of chains) {
    const a = c.nodes[0],
      b = c.nodes[c.nodes.length - 1];
    turned(a, c.from, p);
    turned(b, c.to, e);
    for (let j = 0; j < 3; j++) {
      p[j] += position[3 * a + j];
      e[j] += position[3 * b + j] - p[j];
    }
    const l = Math.hypot(e[0], e[1], e[2]) || 1;
    for (let j = 0; j < 3; j++) c.way[j] = e[j] / l;
    for (let k = 1; k + 1 < c.nodes.length; k++)
      for (let j = 0; j < 3; j++) {
        const on = p[j] + c.s[k] * e[j],
          at = 3 * c.nodes[k] + j;
        position[at] = on + factor * (position[at] - on);
      }
  }
}

function fromQuaternion(w: number, x: number, y: number, z: number, R: Float64Array, at: number): void {
  const s = 2 / (w * w + x * x + y * y + z * z || 1);
  R[at] = 1 - s * (y * y + z * z);
  R[at + 1] = s * (x * y - w * z);
  R[at + 2] = s * (x * z + w * y);
  R[at + 3] = s * (x * y + w * z);
  R[at + 4] = 1 - s * (x * x + z * z);
  R[at + 5] = s * (y * z - w * x);
  R[at + 6] = s * (x * z - w * y);
  R[at + 7] = s * (y * z + w * x);
  R[at + 8] = 1 - s * (x * x + y * y);
}

/* From the row at a of A, part f of the way to the row at b of B; quaternions the short way. */
function blend(A: Numbers, a: number, B: Numbers, b: number, f: number): void {
  for (let i = 0; i < header.nq; i++) mix[i] = A[a + i] + f * (B[b + i] - A[a + i]);
  if (f > 0)
    for (let i = 0; i < n; i++)
      if (sort[i] === FRAME3) {
        const p = first[i] + 3;
        let dot = 0;
        for (let j = p; j < p + 4; j++) dot += A[a + j] * B[b + j];
        if (dot < 0) for (let j = p; j < p + 4; j++) mix[j] = A[a + j] - f * (B[b + j] + A[a + j]);
      }
}

/* The frame from the pieces at hand, if they have it. */
function near(frame: number): boolean {
  const k = Math.min(Math.max(Math.floor(frame), 0), header.frames - 1),
    f = Math.min(Math.max(frame - k, 0), 1);
  if (!fine?.find(k)) return false;
  const A = fine.data,
    a = fine.at;
  if (f > 0 && !fine.find(k + 1)) return false;
  blend(A, a, fine.data, fine.at, f);
  return true;
}

/* A mode: the shape times s added to the configuration; rotations in the axes of the frames. */
function swing(mode: number, s: number): void {
  const a = mode * header.nq,
    b = mode * header.nv;
  for (let i = 0; i < header.nq; i++) mix[i] = q[a + i];
  for (let i = 0; i < n; i++) {
    const o = header.nodes[i],
      flat = kind[i] === FRAME3 ? 3 : o.size;
    if (o.v < 0) continue;
    for (let j = 0; j < flat; j++) mix[o.q + j] += s * shape[b + o.v + j];
    if (kind[i] !== FRAME3) continue;
    const r = [3, 4, 5].map(j => s * shape[b + o.v + j]),
      angle = Math.hypot(...r),
      c = Math.cos(angle / 2),
      k = angle > 1e-12 ? Math.sin(angle / 2) / angle : 0.5;
    const [pw, px, py, pz] = [3, 4, 5, 6].map(j => mix[o.q + j]),
      [x, y, z] = r.map(v => k * v);
    mix[o.q + 3] = pw * c - px * x - py * y - pz * z;
    mix[o.q + 4] = pw * x + px * c + py * z - pz * y;
    mix[o.q + 5] = pw * y - px * z + py * c + pz * x;
    mix[o.q + 6] = pw * z + px * y - py * x + pz * c;
  }
}

function place(): void {
  for (let i = 0; i < n; i++) {
    const p = 3 * i,
      R = 9 * i,
      at = first[i],
      k = hasStates ? sort[i] : STILL;
    turn.fill(0, R, R + 9);
    turn[R] = turn[R + 4] = turn[R + 8] = 1;
    position[p] = k >= STILL ? reference[p] : mix[at];
    position[p + 1] = k >= STILL ? reference[p + 1] : mix[at + 1];
    position[p + 2] = k === POINT3 || k === FRAME3 ? mix[at + 2] : reference[p + 2];
    if (k === FRAME2) {
      const c = Math.cos(mix[at + 2]),
        s = Math.sin(mix[at + 2]);
      turn[R] = c;
      turn[R + 1] = -s;
      turn[R + 3] = s;
      turn[R + 4] = c;
    } else if (k === FRAME3) fromQuaternion(mix[at + 3], mix[at + 4], mix[at + 5], mix[at + 6], turn, R);
  }
}

/* frame: may lie between two. phase: of a mode, -1 to 1 times its amplitude. */
export function pose(frame: number, phase = 0): void {
  if (!hasStates) return place();
  if (modes) swing(Math.round(frame), phase);
  else if (!near(frame)) {
    const last = header.frames - 1,
      k = Math.min(Math.floor(frame / header.stride), header.sights - 1);
    const from = k * header.stride,
      to = Math.min((k + 1) * header.stride, last);
    blend(
      q,
      k * header.nq,
      q,
      Math.min(k + 1, header.sights - 1) * header.nq,
      to > from ? Math.min(Math.max((frame - from) / (to - from), 0), 1) : 0,
    );
  }
  if (factor !== 1 && still()) enlarge();
  place();
  if (factor !== 1 && !still() && !modes) bend();
}

/* A body's vector in global axes. */
export function turned(node: number, v: ArrayLike<number>, out: number[]): number[] {
  const R = 9 * node;
  for (let i = 0; i < 3; i++)
    out[i] = turn[R + 3 * i] * v[0] + turn[R + 3 * i + 1] * v[1] + turn[R + 3 * i + 2] * v[2];
  return out;
}

/* Path of a node over all sights. */
export function path(node: number): Float32Array {
  const out = new Float32Array(3 * header.sights),
    o = header.nodes[node],
    k = kind[node];
  for (let s = 0; s < header.sights; s++)
    for (let j = 0; j < 3; j++)
      out[3 * s + j] = k >= STILL || !hasStates || (j === 2 && k < POINT3) ? o.at[j] : q[s * header.nq + o.q + j];
  return out;
}

/* The mean of all nodes that move. */
export function middle(out: number[]): number[] {
  let m = 0;
  out[0] = out[1] = out[2] = 0;
  for (let i = 0; i < n; i++)
    if (kind[i] < STILL) {
      for (let j = 0; j < 3; j++) out[j] += position[3 * i + j];
      m++;
    }
  for (let j = 0; j < 3; j++) out[j] /= Math.max(m, 1);
  return out;
}

/* Box around all nodes at some sights, low and high corner, and how far their middle travels. cloud: x, y, z and
   radius of some hundred of them at some sights; carried: the same, seen by who goes along with the middle. */
export function extent(): {
  low: number[];
  high: number[];
  own: number;
  travel: number;
  cloud: number[];
  carried: number[];
} {
  const cloud: number[] = [],
    carried: number[] = [],
    here: number[] = [],
    there: number[] = [];
  const low = [Infinity, Infinity, Infinity],
    high = [-Infinity, -Infinity, -Infinity],
    v: number[] = [];
  const steps = modes ? 1 : Math.min(header.sights, 200);
  /* nodes, and what belongs to them: centres of mass, pins, points where things are fastened, shapes */
  const marks: {node: number; at: number[]; r: number}[] = header.nodes
    .map((_, node) => ({node, at: [0, 0, 0], r: 0}))
    .filter(m => kind[m.node] !== NOWHERE);
  for (const b of header.bodies)
    if (b.name.startsWith('mass')) marks.push({node: header.elements[b.x[0]].x[0], at: b.x.slice(3, 6), r: 0});
  for (const p of header.pins)
    if (p[0] >= 0 && kind[p[0]] !== NOWHERE) marks.push({node: p[0], at: p.slice(1, 4), r: 0});
  for (const p of header.points) {
    const node = (p[0] ? header.joints : header.elements)[p[1]].x[p[2]];
    if (kind[node] !== NOWHERE) marks.push({node, at: p.slice(3, 6), r: 0});
  }
  for (const s of header.shapes)
    marks.push({
      node: header.elements[s.x[0]].x[0],
      at: s.x.slice(1, 4),
      r: s.name.startsWith('box')
        ? Math.hypot(s.x[13], s.x[14], s.x[15]) / 2
        : s.name.startsWith('cylinder')
          ? Math.hypot(s.x[13], s.x[14] / 2)
          : s.name.startsWith('sphere')
            ? s.x[13]
            : 0,
    });
  let own = 0,
    travel = 0,
    begin: number[] | null = null;
  for (let s = 0; s < Math.max(steps, 1); s++) {
    pose(steps > 1 ? (s / (steps - 1)) * (header.frames - 1) : 0);
    const lo = [Infinity, Infinity, Infinity],
      hi = [-Infinity, -Infinity, -Infinity];
    middle(s === 0 ? there : here);
    const thin = s === 0 ? Math.ceil(marks.length / 2000) : Math.ceil(marks.length / 100),
      some = s % 4 === 0 || s === steps - 1;
    for (const [i, m] of marks.entries()) {
      turned(m.node, m.at, v);
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
