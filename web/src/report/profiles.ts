/* Profile likelihood: how fast the fit becomes worse with one parameter held, and all others as good as can be. */
import {$, el} from './dom';
import {Axis} from './axis';
import {brief, fin, fmt, style} from './numbers';
import {Plot} from './plot';
import {Parameter, fullName, list, parameters, text} from './study';

const chiSquare95 = 3.841; /* of one degree of freedom */

/* Points of the curve whose value and cost are known, by value. */
function pointsOf(p: Parameter): [number, number][] {
  const cost = list(p.profile?.cost);
  return list(p.profile?.value)
    .map((v, i): [unknown, unknown] => [v, cost[i]])
    .filter((q): q is [number, number] => fin(q[0]) && fin(q[1]))
    .sort((a, b) => a[0] - b[0]);
}

function show(plots: HTMLElement, p: Parameter): void {
  const points = pointsOf(p),
    [lo, hi] = list(p.interval),
    limit = fin(p.profile?.limit) ? 2 * p.profile.limit : chiSquare95,
    f = style(p.estimate, p.std_error),
    unit = text(p.unit);
  const marks = [
    {at: lo, word: ''},
    {at: p.estimate, word: f.e ? brief(p.estimate) : f.write(p.estimate)},
    {at: hi, word: ''},
  ].flatMap(m => (fin(m.at) ? [{x: m.at, text: m.word}] : []));
  const ends = [...points.map(q => q[0]), ...marks.map(m => m.x)];
  new Plot(plots, {
    name: fullName(p),
    unit,
    height: 190,
    x: Float64Array.from(points, q => q[0]),
    xName: unit && unit !== '1' ? `${text(p.name)} (${unit})` : text(p.name, 'value'),
    axis: new Axis(Math.min(...ends), Math.max(...ends)),
    marks,
    series: [
      {name: '95 %', kind: 'line', y: Float64Array.from(points, () => limit), colour: 'start', thin: true},
      {
        name: 'twice the cost above the minimum',
        kind: 'line',
        dots: true,
        y: Float64Array.from(points, q => 2 * q[1]),
        colour: 'fit',
      },
    ],
    label:
      `Profile of ${fullName(p)}: twice the cost above its minimum, ${fmt(limit, 3)} at the ends of the ` +
      `95 % interval, ${fin(lo) ? brief(lo) : 'open'} to ${fin(hi) ? brief(hi) : 'open'} ${unit}`,
  });
}

/* Nothing where no profiles were asked for. */
export function showProfiles(): void {
  const all = parameters.filter(p => pointsOf(p).length > 1);
  if (!all.length) return;
  const plots = el('div', {class: 'plots'});
  $('parameters').append(
    el('h3', {id: 'profiles'}, 'Profile likelihood'),
    el(
      'p',
      {class: 'soft small'},
      'Each parameter held at values about its estimate, all others fitted again. Dashed: the estimate, the 95 % ' +
        'interval, and the line that the curve crosses there, at 3.84 for white noise of known size, higher where ' +
        'the residuals are correlated or few. A curve unlike a parabola: a standard error says too little. One that ' +
        'stays below the line to one side: the data set no limit there.',
    ),
    plots,
  );
  for (const p of all) show(plots, p);
}
