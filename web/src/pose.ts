/* Where the nodes are: positions and rotations (from the reference configuration) of a frame, or between two; with the
   deformation exaggerated where that is asked for. */
import {Chains} from './chains';
import {Header, Numbers, current, fine, header, load, modes, q, quarter, shape} from './data';
import {Mesh, Model, declared} from './declarations';
import {Sheets} from './sheets';
import {Ties} from './ties';

let n: number;
export let model: Model, planar: boolean, hasStates: boolean;
export let position: Float64Array, reference: Float64Array;
export let turn: Float64Array; /* row by row */
/* What place() and blend() read for every frame: coordinates, and of each node where its position and rotation begin
   among them (-1: none), and whether it is one of the plane. */
let mix: Float64Array, places: Int32Array, turns: Int32Array, flat: Uint8Array;
let chains: Chains, sheets: Sheets, ties: Ties;

interface Known {
  model: Model;
  planar: boolean;
  hasStates: boolean;
  position: Float64Array;
  turn: Float64Array;
  reference: Float64Array;
  mix: Float64Array;
  places: Int32Array;
  turns: Int32Array;
  flat: Uint8Array;
  chains: Chains;
  sheets: Sheets;
  ties: Ties;
}
const known = new Map<Header, Known>();

/* To the result that data.ts tells of. */
export function restart(): void {
  let k = known.get(header);
  if (!k) known.set(header, (k = begin()));
  ({model, planar, hasStates, position, turn, reference, mix, places, turns, flat, chains, sheets, ties} = k);
  n = model.nodes.length;
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
  const m = declared(header),
    at = Float64Array.from(m.nodes.flatMap(o => o.at));
  return {
    model: m,
    planar: m.planar,
    hasStates: header.nq > 0 && q.length > 0,
    position: new Float64Array(3 * m.nodes.length),
    turn: new Float64Array(9 * m.nodes.length),
    reference: at,
    mix: new Float64Array(Math.max(header.nq, 1)),
    places: Int32Array.from(m.nodes, o => o.place),
    turns: Int32Array.from(m.nodes, o => o.turn),
    flat: Uint8Array.from(m.nodes, o => Number(o.flat)),
    chains: new Chains(m, at),
    sheets: new Sheets(m, at),
    ties: new Ties(m, at),
  };
}
restart();

/* A node that can be drawn. */
export const lies = (i: number): boolean => i >= 0 && i < n && model.nodes[i].lies;
export const moves = (i: number): boolean => lies(i) && !model.nodes[i].still;
/* Where a node lies in the reference configuration. */
export const ref = (i: number): number[] => [reference[3 * i], reference[3 * i + 1], reference[3 * i + 2]];

/* Exaggeration. Of an equilibrium: displacements and rotations from the reference configuration. Of a run, which may
   go far: bending, the way of a beam's points from the straight line between its ends, which stay where they are, and
   of a surface's points, or of a body's that is drawn as a mesh, from where they were if it had moved as a rigid body.
 */
export let factor = 1;
export function exaggerate(f: number): void {
  factor = f;
}
export const still = (): boolean => header.analysis === 'static' || header.analysis === 'linearise';
/* What has a deformation to be exaggerated in a run. */
export const bends = (): '' | 'lines' | 'surfaces' =>
  !sheets.empty || model.meshes.some(m => m.modes) ? 'surfaces' : chains.empty ? '' : 'lines';
/* Direction of the line that an element's bending is measured from; null: it is drawn as it is. */
export const chordOf = (element: number): Float64Array | null =>
  factor === 1 || still() || modes ? null : chains.chordOf(element);

function enlarge(): void {
  for (let i = 0; i < n; i++) {
    const at = places[i],
      r = turns[i];
    if (at >= 0)
      for (let j = 0; j < (flat[i] ? 2 : 3); j++)
        mix[at + j] = reference[3 * i + j] + factor * (mix[at + j] - reference[3 * i + j]);
    if (r < 0) continue;
    if (flat[i]) {
      mix[r] *= factor;
      continue;
    }
    const sign = mix[r] < 0 ? -1 : 1,
      s = Math.hypot(mix[r + 1], mix[r + 2], mix[r + 3]),
      half = Math.atan2(s, sign * mix[r]) * factor;
    mix[r] = Math.cos(half);
    for (let j = 1; j < 4; j++) mix[r + j] *= s > 0 ? (sign * Math.sin(half)) / s : 0;
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
      if (turns[i] >= 0 && !flat[i]) {
        const p = turns[i];
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

/* A mode: the shape times s, and its imaginary part times c, added to the configuration; rotations in the axes of the
   frames. */
function swing(mode: number, s: number, c: number): void {
  const a = mode * header.nq,
    b = mode * header.nv,
    way = (j: number): number => s * shape[b + j] + c * (quarter[b + j] ?? 0);
  for (let i = 0; i < header.nq; i++) mix[i] = q[a + i];
  for (let i = 0; i < n; i++) {
    const o = model.nodes[i],
      R = turns[i];
    if (o.place >= 0) for (let j = 0; j < (o.flat ? 2 : 3); j++) mix[o.place + j] += way(o.placeV + j);
    else if (o.first >= 0) for (let j = 0; j < o.numbers; j++) mix[o.first + j] += way(o.firstV + j);
    if (R < 0) continue;
    if (o.flat) {
      mix[R] += way(o.turnV);
      continue;
    }
    const r = [0, 1, 2].map(j => way(o.turnV + j)),
      angle = Math.hypot(...r),
      c = Math.cos(angle / 2),
      k = angle > 1e-12 ? Math.sin(angle / 2) / angle : 0.5;
    const [pw, px, py, pz] = [0, 1, 2, 3].map(j => mix[R + j]),
      [x, y, z] = r.map(v => k * v);
    mix[R] = pw * c - px * x - py * y - pz * z;
    mix[R + 1] = pw * x + px * c + py * z - pz * y;
    mix[R + 2] = pw * y - px * z + py * c + pz * x;
    mix[R + 3] = pw * z + px * y - py * x + pz * c;
  }
}

function place(): void {
  for (let i = 0; i < n; i++) {
    const p = 3 * i,
      R = 9 * i,
      at = hasStates ? places[i] : -1,
      r = hasStates ? turns[i] : -1;
    turn.fill(0, R, R + 9);
    turn[R] = turn[R + 4] = turn[R + 8] = 1;
    position[p] = at < 0 ? reference[p] : mix[at];
    position[p + 1] = at < 0 ? reference[p + 1] : mix[at + 1];
    position[p + 2] = at < 0 || flat[i] ? reference[p + 2] : mix[at + 2];
    if (r < 0) continue;
    if (flat[i]) {
      const c = Math.cos(mix[r]),
        s = Math.sin(mix[r]);
      turn[R] = c;
      turn[R + 1] = -s;
      turn[R + 3] = s;
      turn[R + 4] = c;
    } else fromQuaternion(mix[r], mix[r + 1], mix[r + 2], mix[r + 3], turn, R);
  }
}

/* frame: may lie between two. phase: of a mode, -1 to 1 times its amplitude; later: the same a quarter of a period
   later, by which its imaginary part counts. */
export function pose(frame: number, phase = 0, later = 0): void {
  if (!hasStates) return place();
  if (modes) swing(Math.round(frame), phase, later);
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
  if (factor !== 1 && !still() && !modes) {
    const was = position.slice();
    sheets.bend(was, position, factor);
    ties.bend(was, position, turn, factor);
    chains.bend(was, position, turned, factor);
  }
}

/* A body's vector in global axes. */
export function turned(node: number, v: ArrayLike<number>, out: number[]): number[] {
  const R = 9 * node;
  for (let i = 0; i < 3; i++)
    out[i] = turn[R + 3 * i] * v[0] + turn[R + 3 * i + 1] * v[1] + turn[R + 3 * i + 2] * v[2];
  return out;
}
/* Where a point fixed to a node is. */
export function point(node: number, arm: ArrayLike<number>, out: number[] = []): number[] {
  turned(node, arm, out);
  for (let j = 0; j < 3; j++) out[j] += position[3 * node + j];
  return out;
}

/* Amplitudes of a mesh's modes, exaggerated as the rest is. */
export function amplitudes(m: Mesh, out: Float64Array): Float64Array {
  for (let j = 0; j < m.modes; j++) out[j] = hasStates ? mix[m.d + j] * (modes ? 1 : factor) : 0;
  return out;
}

/* Path of a node over all sights. */
export function path(node: number): Float32Array {
  const out = new Float32Array(3 * header.sights),
    o = model.nodes[node];
  for (let s = 0; s < header.sights; s++)
    for (let j = 0; j < 3; j++)
      out[3 * s + j] = o.place < 0 || !hasStates || (j === 2 && o.flat) ? o.at[j] : q[s * header.nq + o.place + j];
  return out;
}

/* The mean of all nodes that move. */
export function middle(out: number[]): number[] {
  let m = 0;
  out[0] = out[1] = out[2] = 0;
  for (let i = 0; i < n; i++)
    if (moves(i)) {
      for (let j = 0; j < 3; j++) out[j] += position[3 * i + j];
      m++;
    }
  for (let j = 0; j < 3; j++) out[j] /= Math.max(m, 1);
  return out;
}
