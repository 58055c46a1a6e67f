/* Experiments of modes and frequency responses: measured and fitted modes side by side, responses as amplitude and
   phase. */
import {el} from './dom';
import {Axis} from './axis';
import {brief, fin, fmt} from './numbers';
import {Plot, Series} from './plot';
import {Channel, Experiment, Mode, column, modesOf} from './study';

const percent = (now: unknown, was: unknown): string =>
  fin(now) && fin(was) && was !== 0 ? `${fmt(100 * (now / was - 1), 2)} %` : '';

/* A table of the modes: those measured, and those of the model they were paired with. */
export function showModes(room: HTMLElement, x: Experiment): void {
  const modes = modesOf(x),
    damped = modes.some(m => fin(m.measured_damping)),
    shaped = modes.some(m => fin(m.mac));
  const head = ['row', 'mode', 'measured', 'model', 'difference'];
  if (damped) head.push('damping measured', 'model');
  if (shaped) head.push('MAC');
  const cell = (v: unknown, unit = ''): HTMLElement => el('td', {class: 'number'}, fin(v) ? brief(v, 5) + unit : '');
  const line = (m: Mode): HTMLElement =>
    el(
      'tr',
      {},
      cell(m.row),
      cell(m.mode),
      cell(m.measured_frequency, ' Hz'),
      cell(m.frequency, ' Hz'),
      el('td', {class: 'number'}, percent(m.frequency, m.measured_frequency)),
      ...(damped ? [cell(m.measured_damping), cell(m.damping)] : []),
      ...(shaped ? [el('td', {class: 'number'}, fin(m.mac) ? m.mac.toFixed(4) : '')] : []),
    );
  room.append(
    el(
      'div',
      {class: 'scroll'},
      el(
        'table',
        {class: 'modes'},
        el('thead', {}, el('tr', {}, ...head.map(h => el('th', {scope: 'col', class: 'number'}, h)))),
        el('tbody', {}, ...modes.map(line)),
      ),
    ),
  );
}

/* The channels of one response: amplitude alone, or both parts. */
interface Response {
  name: string;
  unit: string;
  re?: Channel;
  im?: Channel;
  abs?: Channel;
}

function responsesOf(channels: Channel[]): Response[] {
  const all = new Map<string, Response>();
  for (const c of channels) {
    const dot = c.name.lastIndexOf('.'),
      name = c.name.slice(0, dot),
      part = c.name.slice(dot + 1) as 're' | 'im' | 'abs';
    const r = all.get(name) ?? {name, unit: c.unit};
    r[part] = c;
    all.set(name, r);
  }
  return [...all.values()];
}

type Which = 'data' | 'fit' | 'start';

/* Amplitude in dB and phase in degrees; with one part only, that part. */
function show(plots: HTMLElement, r: Response, f: Float64Array, axis: Axis): void {
  const n = f.length,
    part = (c: Channel | undefined, which: Which): Float64Array => column(c?.[which], n);
  const plot = (name: string, unit: string, of: (which: Which) => Float64Array): void => {
    const series: Series[] = [
      {name: 'data', kind: 'points', y: of('data'), colour: 'data'},
      {name: 'start', kind: 'line', y: of('start'), colour: 'start', thin: true, soft: true},
      {name: 'fit', kind: 'line', y: of('fit'), colour: 'fit'},
    ];
    new Plot(plots, {
      name,
      unit,
      x: f,
      xName: 'f (Hz)',
      axis,
      series,
      label: `${name} over frequency: data, fit, start`,
    });
  };
  if (r.re && r.im) {
    const both = (which: Which, of: (a: number, b: number) => number): Float64Array => {
      const a = part(r.re, which),
        b = part(r.im, which);
      return a.map((v, i) => of(v, b[i]));
    };
    plot(`${r.name} amplitude`, `dB of ${r.unit}`, which => both(which, (a, b) => 20 * Math.log10(Math.hypot(a, b))));
    const phase = (which: Which): Float64Array => both(which, (a, b) => (Math.atan2(b, a) * 180) / Math.PI),
      fit = phase('fit');
    /* whole turns are chosen for the data to be near the fit */
    plot(`${r.name} phase`, 'deg', which =>
      phase(which).map((v, i) => (fin(fit[i]) ? v - 360 * Math.round((v - fit[i]) / 360) : v)),
    );
    return;
  }
  if (r.abs) plot(`${r.name} amplitude`, `dB of ${r.unit}`, which => part(r.abs, which).map(v => 20 * Math.log10(v)));
  if (r.re) plot(`${r.name} real part`, r.unit, which => part(r.re, which));
  if (r.im) plot(`${r.name} imaginary part`, r.unit, which => part(r.im, which));
}

export function showResponses(room: HTMLElement, channels: Channel[], f: Float64Array, axis: Axis): void {
  const plots = el('div', {class: 'plots'});
  room.append(plots);
  for (const r of responsesOf(channels)) show(plots, r, f, axis);
}

const unit = (c: Channel): string => (c.unit && c.unit !== '1' ? ' ' + c.unit : '');

/* Residuals in units of the noise, one plot a column. */
export function showRows(room: HTMLElement, channels: Channel[], t: Float64Array, axis: Axis, xName: string): void {
  room.append(
    el('h3', {id: 'residuals'}, 'Residuals'),
    el('p', {class: 'soft small'}, 'Fit less data, in standard deviations of the noise; the band is ±2.'),
  );
  const plots = el('div', {class: 'plots'});
  room.append(plots);
  for (const c of channels)
    new Plot(plots, {
      name: c.name,
      note: `rms ${fmt(c.rms, 3)}${unit(c)}, σ = ${brief(c.sigma, 3)}${unit(c)}`,
      height: 150,
      x: t,
      xName,
      axis,
      shade: [-2, 2],
      series: [{name: 'residual', kind: 'points', y: column(c.residual, t.length), colour: 'data'}],
      label: `Residuals of ${c.name}; rms ${fmt(c.rms, 3)}`,
    });
}
