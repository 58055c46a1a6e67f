/* What the page carries: a header in JSON and blocks of numbers as base64, see src/view/page.c. */

export interface Node { name: string; q: number; v: number; size: number; theta: number; at: number[] }
export interface Row { name: string; x: number[] }
export interface Sensor { block: string; width: number; name: string; kind: string | null; components: string[] | null; units: string[] | null }
export interface Header {
  title: string; analysis: string; command: string; file: string; version: string;
  status: number; frames: number; stride: number; sights: number; nq: number; nv: number; axis: string; unit: string | null;
  nodes: Node[]; elements: Row[]; joints: Row[]; shapes: Row[]; bodies: Row[]; sensors: Sensor[];
}

function bytes(id: string): ArrayBuffer {
  const e = document.getElementById(id), text = e?.textContent ?? '';
  const packed = atob(text), out = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i++) out[i] = packed.charCodeAt(i);
  if (e) e.textContent = '';
  return out.buffer;
}

interface Result { header: Header; axis: Float64Array; q: Float32Array; shape: Float32Array; modes: boolean; columns: Map<string, Float64Array> }
const none: Header = {title: '', analysis: '', command: '', file: '', version: '', status: 1, frames: 0, stride: 1, sights: 0, nq: 0, nv: 0, axis: 'time', unit: null,
  nodes: [], elements: [], joints: [], shapes: [], bodies: [], sensors: []};
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
    const h: Header = e ? JSON.parse(e.textContent ?? '{}') : none;
    r = {header: h, axis: new Float64Array(bytes(`${ids}axis`)), q: new Float32Array(bytes(`${ids}sq`)), shape: new Float32Array(bytes(`${ids}sv`)), modes: h.analysis === 'modes', columns: new Map()};
    read.set(ids, r);
  }
  prefix = ids;
  ({header, axis, q, shape, modes} = r);
  return e !== null;
}
load('');

/* All frames of a sensor, frame by frame. */
export function sensor(s: Sensor): Float64Array {
  const columns = read.get(prefix)!.columns;
  let c = columns.get(s.block);
  if (!c) columns.set(s.block, c = new Float64Array(bytes(prefix + s.block)));
  return c;
}
export const component = (s: Sensor, k: number): string => s.components?.[k] ?? String(k);
export const unit = (s: Sensor, k: number): string => s.units?.[k] ?? '';
