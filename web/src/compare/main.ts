/* The page of a comparison: for each problem error against cost with a line for each variant and each number that is
   refined, and the table. */
import './compare.css';
import {frame, put} from './plot';

interface Case {
  variant: string;
  refined: string;
  state: string;
  reference: boolean;
  at: Record<string, {value: number; number: number; last: boolean}>;
  reason?: string;
  unknowns?: number;
  steps?: number;
  iterations?: number;
  reductions?: number;
  factorisations?: number;
  factor_nonzeros?: number;
  cpu?: number;
  error?: number | null;
  order?: number | null;
  cpu_per_digit?: number | null;
  energy_drift?: number | null;
  momentum_drift?: number | null;
  values?: number[];
}
interface Problem {
  name: string;
  title: string;
  note: string;
  analysis: string;
  scale: number;
  reference: string;
  quantities: string[];
  cases: Case[];
}
interface Data {
  title: string;
  file: string;
  version: string;
  repeat: number;
  stopped: boolean;
  problems: Problem[];
}

const need = (id: string): HTMLElement => document.getElementById(id)!;
const data = JSON.parse(need('data').textContent!) as Data;
const colours = [
  '#3b7dd8',
  '#e0702a',
  '#2f9e68',
  '#b8459b',
  '#8a6fd1',
  '#a8902a',
  '#2b9fb5',
  '#cf5148',
  '#7a8699',
  '#5b8a3c',
];
const colour = (k: number): string => colours[k % colours.length];

function make<K extends keyof HTMLElementTagNameMap>(
  host: Element,
  tag: K,
  text = '',
  name = '',
): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  if (text) e.textContent = text;
  if (name) e.className = name;
  host.append(e);
  return e;
}

const figure = (x: number | null | undefined, digits: number, exponent = false): string =>
  x === null || x === undefined || !Number.isFinite(x)
    ? '–'
    : (exponent && x !== 0 ? x.toExponential(digits - 1) : String(+x.toPrecision(digits))).replace(/-/g, '−');
const thousand = (x: number | null | undefined): number | undefined =>
  x === null || x === undefined ? undefined : 1e3 * x;

/* What may stand across: name, its number of a case. */
interface Axis {
  name: string;
  of: (c: Case) => number | undefined;
  along?: string; /* only lines of this number */
}

function axes(p: Problem): Axis[] {
  const out: Axis[] = [
    {name: 'CPU time, ms', of: c => thousand(c.cpu)},
    {name: 'unknowns', of: c => c.unknowns},
    {name: 'iterations', of: c => c.iterations},
  ];
  const names = new Set(p.cases.flatMap(c => Object.keys(c.at)));
  for (const name of names) out.push({name, of: c => c.at[name]?.value, along: name});
  return out;
}

/* The cases of a variant in which only this number is not at its last value, from coarse to fine. */
function line(p: Problem, variant: string, along: string): Case[] {
  return p.cases
    .filter(c => c.variant === variant && !c.reference && c.at[along])
    .filter(c => Object.entries(c.at).every(([name, v]) => name === along || v.last))
    .sort((a, b) => a.at[along].number - b.at[along].number);
}

const short = (name: string): string => name.replace(/^.*\./, '');

class Section {
  private axis: Axis;
  private hidden = new Set<string>();
  private chosen: Case | null = null;
  private plot: HTMLElement;
  private bar: HTMLElement;
  private legend: HTMLElement;
  private told: HTMLElement;
  private body: HTMLTableSectionElement;
  private variants: string[];
  private sort: {column: number; down: boolean} | null = null;

  constructor(private p: Problem) {
    this.variants = [...new Set(p.cases.filter(c => !c.reference).map(c => c.variant))];
    this.axis = axes(p)[0];
    const host = make(need('problems'), 'section');
    host.id = p.name;
    make(host, 'h2', p.title);
    make(
      host,
      'p',
      `Error of ${p.quantities.join(', ')} against ${p.reference}, relative to ${p.scale}. ${p.note}`,
      'about',
    );
    this.bar = make(host, 'div', '', 'bar');
    const pair = make(host, 'div', '', 'pair');
    this.plot = make(pair, 'div');
    this.legend = make(pair, 'div', '', 'legend');
    this.told = make(host, 'p', '', 'told');
    this.told.setAttribute('role', 'status');
    const details = make(host, 'details');
    details.open = true;
    make(details, 'summary', 'Table');
    const table = make(make(details, 'div', '', 'scroll'), 'table');
    this.head(make(table, 'thead'));
    this.body = make(table, 'tbody');
    for (const c of p.cases.filter(x => x.state === 'failed'))
      make(host, 'p', `${c.variant}${c.refined ? ', ' + c.refined : ''} failed: ${c.reason ?? ''}`, 'failed');
    this.buttons();
    this.draw();
  }

  private buttons(): void {
    make(this.bar, 'span', 'error over');
    for (const a of axes(this.p)) {
      const b = make(this.bar, 'button', a.name);
      b.type = 'button';
      b.addEventListener('click', () => ((this.axis = a), this.draw()));
    }
    this.variants.forEach((v, k) => {
      const b = make(this.legend, 'button');
      b.type = 'button';
      make(b, 'span', '', 'swatch').style.background = colour(k);
      b.append(v);
      b.addEventListener('click', () => {
        if (!this.hidden.delete(v)) this.hidden.add(v);
        this.draw();
      });
      b.addEventListener('mouseenter', () => this.fade(v));
      b.addEventListener('mouseleave', () => this.fade(null));
    });
    const refined = [...new Set(this.p.cases.flatMap(c => Object.keys(c.at)))];
    if (refined.length > 1)
      make(
        this.legend,
        'span',
        `solid: ${short(refined[0])} refined, dashed: ${refined.slice(1).map(short).join(', ')} refined`,
        'about',
      );
  }

  private fade(v: string | null): void {
    for (const e of this.plot.querySelectorAll('[data-variant]'))
      e.classList.toggle('faded', v !== null && e.getAttribute('data-variant') !== v);
  }

  private draw(): void {
    [...this.bar.querySelectorAll('button')].forEach(b =>
      b.classList.toggle('chosen', b.textContent === this.axis.name),
    );
    [...this.legend.querySelectorAll('button')].forEach((b, k) =>
      b.setAttribute('aria-pressed', String(!this.hidden.has(this.variants[k]))),
    );
    const at = (c: Case): [number, number] | null => {
      const x = this.axis.of(c),
        y = c.error;
      return x !== undefined && x > 0 && y ? [x, y] : null;
    };
    const shown = this.p.cases.filter(c => !c.reference && !this.hidden.has(c.variant));
    const f = frame(
      this.plot,
      shown.map(at).filter(q => q !== null),
      this.axis.name,
      'error',
    );
    const names = [...new Set(this.p.cases.flatMap(c => Object.keys(c.at)))];
    this.variants.forEach((v, k) => {
      if (this.hidden.has(v)) return;
      names.forEach((along, j) => {
        if (this.axis.along && this.axis.along !== along) return;
        const way = line(this.p, v, along)
          .map(at)
          .filter(q => q !== null)
          .map(([x, y], i) => `${i ? 'L' : 'M'}${f.x(x).toFixed(1)} ${f.y(y).toFixed(1)}`)
          .join('');
        if (way)
          put(f.svg, 'path', {class: 'curve' + (j ? ' dashed' : ''), d: way, stroke: colour(k), 'data-variant': v});
      });
    });
    for (const c of shown) this.mark(f, c, at(c));
    this.rows();
    this.tell();
  }

  private mark(f: ReturnType<typeof frame>, c: Case, q: [number, number] | null): void {
    if (!q) return;
    if (this.axis.along && !line(this.p, c.variant, this.axis.along).includes(c)) return;
    const m = put(f.svg, 'ellipse', {
      class: 'mark',
      cx: f.x(q[0]).toFixed(1),
      cy: f.y(q[1]).toFixed(1),
      rx: c === this.chosen ? 7 : 4.5,
      ry: c === this.chosen ? 7 : 4.5,
      fill: colour(this.variants.indexOf(c.variant)),
      'data-variant': c.variant,
    });
    put(m, 'title', {}).textContent = this.words(c);
    m.addEventListener('click', () => this.choose(c));
  }

  private choose(c: Case | null): void {
    this.chosen = this.chosen === c ? null : c;
    this.draw();
  }

  private words(c: Case): string {
    const order = c.order ? `, order ${figure(c.order, 3)}` : '';
    const cost = `${figure(thousand(c.cpu), 3)} ms, ${c.iterations} iterations`;
    return `${c.variant}, ${c.refined}: error ${figure(c.error, 3, true)}${order}, ${cost}`;
  }

  private tell(): void {
    const c = this.chosen;
    this.told.textContent = c
      ? `${this.words(c)}; ${this.p.quantities.map((q, i) => `${q} = ${figure(c.values?.[i], 9)}`).join(', ')}`
      : 'Click a point or a row to read its values; click a name to hide it.';
  }

  private columns: [string, (c: Case) => string, ((c: Case) => number | string | null | undefined)?][] = [
    ['variant', c => c.variant],
    ['refined', c => c.refined],
    ['unknowns', c => figure(c.unknowns, 6), c => c.unknowns],
    [
      'steps',
      c => (this.p.analysis === 'static' ? '–' : figure(c.steps, 7) + (c.reductions ? '*' : '')),
      c => c.steps,
    ],
    ['iterations', c => figure(c.iterations, 7), c => c.iterations],
    ['factorisations', c => figure(c.factorisations, 7), c => c.factorisations],
    ['factor nonzeros', c => figure(c.factor_nonzeros, 8), c => c.factor_nonzeros],
    ['CPU, ms', c => figure(thousand(c.cpu), 3), c => c.cpu],
    ['error', c => (c.state === 'done' ? figure(c.error, 3, true) : c.state), c => c.error],
    ['order', c => figure(c.order, 3), c => c.order],
    ['ms a digit', c => figure(thousand(c.cpu_per_digit), 3), c => c.cpu_per_digit],
    ['energy drift', c => figure(c.energy_drift, 2, true), c => c.energy_drift],
    ['momentum drift', c => figure(c.momentum_drift, 2, true), c => c.momentum_drift],
  ];

  private head(host: HTMLElement): void {
    const tr = make(host, 'tr');
    this.columns.forEach(([name], i) => {
      const th = make(tr, 'th', name, i < 2 ? 'word' : '');
      th.addEventListener('click', () => {
        this.sort = {column: i, down: this.sort?.column === i && !this.sort.down};
        this.rows();
      });
    });
  }

  private rows(): void {
    const list = [...this.p.cases],
      by = this.sort;
    if (by) {
      const [, text, value] = this.columns[by.column];
      const of = value ?? text;
      list.sort((a, b) => {
        const [x, y] = [of(a), of(b)];
        if (x === null || x === undefined) return 1;
        if (y === null || y === undefined) return -1;
        return (x < y ? -1 : x > y ? 1 : 0) * (by.down ? -1 : 1);
      });
    }
    this.body.replaceChildren();
    for (const c of list) {
      const tr = make(this.body, 'tr', '', c === this.chosen ? 'on' : '');
      this.columns.forEach(([, text], i) => {
        const td = make(tr, 'td', text(c), i < 2 ? 'word' : '');
        if (c.state === 'failed' && this.columns[i][0] === 'error') td.classList.add('failed');
      });
      const k = this.variants.indexOf(c.variant);
      if (k >= 0) {
        const s = make(tr.cells[0], 'span', '', 'swatch');
        s.style.background = colour(k);
        tr.cells[0].prepend(s);
      }
      if (!c.reference && c.state === 'done') tr.addEventListener('click', () => this.choose(c));
    }
  }

  redraw(): void {
    this.draw();
  }
}

need('lead').textContent =
  `${data.file}, sinew ${data.version}. CPU times are the smallest of up to ${data.repeat}, and noisy. ` +
  '*: steps that had to be divided.' +
  (data.stopped ? ' It was stopped before its end.' : '');
const sections = data.problems.map(p => {
  const a = make(need('contents'), 'a', p.title);
  a.href = '#' + p.name;
  return new Section(p);
});
addEventListener('resize', () => sections.forEach(s => s.redraw()));
