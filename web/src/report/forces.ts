/* Forces that were sought: each history with its band, its spectrum, what chose its smoothness, its series, and the
   evidence of the places where it may act. */
import {$, clamp, el, fold, plainTable} from './dom';
import {Axis} from './axis';
import {brief, fin, fmt, plural, power, probability, style} from './numbers';
import {Plot, Series} from './plot';
import type {Told} from './motion';
import {unwatch} from './sight';
import {smoothingOf} from './smoothing';
import {History, Line, column, experiments, histories, list, nameOf, objects, study, text} from './study';

const z95 = 1.96;
const unitOf = (h: History): string => (text(h.unit) && h.unit !== '1' ? ` ${h.unit}` : '');

/* ---- in words ---- */

/* A value with its standard error and unit. */
function withError(value: unknown, error: unknown, unit: string): string {
  if (!fin(error) || error <= 0) return fmt(value, 4) + unit;
  const f = style(value, error),
    ten = power(f.e);
  return `${ten ? '(' : ''}${f.write(value)} ± ${f.write(error)}${ten ? `)${ten}` : ''}${unit}`;
}
/* Root mean square; not a number where one of them is none. */
const rms = (a: Float64Array): number => Math.sqrt(a.reduce((s, v) => s + v * v, 0) / (a.length || NaN));

const linesOf = (h: History): [number, number][] => {
  const amplitude = list(h.lines?.amplitude);
  return list(h.lines?.frequency)
    .map((f, i): [unknown, unknown] => [f, amplitude[i]])
    .filter((q): q is [number, number] => fin(q[0]) && fin(q[1]));
};
export const peakWords = (h: History): string => withError(h.peak?.value, h.peak?.std_error, unitOf(h));

/* How well the sensors saw it; error: root mean square of its standard error. */
function seenWords(h: History, error: number): string {
  const part = fin(h.rms) && h.rms > 0 ? error / h.rms : Infinity,
    lost = (fin(h.determined) && h.determined < 0.5) || part >= 1,
    how = lost ? 'Not seen' : part < 0.1 ? 'Well seen' : part < 0.3 ? 'Seen' : 'Poorly seen';
  const told = [
    fin(error)
      ? `${how} by the sensors: its standard error is ${fmt(error, 2)}${unitOf(h)}` +
        `${fin(part) ? `, ${fmt(100 * part, 2)} % of its rms,` : ''} on average`
      : 'Its standard error is not known',
    fin(h.determined) && fin(h.values) && !objects(h.terms).length
      ? `the data determine ${Math.round(h.determined)} of its ${plural(h.values, 'value')}` +
        (h.smoothing ? ', the rest comes from its smoothness' : '')
      : '',
  ];
  return `${told.filter(Boolean).join('; ')}.`;
}
function wordsOf(h: History, late: number): string[] {
  const unit = unitOf(h),
    out: string[] = [],
    lines = linesOf(h).slice(0, 3),
    n = list(h.value).length;
  if (!(fin(h.rms) && h.rms > 0)) out.push('Nothing was found: it is 0 all the time.');
  else {
    const at = fin(h.peak?.t) ? ` at ${brief(h.peak.t - late, 4)} s` : '';
    out.push(`Peak ${peakWords(h)}${at}, rms ${brief(h.rms, 3)}${unit}.`);
    if (lines.length && !(fin(h.line_share) && h.line_share < 0.7))
      out.push(
        `Main frequenc${lines.length > 1 ? 'ies' : 'y'} ` +
          `${lines.map(([f, a]) => `${brief(f, 3)} Hz (${brief(a, 3)}${unit})`).join(', ')}.`,
      );
    else if (list(h.spectrum?.frequency).length)
      out.push('No main frequency: its spectrum is broad, as of a transient.');
  }
  if (fin(h.truth_inside))
    out.push(
      `Compared with the truth: ${fin(h.truth_error) ? `off by ${fmt(100 * h.truth_error, 2)} % of its rms; ` : ''}` +
        `the 95 % band holds it ${fmt(100 * h.truth_inside, 2)} % of the time.`,
    );
  out.push(seenWords(h, rms(column(h.std_error, n))));
  return out;
}

/* ---- plots ---- */

/* A course at the times x: as it is where it has no times of its own, else in straight lines between them. */
function courseAt(c: History['filtered'], x: Float64Array): Float64Array | null {
  if (!c) return null;
  if (Array.isArray(c)) return c.length ? column(c, x.length) : null;
  const n = Math.min(list(c.t).length, list(c.value).length),
    t = column(c.t, n),
    y = column(c.value, n);
  let k = 0;
  if (!n) return null;
  return x.map(v => {
    while (k < n - 1 && t[k + 1] < v) k++;
    if (v < t[0] - 1e-9 * (t[n - 1] - t[0]) || v > t[n - 1] + 1e-9 * (t[n - 1] - t[0])) return NaN;
    const part = k < n - 1 ? clamp((v - t[k]) / (t[k + 1] - t[k]), 0, 1) : 0;
    return part > 0 ? y[k] + part * (y[k + 1] - y[k]) : y[k];
  });
}

/* The history with its band; small: beside the mechanism. */
export function plotHistory(room: HTMLElement, h: History, axis: Axis, late: number, small = false): void {
  const n = Math.min(list(h.t).length, list(h.value).length),
    y = column(h.value, n),
    half = column(h.std_error, n).map(v => z95 * Math.abs(v)),
    own = column(h.t, n),
    x = own.map(v => v - late),
    peak = h.peak;
  const series: Series[] = [
    {name: '', kind: 'band', y, half, soft: true},
    {name: 'value ± 95 %', kind: 'line', y, half, colour: 'fit'},
  ];
  const thin = (name: string, c: Float64Array | null, ink: string, soft: boolean) => {
    if (c && !small) series.push({name, kind: 'line', y: c, colour: ink, thin: true, soft});
  };
  thin('filtered', courseAt(h.filtered, own), 'start', true);
  thin('window by window', courseAt(h.windows, own), 'violet', true);
  thin('truth', courseAt(h.truth, own), 'good', false);
  const bounds = list(h.pieces).length ? list(h.pieces) : list(h.windows?.bounds);
  const top = fin(peak?.t) && fin(peak.value) && peak.value !== 0;
  new Plot(room, {
    name: small ? h.name : `${h.name} over time`,
    unit: text(h.unit),
    note: small ? 'sought' : 'with its 95 % band',
    height: small ? 150 : 250,
    x,
    axis,
    marks: small ? [] : bounds.flatMap(v => (fin(v) ? [{x: v - late, text: ''}] : [])),
    spots: top && !small ? [{x: peak!.t! - late, y: peak!.value!, text: `peak ${brief(peak!.value, 4)}`}] : [],
    series,
    label: `${h.name} over time with its 95 % band: peak ${peakWords(h)}`,
  });
}

/* As far as there is something to be seen, at first. */
function rangeOf(f: Float64Array, a: Float64Array, lines: [number, number][]): number {
  const all = a.reduce((s, v) => s + (fin(v) ? v * v : 0), 0),
    last = f[f.length - 1];
  let sum = 0,
    k = 0;
  while (k < a.length - 1 && (sum += fin(a[k]) ? a[k] * a[k] : 0) < 0.995 * all) k++;
  return clamp(Math.max(1.4 * f[k], 1.25 * Math.max(0, ...lines.map(l => l[0]))), f[Math.min(8, f.length - 1)], last);
}
function plotSpectrum(room: HTMLElement, h: History): void {
  const s: Line = h.spectrum ?? {},
    n = Math.min(list(s.frequency).length, list(s.amplitude).length);
  if (n < 2) return;
  const f = column(s.frequency, n),
    a = column(s.amplitude, n),
    lines = linesOf(h),
    axis = new Axis(f[0], f[n - 1]);
  new Plot(room, {
    name: 'Spectrum',
    unit: text(h.unit),
    height: 210,
    x: f,
    xName: 'f (Hz)',
    axis,
    zero: true,
    spots: lines.map(([x, y]) => ({x, y, text: `${brief(x, 3)} Hz`})),
    series: [{name: 'amplitude', kind: 'line', dots: true, y: a, colour: 'fit'}],
    label:
      `Spectrum of ${h.name}` +
      (lines.length ? `: peaks at ${lines.map(l => `${brief(l[0], 3)} Hz`).join(', ')}` : ''),
  });
  axis.set(f[0], rangeOf(f, a, lines));
}

/* ---- tables ---- */

type Term = Record<string, unknown>;

function showTerms(room: HTMLElement, h: History): void {
  const terms = objects<Term>(h.terms),
    unit = text(h.unit) && h.unit !== '1' ? ` (${h.unit})` : '',
    separate = terms.some(t => fin(t.cosine_frequency));
  if (!terms.length) return;
  const cell = (t: Term, key: string) => (fin(t[key]) ? withError(t[key], t[`${key}_std_error`], '') : '–'),
    size = (v: unknown) => (fin(v) ? v : 0);
  room.append(
    el('h4', {}, `${h.name} as a series`),
    plainTable(
      `Terms of ${h.name}`,
      [
        'Frequency (Hz)',
        `Sine${unit}`,
        ...(separate ? ['Frequency of the cosine (Hz)'] : []),
        `Cosine${unit}`,
        `Amplitude${unit}`,
      ],
      [
        ...(fin(h.offset)
          ? [['constant', '–', ...(separate ? ['–'] : []), withError(h.offset, h.offset_std_error, ''), '–']]
          : []),
        ...terms.map(t => [
          cell(t, 'frequency'),
          cell(t, 'sine'),
          ...(separate ? [cell(t, 'cosine_frequency')] : []),
          cell(t, 'cosine'),
          separate ? '–' : fmt(Math.hypot(size(t.sine), size(t.cosine)), 4),
        ]),
      ],
    ),
  );
  if (h.terms_because) room.append(el('p', {class: 'soft small'}, text(h.terms_because)));
}

interface Place {
  node?: unknown;
  name?: unknown;
  evidence?: unknown;
  probability?: unknown;
  rms?: unknown;
}
const few = 12;

function showPlaces(section: HTMLElement): void {
  const all = objects<Place>(study.places).sort(
    (a, b) => (fin(b.probability) ? b.probability : -1) - (fin(a.probability) ? a.probability : -1),
  );
  if (!all.length) return;
  const node = (p: Place) => text(p.node ?? p.name, 'unnamed'),
    best = all.reduce((m, p) => (fin(p.evidence) ? Math.max(m, p.evidence) : m), -Infinity);
  const bar = (p: Place) =>
    el(
      'li',
      {},
      el('span', {class: 'value'}, node(p)),
      el(
        'span',
        {class: 'track', 'aria-hidden': 'true'},
        el('i', {style: `width: ${fin(p.probability) ? clamp(100 * p.probability, 0, 100) : 0}%`}),
      ),
      el('span', {class: 'words'}, probability(p.probability)),
    );
  section.append(
    el('h3', {id: 'places'}, 'Where it acts'),
    el(
      'p',
      {class: 'soft small'},
      'Probability of each place, all of them equally likely before the data. The evidence is the logarithm of how ' +
        'likely the data are with the force there, whatever its history; 3 less is twenty times less likely.',
    ),
    el('ul', {class: 'singular places', role: 'list'}, ...all.slice(0, few).map(bar)),
  );
  fold(section, `${plural(all.length, 'place')} as a table`, () =>
    plainTable(
      'Places',
      ['Node', 'Probability', 'Evidence', 'Less than the best by', 'Residuals (rms)'],
      all.map(p => [
        node(p),
        probability(p.probability),
        fmt(p.evidence, 6),
        fin(p.evidence) ? fmt(best - p.evidence, 4) : '–',
        fmt(p.rms, 4),
      ]),
    ),
  );
}

/* ---- the section ---- */

const room = el('div');
let choice: HTMLSelectElement | null = null;

/* Histories of an experiment; where they do not say, they are of all. */
export const historiesOf = (i: number): History[] =>
  histories.filter(h => !text(h.experiment) || experiments.length < 2 || h.experiment === experiments[i]?.name);

/* For the clock of the mechanism. */
export const toldOf = (h: History, late: number): Told => {
  const n = Math.min(list(h.t).length, list(h.value).length);
  return {name: h.name, unit: unitOf(h), t: column(h.t, n).map(v => v - late), y: column(h.value, n)};
};

function showOne(h: History, axis: Axis, late: number): void {
  const plots = el('div', {class: 'plots'}),
    box = el(
      'div',
      {class: 'force', 'data-history': h.key},
      el('h3', {}, h.name, h.form ? el('span', {class: 'tag'}, text(h.form)) : null),
      ...wordsOf(h, late).map(w => el('p', {class: 'fact'}, w)),
    );
  room.append(box);
  plotHistory(box, h, axis, late);
  box.append(plots);
  plotSpectrum(plots, h);
  smoothingOf(plots, h);
  showTerms(box, h);
}
/* Those of the experiment that is shown, over its axis; late: from the data's clock to the model's. */
export function showHistories(i: number, axis: Axis, late: number): void {
  if (!histories.length) return;
  if (choice) choice.value = String(i);
  unwatch(room);
  room.replaceChildren();
  for (const h of historiesOf(i)) showOne(h, axis, late);
  if (!room.childNodes.length) room.append(el('p', {class: 'soft'}, 'None was sought in this experiment.'));
}

/* Nothing where no histories were sought. */
export function showForces(): void {
  if (!histories.length && !objects(study.places).length) return;
  const section = el('section', {id: 'forces'}, el('h2', {}, 'Forces'));
  $('parameters').before(section);
  document
    .querySelector('nav a[href="#parameters"]')
    ?.parentElement?.before(el('li', {}, el('a', {href: '#forces'}, 'Forces')));
  if (histories.length && experiments.length > 1) {
    choice = el(
      'select',
      {'aria-label': 'Forces of which experiment'},
      ...experiments.map((x, i) => el('option', {value: i}, nameOf(x, i))),
    );
    choice.onchange = () => {
      const s = $('choice') as HTMLSelectElement;
      s.value = choice!.value;
      s.dispatchEvent(new Event('change'));
    };
    section.append(el('div', {class: 'bar'}, 'Experiment ', choice));
  }
  section.append(room);
  showPlaces(section);
  if (experiments.length) return; /* it comes with the experiment */
  const t = histories.flatMap(h => list(h.t).filter(fin)),
    axis = new Axis(
      t.length ? t.reduce((a, v) => Math.min(a, v)) : 0,
      t.length ? t.reduce((a, v) => Math.max(a, v)) : 1,
    );
  showHistories(0, axis, 0);
  axis.show(axis.rest);
}
