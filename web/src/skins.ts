/* Meshes that elements are drawn as, as the result has them: nodes, modes, triangles and lines; and how far they
   deform in the course of time. */
import {current, result, single} from './data';
import {Mesh, declared} from './declarations';

/* Triangles have vertices of their own where they meet at an edge: node tells which node each vertex is. edges: pairs
   of vertices; bars: pairs of nodes, lines that belong to no triangle. phi: mode by mode, 3 numbers a node. */
export interface Skin {
  n: number;
  modes: number;
  X: Float32Array;
  phi: Float32Array;
  node: Uint32Array;
  triangles: Uint32Array;
  edges: Uint32Array;
  bars: Uint32Array;
}

const known = new Map<string, Skin | null>();
/* null: what the file has of it makes no sense. */
export function skinOf(mesh: number, ids = current()): Skin | null {
  const key = `${ids}${mesh}`;
  let s = known.get(key);
  if (s === undefined) known.set(key, (s = read(mesh, ids)));
  return s;
}

function read(mesh: number, ids: string): Skin | null {
  const [n, modes] = result(ids).header.meshSizes[mesh] ?? [0, 0],
    [X, phi, lines, corners] = [0, 1, 2, 3].map(k => single(`g${mesh}.${k}`, ids)),
    inside = (x: Float32Array) => x.every(k => k >= 0 && k < n);
  if (n < 1 || X.length !== 3 * n || phi.length !== 3 * n * modes || !inside(lines) || !inside(corners)) return null;
  const {node, first, triangles} = split(X, Uint32Array.from(corners)),
    {edges, bars} = sortLines(n, Uint32Array.from(lines), corners);
  return {n, modes, X, phi, node, triangles, edges: edges.map(k => first[k]), bars};
}

function normalOf(X: Float32Array, a: number, b: number, c: number, out: number[]): void {
  const u0 = X[3 * b] - X[3 * a],
    u1 = X[3 * b + 1] - X[3 * a + 1],
    u2 = X[3 * b + 2] - X[3 * a + 2],
    v0 = X[3 * c] - X[3 * a],
    v1 = X[3 * c + 1] - X[3 * a + 1],
    v2 = X[3 * c + 2] - X[3 * a + 2],
    x = u1 * v2 - u2 * v1,
    y = u2 * v0 - u0 * v2,
    z = u0 * v1 - u1 * v0,
    l = Math.sqrt(x * x + y * y + z * z) || 1;
  out[0] = x / l;
  out[1] = y / l;
  out[2] = z / l;
}

/* Vertices: triangles that meet at less than 40 degrees share one at a node, others have each their own. All triangles
   of a vertex are turned to the same side. first: a vertex of each node. */
const smooth = Math.cos((40 / 180) * Math.PI);
function split(
  X: Float32Array,
  corners: Uint32Array,
): {node: Uint32Array; first: Uint32Array; triangles: Uint32Array} {
  const head = new Int32Array(X.length / 3).fill(-1),
    nodes: number[] = [],
    next: number[] = [],
    normals: number[] = [],
    triangles = new Uint32Array(corners.length),
    e = [0, 0, 0];
  for (let t = 0; t < corners.length; t += 3) {
    let side = 0;
    normalOf(X, corners[t], corners[t + 1], corners[t + 2], e);
    for (let k = t; k < t + 3; k++) {
      const at = corners[k];
      let v = head[at],
        dot = 0;
      for (; v >= 0; v = next[v]) {
        dot = e[0] * normals[3 * v] + e[1] * normals[3 * v + 1] + e[2] * normals[3 * v + 2];
        if (Math.abs(dot) > smooth) break;
      }
      if (v < 0) {
        v = nodes.push(at) - 1;
        next.push(head[at]);
        head[at] = v;
        normals.push(e[0], e[1], e[2]);
        dot = 1;
      }
      triangles[k] = v;
      side += Math.sign(dot);
    }
    if (side < 0) triangles.subarray(t + 1, t + 3).reverse();
  }
  const first = Uint32Array.from(head, (v, i) => (v >= 0 ? v : nodes.push(i) - 1));
  return {node: Uint32Array.from(nodes), first, triangles};
}

/* Lines that are edges of triangles, and those that are not. Where none is, all edges of the triangles are. */
function sortLines(n: number, lines: Uint32Array, corners: Float32Array): {edges: Uint32Array; bars: Uint32Array} {
  const of = new Set<number>(),
    edges: number[] = [],
    bars: number[] = [],
    key = (a: number, b: number) => (a < b ? a * n + b : b * n + a);
  for (let k = 0; k < corners.length; k++) of.add(key(corners[k], corners[k % 3 === 2 ? k - 2 : k + 1]));
  for (let k = 0; k < lines.length; k += 2)
    (of.has(key(lines[k], lines[k + 1])) ? edges : bars).push(lines[k], lines[k + 1]);
  if (!edges.length) for (const k of of) edges.push(Math.floor(k / n), k % n);
  return {edges: Uint32Array.from(edges), bars: Uint32Array.from(bars)};
}

/* Nodes of a mesh by the amplitudes d of its modes, in its own axes. Four modes at a time: each pass goes through all
   nodes. */
export function deform({X, phi}: Skin, d: Float64Array, out: Float64Array): void {
  const m = out.length,
    n = d.length;
  for (let i = 0; i < m; i++) out[i] = X[i];
  for (let j = 0; j < n; j += 4) {
    const of = (k: number) => phi.subarray(k < n ? k * m : j * m, (k < n ? k * m : j * m) + m),
      [p, q, r, s] = [of(j), of(j + 1), of(j + 2), of(j + 3)],
      [a, b, c, e] = [d[j], d[j + 1] ?? 0, d[j + 2] ?? 0, d[j + 3] ?? 0];
    if (a !== 0 || b !== 0 || c !== 0 || e !== 0)
      for (let i = 0; i < m; i++) out[i] += a * p[i] + b * q[i] + c * r[i] + e * s[i];
  }
}

/* One node of it. */
export function placeOf({X, phi, n}: Skin, i: number, d: Float64Array, out: number[]): void {
  for (let k = 0; k < 3; k++) {
    out[k] = X[3 * i + k];
    for (let j = 0; j < d.length; j++) out[k] += d[j] * phi[3 * (j * n + i) + k];
  }
}

/* The nodes that lie outermost along 26 directions. */
export function outermost({X, n}: Skin): number[] {
  const found = new Set<number>();
  for (let k = 0; k < 27; k++) {
    const [a, b, c] = [(k % 3) - 1, (Math.floor(k / 3) % 3) - 1, Math.floor(k / 9) - 1];
    let best = 0,
      far = -Infinity;
    for (let i = 0; i < n && k !== 13; i++) {
      const x = a * X[3 * i] + b * X[3 * i + 1] + c * X[3 * i + 2];
      if (x > far) [far, best] = [x, i];
    }
    found.add(best);
  }
  return [...found];
}

/* The largest deformation of a result's meshes, over at most a hundred sights; of large ones at some of the nodes. */
const work = 3e7,
  most = new Map<string, number>();
export function largest(ids: string): number {
  const {header, q} = result(ids);
  let top = most.get(ids);
  if (top !== undefined) return top;
  top = 0;
  for (const m of declared(header).meshes) {
    const s = skinOf(m.mesh, ids),
      sights = q.length ? Math.min(header.sights, 100) : 0;
    if (!s || !m.modes) continue;
    const step = Math.ceil((s.n * m.modes * sights) / work);
    for (let k = 0; k < sights; k++)
      top = Math.max(top, amount(s, m, q, Math.round((k * (header.sights - 1)) / Math.max(sights - 1, 1)), step));
  }
  most.set(ids, top);
  return top;
  /* at one sight */
  function amount({n, phi}: Skin, m: Mesh, q: Float32Array, sight: number, step: number): number {
    const d = q.subarray(sight * header.nq + m.d, sight * header.nq + m.d + m.modes);
    let high = 0;
    for (let i = 0; i < n; i += step) {
      let x = 0,
        y = 0,
        z = 0;
      for (let j = 0, at = 3 * i; j < m.modes; j++, at += 3 * n) {
        x += d[j] * phi[at];
        y += d[j] * phi[at + 1];
        z += d[j] * phi[at + 2];
      }
      high = Math.max(high, x * x + y * y + z * z);
    }
    return Math.sqrt(high);
  }
}
