/* What the page carries: a header in JSON and blocks of numbers as base64, see src/view/page.c. */

export interface Node { name: string; q: number; v: number; size: number; theta: number; at: number[] }
export interface Row { name: string; x: number[] }
export interface Sensor { block: string; width: number; name: string; kind: string | null; components: string[] | null; units: string[] | null }
/* per 1 or 2: numbers of an element, or of its ends, range: smallest and largest; per 3 or 6: force and moment, range: largest
   of both. rows: in elements, of reactions in joints. */
export interface Field { name: string; unit: string | null; block: string; per: number; range: [number | null, number | null]; rows: number[] }
export interface Header {
  title: string; analysis: string; command: string; file: string; version: string;
  source?: string; status: number; frames: number; stride: number; sights: number; nq: number; nv: number; axis: string; unit: string | null;
  nodes: Node[]; elements: Row[]; joints: Row[]; shapes: Row[]; bodies: Row[]; sensors: Sensor[];
  pins: number[][]; loads: number[][]; sections: number[][]; triangles: number[]; fieldStride: number; fields: Field[];
}

function bytes(id: string): ArrayBuffer {
  const e = document.getElementById(id), text = e?.textContent ?? '';
  const packed = atob(text), out = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i++) out[i] = packed.charCodeAt(i);
  if (e) e.textContent = '';
  return out.buffer;
}

interface Result { header: Header; axis: Float64Array; q: Float32Array; shape: Float32Array; modes: boolean; columns: Map<string, Float64Array>; singles: Map<string, Float32Array> }
const none: Header = {title: '', analysis: '', command: '', file: '', version: '', status: 1, frames: 0, stride: 1, sights: 0, nq: 0, nv: 0, axis: 'time', unit: null,
  nodes: [], elements: [], joints: [], shapes: [], bodies: [], sensors: [],
  pins: [], loads: [], sections: [], triangles: [], fieldStride: 1, fields: []};
const read = new Map<string, Result>();
let prefix = '';

export let header: Header, axis: Float64Array, q: Float32Array, modes: boolean;
export let shape: Float32Array; /* of modes */

/* From now on the result whose ids begin so is the one that everything here tells of; false: there is none. Of a page
   with several results; whoever has drawn the one before begins anew (restart() of pose.ts, a new Scene). */
export function load(ids: string): boolean {
  const e = document.getElementById(`${ids}header`);
  let r = read.get(ids);
  if (!r) {
    const h: Header = {...none, ...e ? JSON.parse(e.textContent ?? '{}') : {}}; /* older pages have less */
    r = {header: h, axis: new Float64Array(bytes(`${ids}axis`)), q: new Float32Array(bytes(`${ids}sq`)), shape: new Float32Array(bytes(`${ids}sv`)), modes: h.analysis === 'modes', columns: new Map(), singles: new Map()};
    read.set(ids, r);
  }
  prefix = ids;
  ({header, axis, q, shape, modes} = r);
  return e !== null;
}
load('');
/* All results of the page; the first is the one that leads. */
export const prefixes: string[] = [''];
while (document.getElementById(`r${prefixes.length}.header`)) prefixes.push(`r${prefixes.length}.`);
export const current = (): string => prefix;
/* A result of the page, without making it the one that everything tells of. */
export function result(ids: string): Readonly<Result> {
  if (!read.has(ids)) { const before = prefix; load(ids); load(before); }
  return read.get(ids)!;
}

/* Numbers in single precision: of fields, of triangles. */
export function single(block: string): Float32Array {
  const known = read.get(prefix)!.singles;
  let c = known.get(block);
  if (!c) known.set(block, c = new Float32Array(bytes(prefix + block)));
  return c;
}
/* All frames of a sensor, frame by frame. */
export function sensor(s: Sensor, ids = prefix): Float64Array {
  const columns = result(ids).columns;
  let c = columns.get(s.block);
  if (!c) columns.set(s.block, c = new Float64Array(bytes(ids + s.block)));
  return c;
}
export const component = (s: Sensor, k: number): string => s.components?.[k] ?? String(k);
export const unit = (s: Sensor, k: number): string => s.units?.[k] ?? '';
