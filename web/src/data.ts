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

export const header: Header = JSON.parse(document.getElementById('header')?.textContent ?? '{}');
export const axis = new Float64Array(bytes('axis'));
export const q = new Float32Array(bytes('sq'));
export const shape = new Float32Array(bytes('sv')); /* of modes */
export const modes = header.analysis === 'modes';

const columns = new Map<string, Float64Array>();
/* All frames of a sensor, frame by frame. */
export function sensor(s: Sensor): Float64Array {
  let c = columns.get(s.block);
  if (!c) columns.set(s.block, c = new Float64Array(bytes(s.block)));
  return c;
}
export const component = (s: Sensor, k: number): string => s.components?.[k] ?? String(k);
export const unit = (s: Sensor, k: number): string => s.units?.[k] ?? '';
