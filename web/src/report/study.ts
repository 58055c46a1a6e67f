/* The study that the page carries: docs/report.md. Whatever is missing or null is left out. */
import {$, el} from './dom';
import {fin} from './numbers';

type Maybe<T> = T | null | undefined;
/* The cost above its minimum with the parameter held at values; limit: at the ends of the 95 % interval. */
export interface Profile {
  limit?: Maybe<number>;
  value?: Maybe<Maybe<number>[]>;
  cost?: Maybe<Maybe<number>[]>;
}
export interface Parameter {
  name: Maybe<string>;
  unit: Maybe<string>;
  start: Maybe<number>;
  estimate: Maybe<number>;
  std_error: Maybe<number>;
  interval: Maybe<Maybe<number>[]>;
  lower: Maybe<number>;
  upper: Maybe<number>;
  scale: Maybe<string>;
  prior: Maybe<Maybe<number>[]>;
  at_bound: Maybe<number>;
  experiment: Maybe<string>;
  shown?: Maybe<{unit?: Maybe<string>; factor?: Maybe<number>}>;
  profile?: Maybe<Profile>;
}
export interface Whiteness {
  statistic?: Maybe<number>;
  p_value?: Maybe<number>;
  lags?: Maybe<Maybe<number>[]>;
  limit?: Maybe<number>;
}
export interface Channel {
  name: string;
  unit: string;
  data: Maybe<Maybe<number>[]>;
  fit: Maybe<Maybe<number>[]>;
  start: Maybe<Maybe<number>[]>;
  residual: Maybe<Maybe<number>[]>;
  sigma: Maybe<number>;
  sigma_stated?: Maybe<boolean>;
  noise_seen?: Maybe<number>;
  noise_like?: Maybe<boolean>;
  fit_percent?: Maybe<number>;
  rms: Maybe<number>;
  whiteness: Maybe<Whiteness>;
}
export interface Effort {
  name: string;
  unit: string;
  t: Maybe<Maybe<number>[]>;
  y: Maybe<Maybe<number>[]>;
  band: Maybe<Maybe<number>[]>;
}
/* A measured mode and the model's. */
export interface Mode {
  row: Maybe<number>;
  mode: Maybe<number>;
  measured_frequency: Maybe<number>;
  frequency: Maybe<number>;
  measured_damping: Maybe<number>;
  damping: Maybe<number>;
  mac: Maybe<number>;
}
export interface Experiment {
  name: Maybe<string>;
  sort?: Maybe<string>; /* time_series, modes, frf */
  modes?: unknown;
  hold_out: Maybe<boolean>;
  rows?: Maybe<number>;
  t: Maybe<Maybe<number>[]>;
  channels: Maybe<unknown[]>;
  efforts: Maybe<unknown[]>;
}
/* A spectrum, or its lines: Hz, and the amplitude of the sine. */
export interface Line {
  frequency?: Maybe<Maybe<number>[]>;
  amplitude?: Maybe<Maybe<number>[]>;
}
export interface Smoothing {
  kind?: Maybe<string>;
  order?: Maybe<number>;
  chosen_by?: Maybe<string>;
  weight?: Maybe<number>;
  curve?: Maybe<{
    chosen?: Maybe<number>;
    weight?: Maybe<Maybe<number>[]>;
    misfit?: Maybe<Maybe<number>[]>;
    roughness?: Maybe<Maybe<number>[]>;
    score?: Maybe<Maybe<number>[]>;
  }>;
}
/* Values at times of their own; bounds: of windows. */
export interface Course {
  t?: Maybe<Maybe<number>[]>;
  value?: Maybe<Maybe<number>[]>;
  bounds?: Maybe<Maybe<number>[]>;
}
/* A history that was sought; key: its name in study.json, name: without the experiment. */
export interface History {
  key: string;
  name: string;
  unit?: Maybe<string>;
  form?: Maybe<string>;
  experiment?: Maybe<string>;
  t?: Maybe<Maybe<number>[]>;
  value?: Maybe<Maybe<number>[]>;
  std_error?: Maybe<Maybe<number>[]>;
  filtered?: Maybe<Maybe<number>[] | Course>; /* by a Kalman filter */
  windows?: Maybe<Course>; /* found window after window, before all was fitted together */
  truth?: Maybe<Maybe<number>[]>;
  truth_error?: Maybe<number>;
  truth_inside?: Maybe<number>;
  pieces?: Maybe<Maybe<number>[]>; /* bounds of windows */
  values?: Maybe<number>;
  determined?: Maybe<number>;
  rms?: Maybe<number>;
  peak?: Maybe<{t?: Maybe<number>; value?: Maybe<number>; std_error?: Maybe<number>}>;
  lines?: Maybe<Line>;
  line_share?: Maybe<number>;
  spectrum?: Maybe<Line>;
  smoothing?: Maybe<Smoothing>;
  terms?: unknown;
  terms_because?: Maybe<string>;
  offset?: Maybe<number>;
  offset_std_error?: Maybe<number>;
}
export interface Direction {
  singular: Maybe<number>;
  words: Maybe<string>;
  weights: Maybe<Record<string, Maybe<number>>>;
}
export interface Iteration {
  stage: Maybe<number | string>;
  horizon: Maybe<number>;
  cost: Maybe<number>;
  rms: Maybe<number>;
  parameters: Maybe<Record<string, Maybe<number>>>;
  [key: string]: unknown;
}
export interface Verdict {
  level: Maybe<string>;
  text: Maybe<string>;
}
interface Study {
  page?: Maybe<string>; /* comparison, design; else a report */
  candidates?: unknown;
  sensors?: unknown;
  sizes?: unknown;
  rates?: unknown;
  model?: Maybe<string>;
  method?: Maybe<string>;
  converged?: Maybe<boolean>;
  reason?: Maybe<string>;
  rms?: Maybe<number>;
  measured?: Maybe<number>;
  simulations?: Maybe<number>;
  seconds?: Maybe<number>;
  verdicts?: unknown;
  parameters?: unknown;
  histories?: unknown;
  places?: unknown;
  correlation?: Maybe<Maybe<Maybe<number>[]>[]>;
  identifiability?: unknown;
  iterations?: unknown;
  experiments?: unknown;
}

export const list = <T>(a: Maybe<T[]>): T[] => (Array.isArray(a) ? a : []);
export const objects = <T>(a: unknown): T[] => list(a as unknown[]).filter(v => v && typeof v === 'object') as T[];
export const text = (s: unknown, other = ''): string =>
  s === null || s === undefined || s === '' ? other : String(s);
export const column = (a: Maybe<ArrayLike<unknown>>, n: number): Float64Array =>
  Float64Array.from({length: n}, (_, i) => {
    const v = a?.[i];
    return typeof v === 'number' ? v : NaN;
  });

export function banner(level: string, word: string, message: string): void {
  $('banner').append(el('p', {class: `banner ${level}`, role: 'status'}, el('b', {}, word), el('span', {}, message)));
}

export let study: Study = {};
try {
  const read: unknown = JSON.parse($('study').textContent ?? '');
  if (read && typeof read === 'object') study = read;
} catch (e) {
  banner('bad', 'No data.', `The study in this page cannot be read: ${(e as Error).message}`);
}
/* A parameter in the unit that it was written in. */
function inShownUnit(p: Parameter): Parameter {
  const f = p.shown?.factor,
    by = (v: Maybe<number>) => (fin(v) && fin(f) ? v / f : v);
  if (!fin(f) || f <= 0) return p;
  return {
    ...p,
    unit: text(p.shown?.unit),
    start: by(p.start),
    estimate: by(p.estimate),
    std_error: by(p.std_error),
    interval: p.interval ? list(p.interval).map(by) : p.interval,
    lower: by(p.lower),
    upper: by(p.upper),
    prior: p.prior ? list(p.prior).map(by) : p.prior,
    profile: p.profile ? {...p.profile, value: list(p.profile.value).map(by)} : p.profile,
  };
}
export const parameters = objects<Parameter>(study.parameters).map(inShownUnit);
export const experiments = objects<Experiment>(study.experiments);
const isObject = (v: unknown): v is Record<string, unknown> => !!v && typeof v === 'object' && !Array.isArray(v);
export const histories: History[] = Object.entries(isObject(study.histories) ? study.histories : {}).flatMap(
  ([key, h]) => {
    if (!isObject(h)) return [];
    const end = `[${text(h.experiment)}]`;
    return [{...h, key, name: key.endsWith(end) ? key.slice(0, -end.length) : key} as History];
  },
);
export const fullName = (p: Parameter): string =>
  text(p.name, 'unnamed') + (p.experiment ? ` (${p.experiment})` : '');
const named = <T extends {name: unknown; unit: unknown}>(a: unknown): T[] =>
  objects<T>(a).map(c => ({...c, name: text(c.name, 'unnamed'), unit: text(c.unit)}));
export const channelsOf = (x: Experiment): Channel[] => named<Channel>(x.channels);
export const modesOf = (x: Experiment): Mode[] => objects<Mode>(x.modes);
export const effortsOf = (x: Experiment): Effort[] => named<Effort>(x.efforts);
export const nameOf = (x: Experiment, i: number): string => text(x.name, `experiment ${i + 1}`);

const square = (c: Channel): {sum: number; n: number} =>
  list(c.residual).reduce((a: {sum: number; n: number}, r) => (fin(r) ? {sum: a.sum + r * r, n: a.n + 1} : a), {
    sum: 0,
    n: 0,
  });
/* Root mean square of the residuals in units of the noise, of a channel or of several. */
export function rmsOf(...channels: Channel[]): number {
  const all = channels.map(square),
    n = all.reduce((a, q) => a + q.n, 0);
  return n ? Math.sqrt(all.reduce((a, q) => a + q.sum, 0) / n) : NaN;
}
