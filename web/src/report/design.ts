/* The page of a designed experiment: sensors, standard errors to expect, excitation, duration. */
import {$, clamp, el, nothing, plainTable, svg} from './dom';
import {brief, fin, fmt} from './numbers';
import {showFigures, showSections} from './sections';
import {banner, list, objects, study, text} from './study';
import {showVerdicts} from './summary';

type Errors = Record<string, number | null> | null;
interface Sensor {
  name?: string | null;
  chosen?: boolean | null;
  channels?: {name?: string | null; unit?: string | null; noise?: number | null}[] | null;
  adds?: number | null;
  std_errors_with_it?: Errors;
  std_errors_without_it?: Errors;
}
interface Unknown {
  unit?: string | null;
  value?: number | null;
  std_error?: number | null;
  std_error_all_candidates?: number | null;
  goal?: number | null;
  reached?: boolean | null;
  std_error_worst_draw?: number | null;
}
interface Design {
  study?: string | null;
  criterion?: string | null;
  function?: string | null;
  goals?: number | null;
  reached?: boolean | null;
  stopped?: boolean | null;
  duration?: number | null;
  rate?: number | null;
  longest?: number | null;
  highest_rate?: number | null;
  efficiency_at_least?: number | null;
  simulations?: number | null;
  excitation?: Record<string, {unit?: string; value?: number; lower?: number; upper?: number}> | null;
  sensors?: unknown;
  sizes?: unknown;
  rates?: unknown;
  parameters?: Record<string, Unknown> | null;
}

const percent = (part: unknown): string => (fin(part) ? `${fmt(100 * part, 3)} %` : 'not seen');
/* A standard error relative to the value, where that is not zero. */
function errorText(se: unknown, u: Unknown | undefined): string {
  if (!fin(se)) return 'not seen';
  return u && fin(u.value) && u.value !== 0 ? percent(se / Math.abs(u.value)) : `${fmt(se, 3)} ${text(u?.unit)}`;
}
/* A part of a whole, as a bar; the line is at 1. */
function bar(part: number, top: number, colour: string, line = false): SVGElement {
  const W = 160,
    x = (v: number) => clamp((v / top) * W, 0, W),
    s = svg('svg', {class: 'interval', viewBox: `0 0 ${W} 14`, preserveAspectRatio: 'none', 'aria-hidden': 'true'});
  s.append(svg('rect', {x: 0, y: 3, width: Math.max(x(part), 1), height: 8, rx: 2, fill: `var(--${colour})`}));
  if (line) s.append(svg('rect', {x: x(1) - 1, y: 0, width: 2, height: 14, fill: 'var(--ink)'}));
  return s;
}
function lastCells(table: HTMLElement, make: (i: number) => Node | string): HTMLElement {
  table.querySelectorAll('tbody tr').forEach((row, i) => row.lastElementChild!.replaceChildren(make(i)));
  return table;
}

function showErrors(names: string[], of: Record<string, Unknown>): void {
  const worst = names.some(n => fin(of[n].std_error_worst_draw)),
    ratio = (u: Unknown) => (fin(u.std_error) && fin(u.goal) && u.goal > 0 ? u.std_error / u.goal : NaN),
    top = Math.max(1.2, ...names.map(n => ratio(of[n])).filter(fin));
  const head = ['Unknown', 'Expected', 'Standard error', 'Goal'].concat(worst ? ['Worst draw'] : [], [
    'With all candidates',
    'Standard error over goal',
  ]);
  const table = plainTable(
    'Standard errors',
    head,
    names.map(n => {
      const u = of[n];
      return [
        n,
        `${brief(u.value)} ${text(u.unit)}`,
        errorText(u.std_error, u),
        fin(u.goal) ? errorText(u.goal, u) : '–',
        ...(worst ? [errorText(u.std_error_worst_draw, u)] : []),
        errorText(u.std_error_all_candidates, u),
        '',
      ];
    }),
  );
  $('errors').append(
    lastCells(table, i => {
      const u = of[names[i]],
        r = ratio(u);
      return fin(r) ? bar(r, Math.min(top, 4), u.reached ? 'good' : 'bad', true) : '–';
    }),
  );
}

function showSensors(names: string[], of: Record<string, Unknown>, d: Design): void {
  const all = objects<Sensor>(study.sensors),
    shown = names.slice(0, 6);
  if (!all.length) {
    nothing($('sensors'), 'None.');
    return;
  }
  const noise = (s: Sensor) =>
    objects<NonNullable<Sensor['channels']>[number]>(s.channels)
      .map(c => `${brief(c.noise)} ${text(c.unit)}`)
      .join(', ');
  const table = plainTable(
    'What each sensor adds',
    ['Sensor', 'Chosen', 'Noise', ...shown.map(n => `${n} with it`), 'Adds', ''],
    all.map(s => [
      text(s.name, 'unnamed'),
      s.chosen ? 'yes' : 'no',
      noise(s),
      ...shown.map(n => errorText(s.std_errors_with_it?.[n], of[n])),
      percent(s.adds),
      '',
    ]),
  );
  $('sensors').append(
    el(
      'p',
      {class: 'soft small'},
      `Standard errors after ${brief(d.longest)} s at ${brief(d.highest_rate)} Hz, the longest and fastest: of ` +
        'those chosen with the ones above, of the others each beside all that are chosen. Adds: by which part the ' +
        'standard errors shrink by it (the criterion, taken as one standard error).',
    ),
    lastCells(table, i => bar(fin(all[i].adds) ? all[i].adds! : 0, 1, all[i].chosen ? 'fit' : 'data')),
  );
}

function showPlan(names: string[], of: Record<string, Unknown>, d: Design): void {
  const facts: [string, string][] = Object.entries(d.excitation ?? {}).map(([n, e]) => [
    n,
    `${brief(e.value)} ${text(e.unit)}` + (fin(e.lower) ? ` (of ${brief(e.lower)} … ${brief(e.upper)})` : ''),
  ]);
  facts.push(['Duration', `${brief(d.duration)} s`], ['Rate', `${brief(d.rate)} Hz`]);
  $('plan').append(el('dl', {class: 'facts'}, ...facts.flatMap(f => [el('dt', {}, f[0]), el('dd', {}, f[1])])));
  const sizes = objects<{
      n?: number;
      sensors?: string[];
      efficiency_at_least?: number;
      duration_for_goals?: number;
      std_errors?: Errors;
    }>(study.sizes),
    rates = objects<{rate?: number; duration_for_goals?: number}>(study.rates),
    time = (v: unknown) => (fin(v) ? `${brief(v, 3)} s` : '–');
  if (sizes.length)
    $('plan').append(
      el('h3', {}, `How many sensors, in ${brief(d.longest)} s at ${brief(d.highest_rate)} Hz`),
      plainTable(
        'How many sensors',
        ['Number', 'Sensors', ...names.slice(0, 6), 'Duration for the goals', 'Efficiency at least'],
        sizes.map(z => [
          String(z.n ?? '–'),
          list(z.sensors).join(', '),
          ...names.slice(0, 6).map(n => errorText(z.std_errors?.[n], of[n])),
          time(z.duration_for_goals),
          percent(z.efficiency_at_least),
        ]),
      ),
    );
  if (rates.length > 1)
    $('plan').append(
      el('h3', {}, 'How fast'),
      plainTable(
        'How fast',
        ['Rate', 'Duration for the goals'],
        rates.map(r => [`${brief(r.rate)} Hz`, time(r.duration_for_goals)]),
      ),
    );
}

export function showDesign(): void {
  const d = study as Design,
    of = d.parameters ?? {},
    names = Object.keys(of),
    chosen = objects<Sensor>(d.sensors).filter(s => s.chosen).length;
  showSections([
    ['verdicts', 'Verdicts'],
    ['errors', 'Standard errors to expect', 'Standard errors'],
    ['sensors', 'What each sensor adds', 'Sensors'],
    ['plan', 'Excitation, duration, rate', 'Excitation'],
  ]);
  $('lead').textContent = `${text(d.criterion)}-optimal${d.function ? ` for ${d.function}` : ''}`;
  if (d.stopped) banner('warning', 'Stopped.', 'The best of what was looked at until then.');
  banner(
    d.reached ? 'good' : 'bad',
    d.reached ? 'Reached.' : 'Not reached.',
    d.goals
      ? d.reached
        ? 'All goals are reached.'
        : 'Not all goals are reached.'
      : d.reached
        ? 'Every unknown is seen; there are no goals.'
        : 'An unknown is not seen.',
  );
  showFigures([
    ['sensors', `${chosen} of ${objects(d.sensors).length}`],
    ['duration', fin(d.duration) ? `${brief(d.duration)} s` : null],
    ['rate', fin(d.rate) ? `${brief(d.rate)} Hz` : null],
    ['efficiency at least', fin(d.efficiency_at_least) ? percent(d.efficiency_at_least) : null],
    ['simulations', fin(d.simulations) ? d.simulations.toLocaleString('en') : null],
  ]);
  showVerdicts();
  showErrors(names, of);
  showSensors(names, of, d);
  showPlan(names, of, d);
}
