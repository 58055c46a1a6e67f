/* The page of a comparison: which of several studies do the data support? */
import {Axis} from './axis';
import {$, el, nothing, plainTable} from './dom';
import {fin, fmt, plural, probability} from './numbers';
import {Plot, Series} from './plot';
import {showFigures, showSections} from './sections';
import {banner, column, list, objects, study, text} from './study';

type Numbers = (number | null)[] | null;
interface Contender {
  study?: string | null;
  title?: string | null;
  report?: string | null;
  rank?: number | null;
  converged?: boolean | null;
  unknowns?: number | null;
  log_likelihood?: number | null;
  aic?: number | null;
  aicc?: number | null;
  bic?: number | null;
  weight_bic?: number | null;
  relative_rms?: number | null;
  hold_out_rms?: number | null;
  verdicts?: {warning?: number | null; bad?: number | null} | null;
}
interface Ratio {
  smaller?: string | null;
  larger?: string | null;
  freed?: string[] | null;
  degrees?: number | null;
  chi_square?: number | null;
  p_value?: number | null;
}
interface Compared {
  name?: string | null;
  sort?: string | null;
  hold_out?: boolean | null;
  t?: Numbers;
  channels?: {name?: string | null; unit?: string | null; data?: Numbers; fits?: Numbers[] | null}[] | null;
}
interface Comparison {
  best?: string | null;
  stopped?: boolean | null;
  measured?: number | null;
  effective?: number | null;
  studies?: unknown;
  ratios?: unknown;
  reports?: (string | null)[] | null; /* of the studies, in their order */
  experiments?: unknown;
}
const colours = ['fit', 'start', 'violet', 'teal', 'pink', 'positive', 'negative'];

const nameOf = (c: Contender): string => text(c.study, 'unnamed');
function reportOf(c: Contender): HTMLElement | string {
  return c.report ? el('a', {href: c.report}, 'report') : '–';
}

function criteria(all: Contender[]): void {
  const best = all[0],
    above = (v: unknown, least: unknown) =>
      fin(v) && fin(least) ? `${v >= least ? '+' : ''}${fmt(v - least, 4)}` : '–',
    held = all.some(c => fin(c.hold_out_rms));
  const head = ['Study', 'Unknowns', 'Residual', 'log L', 'AIC', 'AICc', 'BIC', 'Weight'].concat(
    held ? ['Held out'] : [],
    ['Verdicts', 'Report'],
  );
  const table = plainTable(
    'Criteria',
    head,
    all.map(c =>
      fin(c.rank)
        ? [
            nameOf(c) + (c.converged === false ? ' (not converged)' : ''),
            String(c.unknowns ?? '–'),
            fmt(c.relative_rms, 4),
            fmt(c.log_likelihood, 6),
            above(c.aic, best.aic),
            above(c.aicc, best.aicc),
            above(c.bic, best.bic),
            fin(c.weight_bic) ? c.weight_bic.toFixed(3) : '–',
            ...(held ? [fmt(c.hold_out_rms, 4)] : []),
            `${c.verdicts?.bad ?? 0} bad, ${plural(c.verdicts?.warning ?? 0, 'warning')}`,
            '',
          ]
        : [nameOf(c), ...head.slice(2, -1).map(() => '–'), 'stopped', ''],
    ),
  );
  table.querySelectorAll('tbody tr').forEach((row, i) => row.lastElementChild!.replaceChildren(reportOf(all[i])));
  $('criteria').append(
    el(
      'p',
      {class: 'soft small'},
      'The best first. Residuals (and those of experiments held out) in units of the best one’s noise; AIC, AICc ' +
        'and BIC above the best one’s; the weight is the part of the evidence that BIC gives to it.',
    ),
    table,
  );
}

function ratios(all: Ratio[]): void {
  if (!all.length) {
    nothing($('ratios'), 'None of the studies is another one with some unknowns fixed.');
    return;
  }
  const says = (r: Ratio) =>
    !fin(r.chi_square) || !fin(r.p_value)
      ? '–'
      : r.chi_square < -0.1
        ? `${text(r.larger)} has missed its minimum`
        : r.p_value < 0.01
          ? `the data want ${text(r.larger)}`
          : r.p_value < 0.05
            ? 'the data hardly tell'
            : `the data do not need more than ${text(r.smaller)}`;
  $('ratios').append(
    plainTable(
      'Likelihood ratios',
      ['Smaller', 'Larger', 'Freed', 'χ²', 'Degrees of freedom', 'p', 'It says'],
      all.map(r => [
        text(r.smaller),
        text(r.larger),
        list(r.freed).join(', '),
        fmt(r.chi_square, 4),
        String(r.degrees ?? '–'),
        probability(r.p_value),
        says(r),
      ]),
    ),
  );
}

/* Data with all fits, and what each leaves, channel by channel. */
function experiment(x: Compared, ranked: Contender[], order: number[]): void {
  const t = column(x.t, list(x.t).length),
    axis = new Axis(Math.min(...t), Math.max(...t)),
    plots = el('div', {class: 'plots'}),
    xName = x.sort === 'modes' ? 'row' : x.sort === 'frf' ? 'f (Hz)' : 't (s)',
    dots = x.sort === 'modes';
  $('fits').append(el('h3', {}, text(x.name) + (x.hold_out ? ' (held out)' : '')), plots);
  for (const c of objects<NonNullable<Compared['channels']>[number]>(x.channels)) {
    const data = column(c.data, t.length),
      fits = order.map(i => column(list(c.fits)[i], t.length)),
      line = (y: Float64Array, i: number): Series => ({
        name: nameOf(ranked[i]),
        kind: 'line',
        dots,
        y,
        colour: colours[i % colours.length],
        thin: i > 0,
      }),
      common = {unit: text(c.unit), x: t, xName, axis};
    new Plot(plots, {
      ...common,
      name: text(c.name),
      series: [{name: 'data', kind: 'points', y: data, colour: 'data'}, ...fits.map(line)],
    });
    new Plot(plots, {
      ...common,
      name: `${text(c.name)}: fit less data`,
      height: 170,
      series: fits.map((f, i) =>
        line(
          f.map((v, k) => v - data[k]),
          i,
        ),
      ),
    });
  }
}

export function showComparison(): void {
  const c = study as Comparison,
    all = objects<Contender>(c.studies).map((s, i) => ({...s, report: list(c.reports)[i]})),
    order = all.map((_, i) => i).sort((i, j) => (all[i].rank ?? Infinity) - (all[j].rank ?? Infinity)),
    sorted = order.map(i => all[i]),
    ranked = sorted.filter(s => fin(s.rank));
  showSections([
    ['criteria', 'Criteria'],
    ['ratios', 'Likelihood ratios'],
    ['fits', 'Fits and residuals'],
  ]);
  if (c.stopped)
    banner('bad', 'Stopped.', `${ranked.length} of ${all.length} studies were finished; the others are not ranked.`);
  const best = ranked[0],
    lead = ranked.length > 1 && fin(ranked[1].bic) && fin(best.bic) ? ranked[1].bic - best.bic : null;
  if (best && fin(lead))
    banner(
      lead < 2 ? 'warning' : 'good',
      lead < 2 ? 'Undecided.' : 'Decided.',
      lead < 2
        ? `The data hardly tell ${nameOf(best)} and ${nameOf(ranked[1])} apart: BIC differs by ${fmt(lead, 2)}.`
        : `${nameOf(best)} is what the data support: the BIC of ${nameOf(ranked[1])} is ${fmt(lead, 4)} higher.`,
    );
  if (best?.verdicts?.bad)
    banner('bad', 'Not to be trusted.', `The report of ${nameOf(best)} has what is wrong with it.`);
  showFigures([
    ['studies', String(all.length)],
    ['measured numbers', fin(c.measured) ? c.measured.toLocaleString('en') : null],
    [
      'independent ones',
      fin(c.effective) && fin(c.measured) && c.effective < 0.99 * c.measured ? fmt(c.effective, 4) : null,
    ],
  ]);
  criteria(sorted);
  ratios(objects<Ratio>(c.ratios));
  const shown = objects<Compared>(c.experiments);
  if (!shown.length) nothing($('fits'), 'None.');
  for (const x of shown) experiment(x, ranked, order.slice(0, ranked.length));
}
