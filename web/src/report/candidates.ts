/* What the model may lack: numbers that were tried beside the unknowns. */
import {$, el, plainTable} from './dom';
import {brief, fin, fmt, probability} from './numbers';
import {objects, study, text} from './study';

interface Gain {
  value?: number | null;
  std_error?: number | null;
  chi_square?: number | null;
  explains?: number | null;
  bic?: number | null;
}
interface Candidate extends Gain {
  name?: string | null;
  place?: string | null;
  doc?: string | null;
  unit?: string | null;
  now?: number | null;
  p_value?: number | null;
  named?: boolean | null;
  refit?: Gain | null;
}
const most = 30;

const percent = (v: unknown): string => (fin(v) ? `${fmt(100 * v, 3)} %` : '–');
function row(c: Candidate): string[] {
  const best = c.refit ?? c,
    unit = text(c.unit) && c.unit !== '1' ? ` ${c.unit}` : '';
  return [
    text(c.name, 'unnamed') + (c.named ? ' ←' : ''),
    [text(c.place), text(c.doc)].filter(Boolean).join(': '),
    brief(c.now, 4) + unit,
    fin(best.std_error)
      ? `${brief(best.value, 4)} ± ${brief(best.std_error, 2)}${unit}`
      : brief(best.value, 4) + unit,
    fmt(c.chi_square, 4),
    percent(c.explains),
    probability(c.p_value),
    c.refit ? percent(c.refit.explains) : '–',
    c.refit ? fmt(c.refit.bic, 4) : '–',
  ];
}

/* Nothing where none was tried. */
export function showCandidates(): void {
  const all = objects<Candidate>(study.candidates);
  if (!all.length) return;
  $('experiments').before(
    el(
      'section',
      {id: 'candidates'},
      el('h2', {}, 'What the model may lack'),
      el(
        'p',
        {class: 'soft small'},
        'Numbers of the model that are not sought, each tried beside the unknowns by the sensitivities at the ' +
          'estimate: the value that would fit best, by how much chi square falls, and the part of what exceeds the ' +
          'noise that this explains. The most promising were fitted in earnest (refit); BIC below 0: worth the ' +
          'additional number. ' +
          (all.some(c => c.named) ? 'The arrow marks the one that the verdicts name.' : ''),
      ),
      plainTable(
        'What the model may lack',
        [
          'Number',
          'What it is',
          'Now',
          'Would be',
          'χ² falls by',
          'Explains',
          'p',
          'Refit explains',
          'BIC of the refit',
        ],
        all.slice(0, most).map(row),
      ),
      all.length > most ? el('p', {class: 'soft small'}, `${all.length - most} more are in study.json.`) : null,
    ),
  );
  document
    .querySelector('nav a[href="#experiments"]')
    ?.parentElement?.before(el('li', {}, el('a', {href: '#candidates'}, 'Candidates')));
}
