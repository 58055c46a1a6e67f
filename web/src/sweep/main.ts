/* The page of a sweep: a Campbell diagram, growth over the parameter and the root locus, with the branches in the same
   colours; a click on a curve tells of its nearest value in all three. */
import './sweep.css';
import {frame, put, ticks, type Frame} from './plot';

interface Data {
  parameter: string;
  spin: string;
  axes: string;
  branches: (number | null)[]; /* rows of branch, parameter, re, im, dre, dim */
  points: number[]; /* rows of kind, branch, line, parameter, re, im, rises */
  lines: number[];
  modes: string[];
  whole: number;
}
interface Value {
  at: number;
  re: number;
  im: number;
  dre: number | null;
  dim: number | null;
}
interface Point {
  kind: number;
  branch: number;
  line: number;
  at: number;
  re: number;
  im: number;
  rises: boolean;
}

const kinds = ['critical', 'flutter', 'divergence'];
const colours = ['#3b7dd8', '#e0702a', '#2f9e68', '#b8459b', '#8a6fd1', '#a8902a', '#2b9fb5', '#cf5148'];
const need = (id: string): HTMLElement => document.getElementById(id)!;
const data = JSON.parse(need('data').textContent!) as Data;
const branches: Value[][] = data.modes.map(() => []);
for (let i = 0; i < data.branches.length; i += 6) {
  const [k, at, re, im, dre, dim] = data.branches.slice(i, i + 6);
  branches[k!].push({at: at!, re: re!, im: im!, dre, dim});
}
const points: Point[] = [];
for (let i = 0; i < data.points.length; i += 7) {
  const [kind, branch, line, at, re, im, rises] = data.points.slice(i, i + 7);
  points.push({kind, branch, line, at, re, im, rises: rises > 0});
}
const colour = (k: number): string => colours[k % colours.length];
const text = (x: number | null, digits = 6): string =>
  x === null || !Number.isFinite(x) ? '–' : String(+x.toPrecision(digits)).replace('-', '−');

/* Frequencies up to which branches are shown at first: somewhat beyond what was looked for, lines of the spin and
   special points; without these all. */
const highest = Math.max(
  ...points.map(p => p.im),
  ...(data.spin === data.parameter
    ? data.lines.map(l => l * Math.max(...branches.flatMap(b => b.map(v => Math.abs(v.at)))))
    : []),
);
const near = (b: Value[]): boolean => b.some(v => v.im <= 1.5 * highest);
let all = !branches.some(near);
const isShown = (b: Value[]): boolean => all || near(b);

let hertz = false;
let chosen: {branch: number; value: Value} | null = null;
const factor = (): number => (hertz ? 1 / (2 * Math.PI) : 1);

type Look = (v: Value) => [number, number];
const looks: {id: string; x: string; y: () => string; of: Look; height: number; fromZero?: boolean}[] = [
  {
    id: 'campbell',
    x: data.parameter,
    y: () => (hertz ? 'Hz' : 'rad/s'),
    of: v => [v.at, v.im * factor()],
    height: 330,
    fromZero: true,
  },
  {id: 'growth', x: data.parameter, y: () => '1/s', of: v => [v.at, v.re], height: 200},
  {id: 'locus', x: 're, 1/s', y: () => 'im, rad/s', of: v => [v.re, v.im], height: 560, fromZero: true},
];

/* Lines of the spin, as far as the plot goes. */
function spinLines(f: Frame): void {
  if (data.spin !== data.parameter) return;
  for (const line of data.lines) {
    const most = Math.min(f.right, f.top / (line * factor())),
      least = Math.max(f.left, 0);
    if (!(most > least)) continue;
    put(f.svg, 'path', {
      class: 'line',
      d: `M${f.x(least)} ${f.y(least * line * factor())}L${f.x(most)} ${f.y(most * line * factor())}`,
    });
    put(f.svg, 'text', {x: f.x(most) - 16, y: f.y(most * line * factor()) + 12, 'text-anchor': 'end'}).textContent =
      `${line}×`;
  }
}

function draw(look: (typeof looks)[number]): void {
  const values = branches.filter(isShown).flatMap(b => b.map(look.of));
  if (look.fromZero) values.push([values.length ? values[0][0] : 0, 0]);
  const f = frame(need(look.id), values, look.height);
  ticks(f, look.x, look.y());
  if (look.id === 'campbell') spinLines(f);
  branches.forEach((b, k) => {
    if (!isShown(b)) return;
    const line = put(f.svg, 'path', {
      class: 'branch' + (chosen && chosen.branch !== k ? ' faded' : ''),
      stroke: colour(k),
      'data-branch': String(k),
      d: b
        .map(
          (v, i) =>
            (i ? 'L' : 'M') +
            look
              .of(v)
              .map((z, j) => (j ? f.y(z) : f.x(z)).toFixed(2))
              .join(' '),
        )
        .join(''),
    });
    put(line, 'title', {}).textContent = `branch ${k + 1}: ${data.modes[k]}`;
  });
  points.forEach(p => {
    const [x, y] = look.of({at: p.at, re: p.re, im: p.im, dre: null, dim: null});
    const mark = put(f.svg, 'ellipse', {
      class: 'point ' + (p.kind === 0 ? 'critical' : ''),
      cx: f.x(x).toFixed(2),
      cy: f.y(y).toFixed(2),
      rx: '4.5',
      ry: '4.5',
    });
    put(mark, 'title', {}).textContent = `${kinds[p.kind]}: ${data.parameter} = ${text(p.at, 10)}`;
  });
  if (chosen) {
    const [x, y] = look.of(chosen.value);
    put(f.svg, 'ellipse', {class: 'here', cx: f.x(x).toFixed(2), cy: f.y(y).toFixed(2), rx: '5', ry: '5'});
  }
  f.svg.addEventListener('click', e => pick(f, look.of, e));
}

/* The value nearest to the pointer. */
function pick(f: Frame, of: Look, e: MouseEvent): void {
  const box = f.svg.getBoundingClientRect(),
    scale = f.width / box.width;
  const px = (e.clientX - box.left) * scale,
    py = (e.clientY - box.top) * scale;
  let least = 30 * scale;
  chosen = null;
  branches.forEach((b, branch) => {
    for (const value of isShown(b) ? b : []) {
      const [x, y] = of(value),
        d = Math.hypot(f.x(x) - px, f.y(y) - py);
      if (d < least) ((least = d), (chosen = {branch, value}));
    }
  });
  show();
}

function tell(): string {
  if (!chosen) return 'Click a curve to read its values.';
  const {branch, value: v} = chosen,
    size = Math.hypot(v.re, v.im);
  const slope =
    v.dre === null
      ? ', defective: no derivative'
      : `; its derivative ${text(v.dre)} ${v.dim! < 0 ? '' : '+'}${text(v.dim)}i`;
  return (
    `branch ${branch + 1} (${data.modes[branch]}) at ${data.parameter} = ${text(v.at)}: growth ${text(v.re)} 1/s, ` +
    `omega ${text(v.im)} rad/s (${text(v.im / (2 * Math.PI))} Hz), ` +
    `damping ratio ${text(size ? -v.re / size : 0)}${slope}`
  );
}

function row(table: HTMLElement, cells: string[], words: number[], head = false): HTMLTableRowElement {
  const tr = document.createElement('tr');
  cells.forEach((c, i) => {
    const td = document.createElement(head ? 'th' : 'td');
    td.textContent = c;
    if (words.includes(i)) td.className = 'word';
    tr.append(td);
  });
  table.append(tr);
  return tr;
}

function choosable(tr: HTMLTableRowElement, go: () => void): void {
  tr.tabIndex = 0;
  tr.addEventListener('click', go);
  tr.addEventListener('keydown', e => {
    if (e.key === 'Enter' || e.key === ' ') (e.preventDefault(), go());
  });
}

function tables(): void {
  const list = need('points'),
    table = need('branches');
  if (points.length) row(list, ['kind', data.parameter, 'omega [rad/s]', 'what'], [0, 3], true);
  else list.replaceWith('none between the first and the last value');
  for (const p of points) {
    const what = p.kind === 0 ? `${p.line}× ${data.spin}` : `unstable ${p.rises ? 'above' : 'below'}`;
    choosable(row(list, [kinds[p.kind], text(p.at, 12), text(p.im, 9), what], [0, 3]), () => {
      const value = {at: p.at, re: p.re, im: p.im, dre: null, dim: null};
      const b = branches[p.branch] ?? [];
      chosen = {
        branch: p.branch,
        value: b.reduce((a, v) => (Math.abs(v.at - p.at) < Math.abs(a.at - p.at) ? v : a), b[0] ?? value),
      };
      show();
    });
  }
  row(
    table,
    ['branch', 'mode', 'from', 'growth [1/s]', 'omega [rad/s]', 'to', 'growth [1/s]', 'omega [rad/s]'],
    [0, 1],
    true,
  );
  branches.forEach((b, k) => {
    const [a, z] = [b[0], b[b.length - 1]];
    const tr = row(
      table,
      [String(k + 1), data.modes[k], text(a.at), text(a.re), text(a.im), text(z.at), text(z.re), text(z.im)],
      [0, 1],
    );
    const swatch = document.createElement('span');
    swatch.className = 'swatch';
    swatch.style.background = colour(k);
    tr.cells[0].prepend(swatch);
    choosable(tr, () => ((all = all || !isShown(b)), (chosen = {branch: k, value: a}), show()));
  });
}

function show(): void {
  need('every').setAttribute('aria-pressed', String(all));
  for (const look of looks) draw(look);
  need('chosen').textContent = tell();
  [...need('branches').querySelectorAll('tr')].forEach((tr, i) =>
    tr.classList.toggle('on', chosen?.branch === i - 1),
  );
}

need('lead').textContent =
  `Eigenvalues over ${data.parameter}` +
  (data.axes ? `, in axes that turn with ${data.axes}` : '') +
  (data.whole ? '' : '; the sweep did not reach its end');
need('unit').addEventListener('click', () => {
  hertz = !hertz;
  need('unit').textContent = hertz ? 'Hz' : 'rad/s';
  show();
});
const every = need('every') as HTMLButtonElement;
every.hidden = branches.every(isShown);
every.addEventListener('click', () => {
  all = !all;
  show();
});
tables();
show();
addEventListener('resize', show);
