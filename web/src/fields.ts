/* What elements are coloured by and arrows are as long as: numbers of the result's fields at a frame, and the colour maps. */
import * as THREE from 'three';
import {Field, header, modes, prefixes, result, single} from './data';

export const scalars: Record<string, {label: string; signed: (planar: boolean) => boolean}> = {
  axial: {label: 'axial force', signed: () => true}, shear: {label: 'shear force', signed: planar => planar}, torsion: {label: 'torsion', signed: () => true},
  bending: {label: 'bending moment', signed: planar => planar}, stress: {label: 'largest normal stress', signed: () => false}, energy: {label: 'elastic energy', signed: () => false}};

/* The field of that name, if the page has its numbers. */
export const fieldOf = (name: string): Field | undefined => modes ? undefined : header.fields.find(f => f.name === name && single(f.block).length > 0);

/* Smallest and largest number over all frames of all results; symmetric about zero where both signs have a meaning. */
export function rangeOf(name: string, planar: boolean): [number, number] {
  let low = Infinity, high = -Infinity;
  for (const p of prefixes) for (const f of result(p).header.fields) if (f.name === name) { low = Math.min(low, f.range[0] ?? low); high = Math.max(high, f.range[1] ?? high); }
  if (!(high >= low)) return [0, 1];
  const most = Math.max(Math.abs(low), Math.abs(high));
  return scalars[name].signed(planar) ? [-most, most] : [0, high];
}

/* Number k of a field at a frame, which may lie between two. */
export function at(f: Field, frame: number, k: number): number {
  const y = single(f.block), width = f.per * f.rows.length, last = header.frames - 1, stride = header.fieldStride;
  const i = Math.floor(frame / stride), from = i * stride, to = Math.min(from + stride, last), a = y[Math.min(i * width + k, y.length - width + k)], b = y[(i + 1) * width + k];
  return b === undefined || to <= from || frame <= from ? a : a + (b - a) * Math.min((frame - from) / (to - from), 1);
}

/* ---- colours ---- */

/* From low to high, even for those who do not see red or green: both ends differ in blue, or the lightness goes one way. */
const maps = {
  light: {signed: ['#0b3c8c', '#4d8fd6', '#c3c8cf', '#e08a3c', '#8f3405'], plain: ['#ddd6bd', '#f0b84a', '#d9702a', '#9c3420', '#4d1424']},
  dark: {signed: ['#8cc4ff', '#3f83d1', '#4b5361', '#c9712b', '#ffbe80'], plain: ['#453d4a', '#7d3c42', '#c45a35', '#f0a03f', '#fff0b0']}};
export let dark = false;
export function setDark(on: boolean): void { dark = on; }
const stops = (signed: boolean): string[] => maps[dark ? 'dark' : 'light'][signed ? 'signed' : 'plain'];
export const gradient = (signed: boolean): string => `linear-gradient(to right, ${stops(signed).join(', ')})`;

/* x from 0 to 1; mixed as the page's gradient is, in sRGB. */
const ends = [new THREE.Color(), new THREE.Color()];
export function colour(x: number, signed: boolean, out: THREE.Color): void {
  const list = stops(signed), u = Math.min(Math.max(x, 0), 1) * (list.length - 1), k = Math.min(Math.floor(u), list.length - 2);
  ends[0].set(list[k]).convertLinearToSRGB();
  ends[1].set(list[k + 1]).convertLinearToSRGB();
  out.copy(ends[0]).lerp(ends[1], u - k).convertSRGBToLinear();
}
export const missing = (): string => dark ? '#5d6470' : '#a9b0ba';
