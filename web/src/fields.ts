/* What elements are coloured by and arrows are as long as: numbers of the result's fields at a frame, and the colour
   maps. */
import * as THREE from 'three';
import {Field, header, modes, numbers, q, result, served, single, together} from './data';
import {declared} from './declarations';
import {largest} from './skins';
import {Swing, swingOf} from './swings';

/* The field of that name, if the page has its numbers or can ask for them. */
export const fieldOf = (name: string): Field | undefined =>
  modes ? undefined : header.fields.find(f => f.name === name && (served || single(f.block).length > 0));

/* One number at each point to colour by: a component of a field, or (part -1) the amount of several. Its key is what
   the page's address calls it. */
export interface Scalar {
  key: string;
  label: string;
  field: string;
  part: number;
}
/* What no field has: how far points of meshes are from the form that these keep without their modes. */
const deformation: Scalar = {key: 'deformation', label: 'deformation', field: '', part: 0};
/* Of modes: how far points go, as a part of the largest. */
const displacement: Scalar = {key: 'displacement', label: 'displacement, of the largest', field: '', part: 0};
const swings = (): boolean => modes && header.frames > 0 && q.length > 0;
const deforms = (): boolean => !modes && q.length > 0 && declared(header).meshes.some(m => m.modes);
export const scalars = (): Scalar[] => [
  ...(swings() ? [displacement] : []),
  ...(deforms() ? [deformation] : []),
  ...ofFields(),
];
const ofFields = (): Scalar[] =>
  header.fields.flatMap(({name: field, doc, of, style, components}): Scalar[] => {
    if (of !== 'elements' || style === 'force' || !fieldOf(field)) return [];
    const label = doc || field;
    if (components.length < 2) return [{key: field, label, field, part: 0}];
    return [
      {key: field, label: `${label}, amount`, field, part: -1},
      ...components.map((c, part) => ({key: `${field}.${c}`, label: `${label} ${c}`, field, part})),
    ];
  });
export const scalarOf = (key: string): Scalar => scalars().find(s => s.key === key)!;
export const unitOf = (s: Scalar): string =>
  s === displacement ? '1' : s === deformation ? 'm' : (fieldOf(s.field)?.unit ?? '');
/* Both signs have a meaning. */
export const signed = (s: Scalar): boolean => s.part >= 0 && fieldOf(s.field)?.style === 'signed';

/* Whether colours go from the smallest to the largest number of the frame shown, or of the whole run; and of the
   frame, of all results. */
export let ofFrame = false;
let spread: [number, number] | null = null;
export function rangeByFrame(on: boolean): void {
  ofFrame = on;
  spread = null;
}
export const ranges = (s: Scalar): boolean => s.field !== ''; /* those that know both */
export function begin(): void {
  spread = null;
}
/* The numbers of a frame of the result at hand count. */
export function widen(key: string, frame: number): void {
  const s = scalarOf(key),
    f = s && fieldOf(s.field);
  if (!ofFrame || !f) return;
  const painting = new Painting(key, frame, [0, 1]);
  for (const row of f.rows) {
    const x = painting.read(row);
    for (let i = 0; x && i < painting.points; i++)
      if (Number.isFinite(x[i]))
        spread = spread ? [Math.min(spread[0], x[i]), Math.max(spread[1], x[i])] : [x[i], x[i]];
  }
}

/* Smallest and largest number over all frames of all results, or of the frame; symmetric about zero where both signs
   have a meaning. */
export function rangeOf(s: Scalar): [number, number] {
  let low = Infinity,
    high = -Infinity;
  if (s === displacement) return [0, 1];
  if (ofFrame && ranges(s) && spread) {
    const [a, b] = spread,
      top = Math.max(Math.abs(a), Math.abs(b));
    return signed(s) ? [-top, top] : [a, b > a ? b : a + (Math.abs(a) || 1)];
  }
  if (s === deformation) return [0, Math.max(...together().map(largest)) || 1];
  for (const p of together())
    for (const f of result(p).header.fields)
      if (f.name === s.field) {
        const at = 2 * (s.part < 0 ? f.components.length : s.part);
        low = Math.min(low, f.range[at] ?? low);
        high = Math.max(high, f.range[at + 1] ?? high);
      }
  if (!(high >= low)) return [0, 1];
  const most = Math.max(Math.abs(low), Math.abs(high));
  return signed(s) ? [-most, most] : [0, high];
}

/* Where a field has its numbers about an element or joint: point by point, all components. */
interface Place {
  first: number;
  points: number;
}
const places = new Map<Field, {of: Map<number, Place>; width: number}>();
function placesOf(f: Field): {of: Map<number, Place>; width: number} {
  let p = places.get(f);
  if (!p) {
    p = {of: new Map(), width: 0};
    for (const [i, row] of f.rows.entries()) {
      p.of.set(row, {first: p.width, points: f.points[i]});
      p.width += f.points[i] * f.components.length;
    }
    places.set(f, p);
  }
  return p;
}

/* The numbers of a field at a frame, which may lie between two; not a number as long as a server has not given it. */
export function sample(f: Field, frame: number): (k: number) => number {
  const y = numbers(f),
    width = placesOf(f).width,
    stride = header.fieldStride,
    i = Math.floor(frame / stride),
    from = i * stride,
    to = Math.min(from + stride, header.frames - 1),
    part = to <= from || frame <= from ? 0 : Math.min((frame - from) / (to - from), 1),
    a = Math.min(i * width, y.length - width),
    b = (i + 1) * width;
  return k => {
    const p = y[a + k],
      next = part > 0 ? y[b + k] : undefined;
    return p === undefined ? NaN : next === undefined ? p : p + (next - p) * part;
  };
}

const none = (key: string): Scalar => ({key, label: '', field: key, part: 0});

/* The colours of a frame: read() gives the places in the colour map, from 0 to 1, of all points of an element, as many
   as `points` then says; the array is the same at each call. */
export class Painting {
  points = 0;
  readonly colours: Float32Array;
  readonly deformation: boolean; /* of meshes, which know it themselves */
  readonly swing: Swing | null; /* of modes */
  private f: Field | undefined;
  private part: number;
  private low: number;
  private scale: number;
  private number: (k: number) => number;
  private x = new Float64Array(16);

  constructor(key: string, frame: number, [low, high] = rangeOf(scalarOf(key) ?? none(key))) {
    const s = scalarOf(key) ?? none(key);
    this.swing = s === displacement ? swingOf(frame) : null;
    this.deformation = s === deformation;
    this.f = fieldOf(s.field);
    this.number = this.f ? sample(this.f, frame) : () => NaN;
    this.part = s.part;
    this.low = low;
    this.scale = 1 / (high - low || 1);
    this.colours = table(signed(s));
  }

  /* Where in the colour map a number is. */
  scaled(y: number): number {
    return (y - this.low) * this.scale;
  }
  read(element: number): Float64Array | undefined {
    const way = this.swing?.elements.get(element);
    if (way) {
      this.points = way.length;
      return way;
    }
    const {f, part, number} = this,
      p = f && placesOf(f).of.get(element);
    if (!f || !p) return undefined;
    const n = f.components.length;
    this.points = p.points;
    if (this.x.length < p.points) this.x = new Float64Array(p.points);
    for (let i = 0; i < p.points; i++) {
      const k = p.first + i * n;
      let y = 0;
      if (part >= 0) y = number(k + part);
      else {
        for (let j = k; j < k + n; j++) y += number(j) ** 2;
        y = Math.sqrt(y);
      }
      this.x[i] = this.scaled(y);
    }
    return this.x;
  }
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
const stops = (both: boolean): string[] => maps[dark ? 'dark' : 'light'][both ? 'signed' : 'plain'];
export const gradient = (s: Scalar): string => `linear-gradient(to right, ${stops(signed(s)).join(', ')})`;

/* Colours from x = 0 to 1 in equal steps, linear, three numbers each; mixed as the page's gradient is, in sRGB. The
   last is that of what has no number. */
export const STEPS = 2048;
const tables = new Map<string, Float32Array>();
function table(both: boolean): Float32Array {
  const key = `${dark} ${both}`,
    known = tables.get(key);
  if (known) return known;
  const list = stops(both).map(s => new THREE.Color(s).convertLinearToSRGB()),
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
