/* What elements are coloured by and arrows are as long as: numbers of the result's fields at a frame, and the colour
   maps. */
import * as THREE from 'three';
import {Field, header, modes, numbers, result, served, single, together} from './data';

export const scalars: Record<string, {label: string; signed: (planar: boolean) => boolean}> = {
  axial: {label: 'axial force', signed: () => true},
  shear: {label: 'shear force', signed: planar => planar},
  torsion: {label: 'torsion', signed: () => true},
  bending: {label: 'bending moment', signed: planar => planar},
  stress: {label: 'largest normal stress', signed: () => false},
  energy: {label: 'elastic energy', signed: () => false},
};

/* The field of that name, if the page has its numbers or can ask for them. */
export const fieldOf = (name: string): Field | undefined =>
  modes ? undefined : header.fields.find(f => f.name === name && (served || single(f.block).length > 0));

/* Smallest and largest number over all frames of all results; symmetric about zero where both signs have a meaning. */
export function rangeOf(name: string, planar: boolean): [number, number] {
  let low = Infinity,
    high = -Infinity;
  for (const p of together())
    for (const f of result(p).header.fields)
      if (f.name === name) {
        low = Math.min(low, f.range[0] ?? low);
        high = Math.max(high, f.range[1] ?? high);
      }
  if (!(high >= low)) return [0, 1];
  const most = Math.max(Math.abs(low), Math.abs(high));
  return scalars[name].signed(planar) ? [-most, most] : [0, high];
}

/* Which of a field's rows is about an element. */
const places = new Map<Field, Map<number, number>>();
export function rowOf(f: Field, element: number): number | undefined {
  let p = places.get(f);
  if (!p) places.set(f, (p = new Map(f.rows.map((r, i) => [r, i]))));
  return p.get(element);
}

/* Number k of a field at a frame, which may lie between two; not a number as long as a server has not given it. */
export function at(f: Field, frame: number, k: number): number {
  const y = numbers(f),
    width = f.per * f.rows.length,
    last = header.frames - 1,
    stride = header.fieldStride;
  const i = Math.floor(frame / stride),
    from = i * stride,
    to = Math.min(from + stride, last),
    a = y[Math.min(i * width + k, y.length - width + k)],
    b = y[(i + 1) * width + k];
  if (a === undefined) return NaN;
  return b === undefined || to <= from || frame <= from ? a : a + (b - a) * Math.min((frame - from) / (to - from), 1);
}

/* ---- colours ---- */

/* From low to high, even for those who do not see red or green: both ends differ in blue, or the lightness goes one
   way. */
const maps = {
  light: {
    signed: ['#0b3c8c', '#4d8fd6', '#adb4be', '#dd8433', '#8f3405'],
    plain: ['#cbbf97', '#eeb040', '#d9702a', '#9c3420', '#4d1424'],
  },
  dark: {
    signed: ['#8cc4ff', '#4f8fdc', '#7b8492', '#d68442', '#ffc48a'],
    plain: ['#6a6070', '#9a5560', '#d0693f', '#f5a745', '#fff3b8'],
  },
};
export let dark = false;
export function setDark(on: boolean): void {
  dark = on;
}
const stops = (signed: boolean): string[] => maps[dark ? 'dark' : 'light'][signed ? 'signed' : 'plain'];
export const gradient = (signed: boolean): string => `linear-gradient(to right, ${stops(signed).join(', ')})`;

/* Colours from x = 0 to 1 in equal steps, linear, three numbers each; mixed as the page's gradient is, in sRGB. The
   last is that of what has no number. */
const STEPS = 2048,
  tables = new Map<string, Float32Array>();
export function table(signed: boolean): Float32Array {
  const key = `${dark} ${signed}`,
    known = tables.get(key);
  if (known) return known;
  const list = stops(signed).map(s => new THREE.Color(s).convertLinearToSRGB()),
    out = new Float32Array(3 * (STEPS + 1)),
    c = new THREE.Color();
  for (let i = 0; i < STEPS; i++) {
    const u = (i / (STEPS - 1)) * (list.length - 1),
      k = Math.min(Math.floor(u), list.length - 2);
    c.copy(list[k])
      .lerp(list[k + 1], u - k)
      .convertSRGBToLinear()
      .toArray(out, 3 * i);
  }
  c.set(missing()).toArray(out, 3 * STEPS);
  tables.set(key, out);
  return out;
}
/* Where in the table. */
export const entry = (x: number): number =>
  x === x ? 3 * Math.round(Math.min(Math.max(x, 0), 1) * (STEPS - 1)) : 3 * STEPS;
export const missing = (): string => (dark ? '#58606c' : '#d3d7de');
