/* What chose the weight of a history's smoothness: the L-curve, or the score of the weights that were tried. */
import {Axis} from './axis';
import {el} from './dom';
import {fin, scientific} from './numbers';
import {Plot} from './plot';
import {History, column, list, text} from './study';

interface Choice {
  title: string;
  score: string;
  words: string;
}
const choices: Record<string, Choice> = {
  likelihood: {
    title: 'Weight by likelihood',
    score: '−2 log likelihood above its least',
    words: 'Taken is the weight under which the data are most likely, whatever the history.',
  },
  gcv: {
    title: 'Weight by cross-validation',
    score: 'score',
    words:
      'Taken is the weight that predicts each measured number best from all others (generalised cross-validation).',
  },
  l_curve: {
    title: 'L-curve',
    score: 'roughness',
    words:
      'Taken is the corner of the L. Up along its steep branch the history gets rougher and follows the noise; ' +
      'out along its flat branch it gets too stiff to follow the force, and the misfit grows.',
  },
  discrepancy: {
    title: 'Weight by the discrepancy principle',
    score: 'distance of the misfit from the noise',
    words: 'Taken is the largest weight whose residuals are no larger than the noise.',
  },
};
const sides = ' Further left the history follows the noise, further right it is too stiff to follow the force.';

interface Point {
  x: number;
  y: number;
  weight: number;
  taken: boolean;
}
function pointsOf(h: History): Point[] {
  const c = h.smoothing?.curve ?? {},
    n = list(c.weight).length,
    weight = column(c.weight, n),
    score = column(c.score, n),
    misfit = column(c.misfit, n),
    roughness = column(c.roughness, n),
    corner = h.smoothing?.chosen_by === 'l_curve',
    least = score.reduce((a, v) => (fin(v) ? Math.min(a, v) : a), Infinity),
    base = h.smoothing?.chosen_by === 'likelihood' ? least : 0;
  return Array.from(weight, (w, i) => ({
    x: Math.log10(corner ? misfit[i] : w),
    y: corner ? roughness[i] : score[i] - base,
    weight: w,
    taken: i === c.chosen,
  }))
    .filter(p => fin(p.x) && fin(p.y) && !(corner && p.y <= 0))
    .sort((a, b) => a.x - b.x);
}

/* What is within reach of the choice at first: scores far from it are larger by orders, and the L is lost where all of
   it is shown. */
function near(points: Point[], corner: boolean): [number, number] {
  const first = points[0].x,
    last = points[points.length - 1].x,
    taken = points.find(p => p.taken)?.x;
  if (taken === undefined) return [first, last];
  if (!corner) return [taken - 2.5, taken + 2.5];
  const end = Math.min(last, Math.max(taken + 0.2, first + 4 * (taken - first)));
  return [first - 0.05 * (end - first), end];
}

export function smoothingOf(room: HTMLElement, h: History): void {
  const s = h.smoothing;
  if (!s) return;
  const how = choices[text(s.chosen_by)],
    points = pointsOf(h),
    taken = points.findIndex(p => p.taken),
    weight = `weight ${scientific(s.weight)}`,
    kind = `${text(s.kind).replace('_', ' ').replace('tik', 'Tik')}${fin(s.order) ? ` of order ${s.order}` : ''}`;
  if (!how || points.length < 2) {
    room.append(
      el('p', {class: 'soft small'}, `Smoothness: ${kind}, ${weight}${how ? '' : ', given by the study'}.`),
    );
    return;
  }
  const corner = s.chosen_by === 'l_curve',
    log = corner || (s.chosen_by === 'gcv' && points.every(p => p.y > 0)),
    range = near(points, corner),
    axis = new Axis(Math.min(points[0].x, corner ? range[0] : Infinity), points[points.length - 1].x),
    box = el('div', {style: 'min-width: 0'});
  room.append(box);
  new Plot(box, {
    name: how.title,
    height: 210,
    x: Float64Array.from(points, p => p.x),
    xName: corner ? 'misfit' : 'weight',
    axis,
    powers: true,
    log,
    zero: !log,
    spots: taken >= 0 ? [{x: points[taken].x, y: points[taken].y, text: `taken: ${weight}`}] : [],
    series: [{name: how.score, kind: 'line', y: Float64Array.from(points, p => p.y), colour: 'fit'}],
    label: `${how.title} of ${h.name}: ${how.score} over the ${corner ? 'misfit' : 'weight'}; taken is ${weight}`,
  });
  axis.set(...range);
  const end =
    s.curve?.chosen === 0 || s.curve?.chosen === list(s.curve?.weight).length - 1
      ? ' It is the last that was tried: the data do not choose it.'
      : '';
  box.append(el('p', {class: 'soft small'}, `Smoothness: ${kind}. ${how.words}${corner ? '' : sides}${end}`));
}
