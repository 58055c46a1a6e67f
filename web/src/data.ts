/* What the page shows: a header in JSON, and numbers. They are in the page as blocks of base64 (src/view/page.c), or
   the page asks the server for them in pieces (src/view/answer.h). */

/* x, R: where the position and the rotation begin within the node's own q and v; -1: nowhere. */
export interface Node {
  name: string;
  q: number;
  v: number;
  nq: number;
  nv: number;
  dim: number;
  x: number[];
  R: number[];
  at: number[];
}
/* An element or a joint; name: "kind:name"; equations: names of a joint's. */
export interface Thing {
  name: string;
  nodes: number[];
  geometry: number;
  equations?: string[];
}
export interface Row {
  name: string;
  x: number[];
}
export interface Sensor {
  block: string;
  width: number;
  name: string;
  kind: string | null;
  components: string[] | null;
  units: string[] | null;
}
/* rows: what it is about, in elements or joints, and how many points each of them has. style: 'signed', 'plain' (never
   negative), 'force' (a force and a moment). range: of forces the largest force and moment, else smallest and
   largest of each component, then of the amount of all of them. */
export interface Field {
  name: string;
  unit: string | null;
  doc: string;
  of: string;
  style: string;
  components: string[];
  block: string;
  range: (number | null)[];
  rows: number[];
  points: number[];
}
/* x' = A x + B u, y = C x + D u, row by row; order: which time derivative of itself an input is; poles: pairs. */
export interface Linear {
  n: number;
  about: string;
  states: string[];
  inputs: string[];
  inputs_units: string[];
  outputs: string[];
  outputs_units: string[];
  A: number[];
  B: number[];
  C: number[];
  D: number[];
  order: number[];
  poles: number[];
}
export interface Header {
  title: string;
  analysis: string;
  command: string;
  file: string;
  version: string;
  source?: string;
  begin?: string;
  manual?: string; /* a file: the documentation */
  status: number;
  frames: number;
  stride: number;
  sights: number;
  nq: number;
  nv: number;
  served: number;
  sq: number;
  sv: number;
  sa: number;
  roots: number;
  axis: string;
  unit: string | null;
  nodes: Node[];
  geometry: Row[];
  elements: Thing[];
  joints: Thing[];
  shapes: Row[];
  sensors: Sensor[];
  pins: number[][];
  loads: number[][];
  points: number[][];
  lines: number[][];
  bodies: number[][];
  surfaces: number[][];
  triangles: number[];
  meshes: number[][];
  colours: number[][];
  gravity: number[][];
  meshSizes: number[][]; /* rows of nodes, modes, lines, triangles */
  fieldStride: number;
  fields: Field[];
  linear: Linear | null;
}
export type Numbers = Float32Array | Float64Array;
/* The numbers of a frame: data[at] and so on, after find(frame) has said that they are there. */
export interface Rows {
  data: Numbers;
  at: number;
  find(frame: number): boolean;
}

function bytes(id: string): ArrayBuffer {
  const e = document.getElementById(id),
    text = e?.textContent ?? '';
  const packed = atob(text),
    out = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i++) out[i] = packed.charCodeAt(i);
  if (e) e.textContent = '';
  return out.buffer;
}

interface Result {
  header: Header;
  axis: Float64Array;
  q: Float32Array;
  shape: Float32Array;
  quarter: Float32Array;
  roots: Float32Array;
  modes: boolean;
  columns: Map<string, Rows>;
  singles: Map<string, Float32Array>;
}
const none: Header = {
  title: '',
  analysis: '',
  command: '',
  file: '',
  version: '',
  status: 1,
  frames: 0,
  stride: 1,
  sights: 0,
  nq: 0,
  nv: 0,
  axis: 'time',
  unit: null,
  nodes: [],
  geometry: [],
  elements: [],
  joints: [],
  shapes: [],
  sensors: [],
  served: 0,
  sq: -1,
  sv: -1,
  sa: -1,
  roots: -1,
  pins: [],
  loads: [],
  points: [],
  lines: [],
  bodies: [],
  surfaces: [],
  triangles: [],
  meshes: [],
  meshSizes: [],
  colours: [],
  gravity: [],
  fieldStride: 1,
  linear: null,
  fields: [],
};
const read = new Map<string, Result>();
let prefix = '';

export let header!: Header, axis!: Float64Array, q!: Float32Array, modes!: boolean;
/* Of modes: shapes, their imaginary parts, and five numbers each: growth, omega, damping, neutral, whirl. */
export let shape!: Float32Array, quarter!: Float32Array, roots!: Float32Array;

/* From now on the result whose ids begin so is the one that everything here tells of; false: there is none. Of a page
   with several results; whoever has drawn the one before begins anew (restart() of pose.ts, a new Scene). */
export function load(ids: string): boolean {
  const e = document.getElementById(`${ids}header`);
  let r = read.get(ids);
  if (!r) {
    const h: Header = {...none, ...(e ? JSON.parse(e.textContent ?? '{}') : {})}; /* older pages have less */
    r = {
      header: h,
      axis: new Float64Array(bytes(`${ids}axis`)),
      q: new Float32Array(bytes(`${ids}sq`)),
      shape: new Float32Array(bytes(`${ids}sv`)),
      quarter: new Float32Array(bytes(`${ids}sa`)),
      roots: new Float32Array(bytes(`${ids}roots`)),
      modes: h.analysis === 'modes',
      columns: new Map(),
      singles: new Map(),
    };
    read.set(ids, r);
  }
  prefix = ids;
  ({header, axis, q, shape, quarter, roots, modes} = r);
  return e !== null;
}
load('');
/* All results of the page; the first is the one that leads. */
export const prefixes: string[] = [''];
while (document.getElementById(`r${prefixes.length}.header`)) prefixes.push(`r${prefixes.length}.`);
export const current = (): string => prefix;
/* Those that are shown with the one at hand: a report's are shown each alone. */
export const together = (): string[] => (prefixes.includes(prefix) ? prefixes : [prefix]);
/* A result of the page, without making it the one that everything tells of. */
export function result(ids: string): Readonly<Result> {
  if (!read.has(ids)) {
    const before = prefix;
    load(ids);
    load(before);
  }
  return read.get(ids)!;
}

/* The numbers of this page's one result come from a server. */
export const served = header.served > 0;
/* Set by the page: something has come; the server is gone or has another result. */
export const events = {arrived: () => {}, lost: (_text: string) => {}};

/* ---- from the server ---- */

const most = 4 << 20; /* bytes of a piece */
let rest = 0; /* after a failure nothing is asked for by itself until then */

async function ask(what: string, args: Record<string, number>): Promise<ArrayBuffer> {
  const query = Object.entries({edition: header.served, ...args})
    .map(([k, v]) => `${k}=${v}`)
    .join('&');
  let r: Response;
  try {
    r = await fetch(`/${what}?${query}`);
  } catch {
    rest = performance.now() + 3000;
    events.lost('The server has ended: shown is what had been loaded.');
    throw new Error('no server');
  }
  if (!r.ok) {
    rest = performance.now() + 3000;
    events.lost(
      r.status === 410
        ? 'Another result lies under this name by now: load the page again.'
        : `The server cannot read the result: ${await r.text()}`,
    );
    throw new Error(`${what}: ${r.status}`);
  }
  return r.arrayBuffer();
}

/* Frames first, first + step ..., piece by piece. */
export async function gather(
  column: number,
  width: number,
  first: number,
  count: number,
  step: number,
  single: boolean,
): Promise<Numbers> {
  const out = single ? new Float32Array(width * count) : new Float64Array(width * count),
    rows = Math.max(Math.floor(most / (width * (single ? 4 : 8))), 1);
  for (let i = 0; i < count; i += rows) {
    const got = await ask('data', {
      column,
      first: first + i * step,
      count: Math.min(rows, count - i),
      step,
      single: single ? 1 : 0,
    });
    out.set(single ? new Float32Array(got) : new Float64Array(got), i * width);
  }
  return out;
}

/* Smallest and largest of each component in each of so many bins. */
export async function span(column: number, first: number, count: number, bins: number): Promise<Float64Array> {
  return new Float64Array(await ask('span', {column, first, count, bins}));
}

/* Frames of a column near those that were wanted of late. */
export class Pieces implements Rows {
  data: Numbers = new Float32Array(0);
  at = 0;
  private held = new Map<number, Numbers>();
  private asked = new Set<number>();
  private rows: number;

  constructor(
    private column: number,
    private width: number,
    private single: boolean,
    piece = 1 << 20,
    private room = 24,
  ) {
    this.rows = Math.max(Math.floor(piece / (width * (single ? 4 : 8))), 1);
  }
  find(frame: number): boolean {
    const p = Math.floor(frame / this.rows),
      piece = this.held.get(p);
    if (!piece) return false;
    this.data = piece;
    this.at = (frame - p * this.rows) * this.width;
    return this.at < piece.length;
  }
  /* Ask for the piece of a frame, and so many behind it. */
  want(frame: number, ahead = 0): void {
    if (performance.now() < rest) return;
    for (let p = Math.floor(frame / this.rows), n = p + ahead; p <= n && p * this.rows < header.frames; p++) {
      if (this.held.has(p) || this.asked.has(p)) continue;
      this.asked.add(p);
      gather(
        this.column,
        this.width,
        p * this.rows,
        Math.min(this.rows, header.frames - p * this.rows),
        1,
        this.single,
      )
        .then(
          x => {
            this.keep(p, x);
            events.arrived();
          },
          () => {},
        )
        .finally(() => this.asked.delete(p));
    }
  }
  private keep(p: number, x: Numbers): void {
    this.held.set(p, x);
    if (this.held.size <= this.room) return;
    let far = p;
    for (const k of this.held.keys()) if (Math.abs(k - p) > Math.abs(far - p)) far = k;
    this.held.delete(far);
  }
}

/* ---- what there is from the beginning ---- */

const whole = async (column: number, width: number, count: number, step: number, single: boolean) =>
  column < -1 || !count || !width
    ? new Float32Array(0)
    : gather(column, width, 0, count, step, single).catch(() => new Float32Array(0));

if (served) {
  const r = read.get('')!;
  r.axis = (await whole(-1, 1, header.frames, 1, false)) as Float64Array;
  r.q = (await whole(header.sq < 0 ? -2 : header.sq, header.nq, header.sights, header.stride, true)) as Float32Array;
  const ofModes = async (column: number, width: number) =>
    (await whole(modes && column >= 0 ? column : -2, width, header.sights, header.stride, true)) as Float32Array;
  r.shape = await ofModes(header.sv, header.nv);
  r.quarter = await ofModes(header.sa, header.nv);
  r.roots = await ofModes(header.roots, 5);
  for (const i of header.triangles)
    r.singles.set(`t${i}`, new Float32Array(await ask('triangles', {shape: i}).catch(() => new ArrayBuffer(0))));
  for (const [mesh, sizes] of header.meshSizes.entries())
    for (const [part, rows] of sizes.entries()) {
      const got = rows ? await ask('mesh', {mesh, part}).catch(() => new ArrayBuffer(0)) : new ArrayBuffer(0);
      r.singles.set(`g${mesh}.${part}`, new Float32Array(got));
    }
  load('');
}
/* States between the sights; null where those are all there is. */
export const fine = served && header.stride > 1 && q.length ? new Pieces(header.sq, header.nq, true) : null;

export const columnOf = (s: {block: string}): number => Number(s.block.slice(1));
/* The numbers of a sensor. */
export function sensor(s: Sensor, ids = prefix): Rows {
  const columns = result(ids).columns;
  let c = columns.get(s.block);
  if (!c && served) c = new Pieces(columnOf(s), s.width, false, 1 << 16, 64);
  if (!c) {
    const all = new Float64Array(bytes(ids + s.block)),
      rows: Rows = {
        data: all,
        at: 0,
        find: frame => {
          rows.at = frame * s.width;
          return rows.at < all.length;
        },
      };
    c = rows;
  }
  columns.set(s.block, c);
  return c;
}

/* Numbers in single precision: of fields, of triangles and meshes. A server is asked for a field when it is first
   wanted; nothing until it has come. */
const nothing = new Float32Array(0),
  asked = new Set<Field>();
export function single(block: string, ids = prefix): Float32Array {
  const known = result(ids).singles;
  let c = known.get(block);
  if (!c && served) return nothing;
  if (!c) known.set(block, (c = new Float32Array(bytes(ids + block))));
  return c;
}
export function numbers(f: Field): Float32Array {
  const x = single(f.block);
  if (served && !x.length && !asked.has(f) && performance.now() >= rest) void fetchField(f);
  return x;
}
async function fetchField(f: Field): Promise<void> {
  const column = columnOf(f),
    sights = Math.ceil((header.frames - 1) / header.fieldStride) + 1;
  asked.add(f);
  try {
    const x = await gather(
      column,
      f.components.length * f.points.reduce((a, b) => a + b, 0),
      0,
      sights,
      header.fieldStride,
      true,
    );
    f.range = Array.from(new Float64Array(await ask('range', {column})));
    read.get('')!.singles.set(f.block, x as Float32Array);
    events.arrived();
  } catch {
    /* said by ask(); asked again when it is drawn again */
  } finally {
    asked.delete(f);
  }
}

export const component = (s: Sensor, k: number): string => s.components?.[k] ?? String(k);
export const unit = (s: Sensor, k: number): string => s.units?.[k] ?? '';
