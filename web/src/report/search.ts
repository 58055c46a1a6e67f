/* What the data can see, and how the search went. */
import {$, clamp, el, fold, nothing, plainTable} from './dom';
import {Axis} from './axis';
import {brief, fin, fmt, minus, plural} from './numbers';
import {Plot, Series} from './plot';
import {unwatch} from './sight';
import {Direction, Iteration, column, objects, parameters, study, text} from './study';

export function showIdentifiability(): void {
  const s = $('identifiability'),
    every = objects<Direction>(study.identifiability),
    known = every.map(d => d.singular).filter((v): v is number => fin(v) && v > 0);
  if (!every.length) {
    nothing(s, 'Not known.');
    return;
  }
  const hi = Math.max(...known),
    lo = Math.min(...known),
    a = Math.floor(Math.log10(lo)) - 0.5,
    b = Math.log10(hi);
  s.append(
    el(
      'p',
      {class: 'soft small'},
      'Combinations of parameters from the best to the worst determined; singular values on a logarithmic scale. ' +
        (known.length > 1 ? `Largest by smallest: ${fmt(hi / lo, 2)}.` : ''),
    ),
  );
  const item = (d: Direction) => {
    const weights = Object.entries(d.weights ?? {})
      .filter((w): w is [string, number] => fin(w[1]))
      .sort((p, q) => Math.abs(q[1]) - Math.abs(p[1]))
      .slice(0, 5);
    const value = fin(d.singular) ? d.singular : NaN,
      share = value > 0 ? clamp((100 * (Math.log10(value) - a)) / (b - a || 1), 0, 100) : 0;
    return el(
      'li',
      {class: value < 1e-4 * hi || !(value > 0) ? 'weak' : ''},
      el('span', {class: 'value'}, fmt(value, 3)),
      el('span', {class: 'track', 'aria-hidden': 'true'}, el('i', {style: `width: ${share}%`})),
      el(
        'span',
        {class: 'words'},
        text(d.words),
        weights.length
          ? el(
              'span',
              {class: 'soft small'},
              (d.words ? ' — ' : '') + weights.map(w => `${w[0]} ${minus(w[1].toFixed(2))}`).join(', '),
            )
          : null,
      ),
    );
  };
  const few = 12,
    rows = (part: Direction[]) => el('ul', {class: 'singular', role: 'list'}, ...part.map(item));
  if (every.length > few) fold(s, `${every.length - few} better determined ones`, () => rows(every.slice(0, -few)));
  s.append(rows(every.slice(-few)));
}

const palette = 'fit start good violet bad teal pink soft'.split(' ');

/* Where a stage of the search begins. */
function stages(all: Iteration[]): {x: number; text: string}[] {
  const word = (k: Iteration) =>
    [fin(k.stage) ? `stage ${k.stage}` : k.stage, fin(k.horizon) ? `to ${brief(k.horizon, 3)} s` : null]
      .filter(v => v !== null && v !== undefined && v !== '')
      .join(' ');
  return all.flatMap((it, i) => (i && word(it) !== word(all[i - 1]) ? [{x: i - 0.5, text: word(it)}] : []));
}

function showPaths(plots: HTMLElement, all: Iteration[], x: Float64Array, axis: Axis): void {
  const n = all.length,
    names = [...new Set(all.flatMap(i => Object.keys(i.parameters ?? {})))];
  if (!names.length) return;
  const room = el('div', {style: 'min-width: 0'}),
    select = el(
      'select',
      {'aria-label': 'Path of which parameter'},
      el('option', {value: ''}, `paths of ${names.length > 8 ? 'the first 8' : 'all'}, by last value`),
      ...names.map(m => el('option', {value: m}, m)),
    );
  const show = () => {
    unwatch(room);
    room.replaceChildren();
    const one = select.value;
    const series: Series[] = (one ? [one] : names.slice(0, 8)).map((m, k) => {
      const y = column(
          all.map(i => i.parameters?.[m]),
          n,
        ),
        end = y[n - 1];
      return {name: m, kind: 'line', dots: true, colour: palette[k], y: one || !end ? y : y.map(v => v / end)};
    });
    const log = !one && series.every(q => q.y.every(v => !(v <= 0)));
    new Plot(room, {
      name: one || 'Parameters by their last value',
      unit: one ? text(parameters.find(p => p.name === one)?.unit) : '',
      x,
      axis,
      xName: 'iteration',
      log,
      height: 240,
      series,
      label: 'Paths of the parameters by iteration',
    });
  };
  select.onchange = show;
  plots.append(el('div', {style: 'min-width: 0'}, room, select));
  show();
}

export function showIterations(): void {
  const s = $('iterations'),
    all = objects<Iteration>(study.iterations),
    n = all.length;
  if (!n) {
    nothing(s, 'None.');
    return;
  }
  const x = Float64Array.from(all, (_, i) => i),
    axis = new Axis(0, Math.max(n - 1, 1)),
    plots = el('div', {class: 'plots'});
  s.append(plots);
  const cost = column(
      all.map(i => i.cost),
      n,
    ),
    rms = column(
      all.map(i => i.rms),
      n,
    );
  const series: Series[] = [{name: 'cost', kind: 'line', dots: true, y: cost, colour: 'fit'}];
  if (rms.some(fin)) series.push({name: 'rms', kind: 'line', dots: true, y: rms, colour: 'start', thin: true});
  new Plot(plots, {
    name: 'Cost',
    x,
    axis,
    xName: 'iteration',
    log: true,
    marks: stages(all),
    height: 240,
    series,
    label: `Cost by iteration, from ${fmt(cost[0], 3)} to ${fmt(cost[n - 1], 3)}`,
  });
  showPaths(plots, all, x, axis);
  const keys = ['iteration', 'stage', 'horizon', 'cost', 'rms', 'step', 'damping'];
  const write = (v: unknown) => (Number.isInteger(v) ? String(v) : typeof v === 'number' ? fmt(v) : text(v, '–'));
  fold(s, `${plural(n, 'iteration')} as a table`, () =>
    plainTable(
      'Iterations',
      keys,
      all.map(it => keys.map(k => write(it[k]))),
    ),
  );
}
