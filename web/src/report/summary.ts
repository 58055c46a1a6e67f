/* What comes first: the figures, the verdicts, the parameters with their intervals; at the end the method. */
import {$, clamp, el, fold, nothing, svg} from './dom';
import {brief, duration, fin, fmt, plural, power, style} from './numbers';
import {peakWords} from './forces';
import {
  Parameter,
  Verdict,
  banner,
  channelsOf,
  experiments,
  histories,
  list,
  objects,
  parameters,
  study,
  text,
} from './study';

export function showHead(): void {
  $('lead').textContent = [study.model, study.method].filter(Boolean).join(' · ');
  if (study.converged === false)
    banner(
      'bad',
      'Not converged.',
      `${text(study.reason, 'the search ended early').replace(/^./, c => c.toUpperCase())}. ` +
        `The numbers below are those of the last step, no estimate to rely on.`,
    );
  const free = parameters.filter(p => !p.experiment).length,
    own = parameters.length - free,
    out = experiments.filter(x => x.hold_out).length;
  const fitted = experiments.filter(x => !x.hold_out).flatMap(channelsOf),
    stated = fitted.some(c => c.sigma_stated),
    fits = fitted.map(c => c.fit_percent).filter(fin);
  const entries: [string, string | null][] = [
    ...histories.slice(0, 2).map((h): [string, string] => [`peak of ${h.key}`, peakWords(h)]),
    ['fit of the worst channel', fits.length ? `${Math.min(...fits).toFixed(1)} %` : null],
    ['residuals in units of the noise', stated && fin(study.rms) ? fmt(study.rms, 3) : null],
    [histories.length === 1 ? 'history' : 'histories', histories.length ? String(histories.length) : null],
    [free === 1 ? 'parameter' : 'parameters', parameters.length ? String(free) : null],
    ['more, of single experiments', own ? String(own) : null],
    [
      (experiments.length === 1 ? 'experiment' : 'experiments') + (out ? `, ${out} held out` : ''),
      String(experiments.length),
    ],
    ['simulations', fin(study.simulations) ? study.simulations.toLocaleString('en') : null],
    ['time', fin(study.seconds) ? duration(study.seconds) : null],
  ];
  for (const [name, value] of entries)
    if (value !== null) $('figures').append(el('div', {}, el('dt', {}, name), el('dd', {}, value)));
}

export function showVerdicts(): void {
  const words: Record<string, string> = {good: 'Good', warning: 'Warning', bad: 'Bad'},
    order = ['bad', 'warning', 'good'],
    all = objects<Verdict>(study.verdicts).sort(
      (a, b) => order.indexOf(text(a.level)) - order.indexOf(text(b.level)),
    );
  if (!all.length) {
    nothing($('verdicts'), 'None.');
    return;
  }
  $('verdicts').append(
    el(
      'ul',
      {class: 'verdicts', role: 'list'},
      ...all.map(v => {
        const level = v.level && v.level in words ? v.level : 'warning';
        return el('li', {class: level}, el('b', {}, words[level]), el('span', {}, text(v.text)));
      }),
    ),
  );
}

/* ---- parameters ---- */

/* The interval on a line from bound to bound where both are known, else on a window around start and estimate. */
function drawInterval(p: Parameter, lo: unknown, hi: unknown): SVGElement | null {
  const log = p.scale === 'log' && [p.estimate, lo].every(v => fin(v) && v > 0),
    T = (v: number) => (log ? Math.log(v) : v);
  const usable = (v: unknown): v is number => fin(v) && (!log || v > 0);
  const bounded = fin(p.lower) && fin(p.upper) && p.lower < p.upper && (!log || p.lower > 0);
  const inside = [lo, hi, p.start, p.estimate].filter(usable).map(T);
  const known = list(p.prior),
    prior = known.length === 2 && known.every(fin) ? [-2, 2].map(k => known[0]! + k * known[1]!).filter(usable) : [];
  if (!inside.length) return null;
  inside.push(...prior.map(T));
  let [a, b] = bounded ? [T(p.lower!), T(p.upper!)] : [Math.min(...inside), Math.max(...inside)];
  if (!bounded) {
    const pad = 0.12 * (b - a) || Math.abs(a) * 0.1 || 1;
    a -= pad;
    b += pad;
  }
  const W = 200,
    x = (v: number) => clamp(6 + ((T(v) - a) / (b - a)) * (W - 12), 2, W - 2),
    s = svg('svg', {class: 'interval', viewBox: `0 0 ${W} 22`, preserveAspectRatio: 'none', 'aria-hidden': 'true'});
  const line = (
    x1: number,
    y1: number,
    x2: number,
    y2: number,
    colour: string,
    width: number,
    more: Record<string, string> = {},
  ) =>
    s.append(
      svg('line', {
        x1,
        y1,
        x2,
        y2,
        stroke: `var(--${colour})`,
        'stroke-width': width,
        'vector-effect': 'non-scaling-stroke',
        ...more,
      }),
    );
  line(6, 11, W - 6, 11, 'line', 2, bounded ? {} : {'stroke-dasharray': '3 3'});
  if (bounded) for (const e of [6, W - 6]) line(e, 5, e, 17, 'soft', 1.5);
  if (prior.length === 2)
    s.append(
      svg('rect', {
        x: x(prior[0]),
        y: 15,
        width: Math.max(x(prior[1]) - x(prior[0]), 2),
        height: 4,
        fill: 'var(--soft)',
        opacity: 0.4,
      }),
    );
  if (fin(lo) && fin(hi))
    s.append(
      svg('rect', {
        x: Math.min(x(lo), W - 5),
        y: 7,
        width: Math.max(x(hi) - x(lo), 3),
        height: 8,
        rx: 2,
        fill: 'var(--fit)',
        opacity: 0.45,
      }),
    );
  if (usable(p.start)) line(x(p.start), 4, x(p.start), 18, 'start', 2);
  if (fin(p.estimate)) line(x(p.estimate), 5, x(p.estimate), 17, 'fit', 3);
  return s;
}

function parameterRow(p: Parameter): HTMLElement {
  const [lo, hi] = list(p.interval).length === 2 ? p.interval! : [null, null],
    f = style(p.estimate, p.std_error),
    unit = power(f.e);
  const error = fin(p.std_error) && p.std_error > 0 ? p.std_error : null,
    open = unit && error !== null ? '(' : '',
    close = open ? ')' : '';
  const relative =
    error !== null && fin(p.estimate) && p.estimate !== 0
      ? ` (${fmt((100 * error) / Math.abs(p.estimate), 2)} %)`
      : '';
  const bound = p.at_bound
    ? el('span', {class: 'tag warning'}, p.at_bound < 0 ? 'at its lower bound' : 'at its upper bound')
    : null;
  const cell = (label: string, attributes: Record<string, string>, ...c: (Node | string)[]) =>
    el('td', {role: 'cell', 'data-label': label, ...attributes}, ...c);
  return el(
    'tr',
    {role: 'row'},
    el(
      'th',
      {scope: 'row', role: 'rowheader'},
      el(
        'span',
        {},
        text(p.name, 'unnamed'),
        el('span', {class: 'soft', 'aria-hidden': 'true'}, ` ${text(p.unit)}`),
        p.experiment ? el('span', {class: 'tag'}, p.experiment) : null,
        bound,
      ),
    ),
    cell('unit', {class: 'unit'}, text(p.unit)),
    cell('start', {class: 'number'}, brief(p.start)),
    cell(
      'estimate',
      {class: 'number'},
      el(
        'span',
        {},
        el('b', {}, open + f.write(p.estimate)),
        error !== null ? ` ± ${f.write(error)}${close}${unit}` : '',
        el('span', {class: 'soft small'}, relative),
      ),
    ),
    cell(
      '95 % interval',
      {class: 'number'},
      fin(lo) || fin(hi) ? `${f.write(lo)} … ${f.write(hi)}${unit}` : 'unknown',
    ),
    cell('', {class: 'drawn'}, drawInterval(p, lo, hi) ?? ''),
  );
}
function parameterTable(rows: Parameter[], caption: string): HTMLElement {
  const head = (name: string, c = '') => el('th', {scope: 'col', role: 'columnheader', class: c}, name);
  return el(
    'table',
    {class: 'parameters', role: 'table'},
    el('caption', {}, caption),
    el(
      'thead',
      {role: 'rowgroup'},
      el(
        'tr',
        {role: 'row'},
        head('Parameter'),
        head('Unit'),
        head('Start', 'number'),
        head('Estimate ± standard error', 'number'),
        head('95 % interval', 'number'),
        head('Drawn'),
      ),
    ),
    el('tbody', {role: 'rowgroup'}, ...rows.map(parameterRow)),
  );
}
export function showParameters(): void {
  const s = $('parameters');
  if (!parameters.length) {
    nothing(s, histories.length ? 'None beside the forces.' : 'None.');
    return;
  }
  const common = parameters.filter(p => !p.experiment),
    own = parameters.filter(p => p.experiment);
  const prior = parameters.some(p => p.prior) ? ', grey box: two standard deviations of what was known before' : '';
  const how =
    'Drawn: blue box and mark, 95 % interval and estimate; orange mark, start; ' +
    `solid line, from the lower to the upper bound (dashed: no bounds)${prior}.`;
  if (common.length) s.append(parameterTable(common, how));
  if (own.length)
    fold(
      s,
      `${plural(own.length, 'parameter')} of single experiments`,
      () => parameterTable(own, common.length ? '' : how),
      own.length <= 8,
    );
}

/* ---- method ---- */

export function showMethod(): void {
  const samples = experiments.reduce(
    (a, x) => a + channelsOf(x).reduce((b, c) => b + list(c.data).filter(fin).length, 0),
    0,
  );
  const facts: [string, string | null | undefined][] = [
    ['Model', study.model],
    ['Method', study.method],
    [
      'Ended',
      `${study.converged === false ? 'not converged' : study.converged ? 'converged' : 'unknown'}` +
        `${study.reason ? ': ' + study.reason : ''}`,
    ],
    [
      'Weighted rms',
      fin(study.rms)
        ? `${fmt(study.rms, 4)} (1: the residuals are what the noise explains, or the noise was found from them)`
        : null,
    ],
    [
      'Data',
      `${plural(experiments.length, 'experiment')}, ${plural(
        experiments.reduce((a, x) => a + channelsOf(x).length, 0),
        'channel',
      )}, ${plural(fin(study.measured) ? study.measured : samples, 'sample')}`,
    ],
    [
      'Unknowns',
      [
        parameters.length || !histories.length ? plural(parameters.length, 'parameter') : null,
        histories.length
          ? `${plural(histories.length, 'history').replace(/ys$/, 'ies')} of ` +
            plural(
              histories.reduce((a, h) => a + (fin(h.values) ? h.values : 0), 0),
              'value',
            )
          : null,
      ]
        .filter(Boolean)
        .join(', '),
    ],
    [
      'Work',
      [
        fin(study.simulations) ? plural(study.simulations, 'simulation') : null,
        list(study.iterations as unknown[]).length
          ? plural(list(study.iterations as unknown[]).length, 'iteration')
          : null,
        fin(study.seconds) ? duration(study.seconds) : null,
      ]
        .filter(Boolean)
        .join(', '),
    ],
  ];
  $('method').append(
    el('dl', {class: 'facts'}, ...facts.filter(f => f[1]).flatMap(f => [el('dt', {}, f[0]), el('dd', {}, f[1])])),
  );
}
