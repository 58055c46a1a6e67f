/* A linear system: amplitude and phase from an input to an output over the frequency, and the poles. */
import type uPlot from 'uplot';
import {flat, makePlot, palette} from './chart';
import {Linear} from './data';
import {shown} from './reading';
import {Response, frequencies} from './response';

const degrees = 180 / Math.PI;

/* Without jumps of a whole turn. */
export function unwrapped(phase: number[]): number[] {
  let turn = 0;
  return phase.map((p, i) => {
    const step = i ? p - phase[i - 1] : 0;
    turn += step > 180 ? -360 : step < -180 ? 360 : 0;
    return p + turn;
  });
}

const plain = (name: string): string => name.replace(/'+$/, '');
/* The unit of an input itself: that of its derivative times s or s^2. */
const undone = (unit: string, order: number): string => {
  for (let k = 0; k < order; k++) {
    const m = /^(.*)\/s(?:\^(\d+))?$/.exec(unit);
    if (!m) return unit ? `${unit}*s` : '';
    const p = Number(m[2] ?? 1) - 1;
    unit = m[1] + (p > 1 ? `/s^${p}` : p === 1 ? '/s' : '');
  }
  return unit === '1' ? '' : unit;
};

export class LinearPanel {
  private plots: uPlot[] = [];
  private hz: number[];
  private response: Response | null = null;
  private input: HTMLSelectElement;
  private output: HTMLSelectElement;
  private figures: HTMLElement[] = [];
  private values: HTMLOutputElement[] = [];
  private data: {amplitude: number[]; phase: number[]} = {amplitude: [], phase: []};

  constructor(
    private s: Linear,
    private host: HTMLElement,
  ) {
    this.hz = frequencies(s.poles);
    this.input = this.select('from', s.inputs.map(plain));
    this.output = this.select('to', s.outputs);
    const row = document.createElement('div');
    row.className = 'linear';
    row.append(this.labelled('from', this.input), this.labelled('to', this.output));
    host.prepend(row);
    if (s.inputs.length && s.outputs.length) {
      this.figure('amplitude');
      this.figure('phase');
    } else {
      const p = document.createElement('p');
      p.className = 'empty';
      p.textContent = s.inputs.length
        ? 'The system has no outputs: sensors of the model would be some.'
        : 'The system has no inputs: sinew linearise --input names some.';
      host.append(p);
      row.hidden = true;
    }
    this.figure('poles');
    this.first();
    this.draw();
    this.drawPoles();
    new ResizeObserver(() => this.resize()).observe(host);
  }

  /* The first output that follows the first input is shown first. */
  private first(): void {
    const {s} = this;
    if (!s.inputs.length) return;
    this.response ??= new Response(s);
    const w = 2 * Math.PI * this.hz[this.hz.length >> 1],
      o = s.outputs.findIndex((_, k) => this.response!.at(0, k, [w]).some(x => x.re !== 0 || x.im !== 0));
    if (o > 0) this.output.value = String(o);
  }

  private select(name: string, options: string[]): HTMLSelectElement {
    const s = document.createElement('select');
    s.id = `linear-${name}`;
    s.append(...options.map((o, i) => new Option(o, String(i))));
    s.addEventListener('change', () => this.draw());
    return s;
  }
  private labelled(text: string, what: HTMLElement): HTMLElement {
    const label = document.createElement('label');
    label.append(`${text} `, what);
    return label;
  }
  private figure(kind: string): void {
    const box = document.createElement('figure'),
      head = document.createElement('figcaption'),
      name = document.createElement('b'),
      out = document.createElement('output');
    box.dataset.kind = kind;
    head.append(name, ' ', out);
    box.append(head);
    this.host.append(box);
    this.figures.push(box);
    this.values.push(out);
  }
  private find(kind: string): number {
    return this.figures.findIndex(f => f.dataset.kind === kind);
  }
  private title(kind: string, text: string): void {
    this.figures[this.find(kind)].querySelector('b')!.textContent = text;
  }
  private width(): number {
    return Math.max(this.host.clientWidth - 16, 120);
  }
  private height(): number {
    return innerWidth < 800 ? 160 : 185;
  }
  private resize(): void {
    for (const p of this.plots) p?.setSize({width: this.width(), height: this.height()});
  }
  redraw(): void {
    for (const p of this.plots) p?.redraw(false, true);
  }

  /* Amplitude and phase of what is chosen. */
  private draw(): void {
    const {s} = this;
    if (!s.inputs.length || !s.outputs.length) return;
    const i = +this.input.value,
      o = +this.output.value,
      from = undone(s.inputs_units[i] ?? '', s.order[i] ?? 0),
      to = s.outputs_units[o] ?? '',
      unit = from || to ? `${to || '1'}${from ? ` / ${/[*/]/.test(from) ? `(${from})` : from}` : ''}` : '';
    this.response ??= new Response(s);
    const h = this.response.at(
      i,
      o,
      this.hz.map(f => 2 * Math.PI * f),
    );
    this.data = {
      amplitude: h.map(x => Math.hypot(x.re, x.im)),
      phase: unwrapped(h.map(x => Math.atan2(x.im, x.re) * degrees)),
    };
    const none = this.data.amplitude.every(a => a === 0);
    this.title(
      'amplitude',
      `amplitude${unit ? ` (${unit})` : ''}${none ? ': the output does not follow the input' : ''}`,
    );
    this.title('phase', 'phase (deg)');
    this.curve(
      'amplitude',
      this.data.amplitude.map(a => (a > 0 ? a : null)),
      true,
    );
    this.curve(
      'phase',
      this.data.phase.map((p, k) => (this.data.amplitude[k] > 0 ? p : null)),
      false,
    );
  }

  private curve(kind: string, y: (number | null)[], log: boolean): void {
    const k = this.find(kind),
      out = this.values[k];
    this.plots[k]?.destroy();
    out.textContent = '';
    const good = y.filter(v => v !== null) as number[],
      low = Math.min(...good),
      high = Math.max(...good);
    this.plots[k] = makePlot(
      {
        width: this.width(),
        height: this.height(),
        padding: [8, 14, 0, 0],
        axes: [
          {size: 38, label: kind === 'phase' ? 'frequency (Hz)' : undefined, labelSize: 14},
          {
            size: 62,
            ...(log
              ? {
                  values: (_u, at) =>
                    at.map(v => (v === null || !/^1e/.test(v.toExponential()) ? '' : String(v).replace('e+', 'e'))),
                }
              : {incrs: [15, 30, 45, 90, 180, 360, 720, 1440]}),
          },
        ],
        logX: true,
        log: log && good.length > 0,
        x: () => [this.hz[0], this.hz[this.hz.length - 1]],
        y:
          log && good.length
            ? () => [10 ** Math.floor(Math.log10(low) - 1e-9), 10 ** Math.ceil(Math.log10(high) + 1e-9)]
            : (_u, a, b) => flat(a, b) ?? [45 * Math.floor(a / 45 - 0.1), 45 * Math.ceil(b / 45 + 0.1)],
        series: [{label: kind, stroke: palette[0], width: 1.5, points: {show: false}}],
        cursor: {sync: {key: 'bode', setSeries: false}, y: false, drag: {x: false, y: false}, points: {size: 6}},
        hooks: {
          setCursor: [
            u => {
              const at = u.cursor.idx;
              out.textContent =
                at === null || at === undefined ? '' : `${shown(Number(y[at]))} at ${shown(this.hz[at])} Hz`;
            },
          ],
        },
      },
      this.hz,
      [y],
      this.figures[k],
    );
  }

  private drawPoles(): void {
    const k = this.find('poles'),
      list: [number, number][] = [];
    for (let i = 0; i < this.s.n; i++) list.push([this.s.poles[2 * i], this.s.poles[2 * i + 1]]);
    list.sort((a, b) => a[0] - b[0]);
    const top = Math.max(...list.map(p => Math.hypot(p[0], p[1])), 0),
      unstable = list.filter(p => p[0] > 1e-9 * top).length,
      zero = list.filter(p => p[0] === 0 && p[1] === 0).length;
    const words = [
      `${list.length} poles (1/s)`,
      ...(unstable ? [`${unstable} unstable`] : []),
      ...(zero ? [`${zero} at 0`] : []),
    ];
    this.title('poles', words.join(', '));
    this.figures[k].dataset.unstable = String(unstable);
    const x = list.map(p => p[0]),
      out = this.values[k],
      room = (a: number, b: number): [number, number] => {
        const d = Math.max(b - a, 0.02 * top, 1e-12);
        return [a - 0.08 * d, b + 0.08 * d];
      };
    this.plots[k] = makePlot(
      {
        width: this.width(),
        height: this.height(),
        padding: [8, 14, 0, 0],
        axes: [
          {size: 38, label: 'real part', labelSize: 14},
          {size: 62, label: 'imaginary part', labelSize: 14},
        ],
        x: () => room(Math.min(...x, 0), Math.max(...x, 0)),
        y: () => room(Math.min(...list.map(p => p[1]), 0), Math.max(...list.map(p => p[1]), 0)),
        series: [
          {
            label: 'pole',
            stroke: palette[1],
            paths: () => null,
            points: {show: true, size: 6, width: 1.5, fill: 'transparent'},
          },
        ],
        cursor: {drag: {x: false, y: false}, points: {show: false}},
        hooks: {setCursor: [u => void (out.textContent = this.nearest(u, list))]},
      },
      x,
      [list.map(p => p[1])],
      this.figures[k],
    );
  }

  private nearest(u: uPlot, list: [number, number][]): string {
    const {left, top} = u.cursor;
    let best = '',
      least = 18;
    if (left === undefined || top === undefined || left < 0) return '';
    for (const [re, im] of list) {
      const d = Math.hypot(u.valToPos(re, 'x') - left, u.valToPos(im, 'y') - top);
      if (d >= least) continue;
      least = d;
      best = im === 0 ? shown(re) : `${shown(re)} ${im < 0 ? '−' : '+'} ${shown(Math.abs(im))}i`;
    }
    return best;
  }

  /* By names; those that are not there are told. */
  choose(from: string | null, to: string | null): void {
    const pick = (s: HTMLSelectElement, name: string | null, what: string) => {
      const i = name === null ? -2 : Array.from(s.options).findIndex(o => o.text === name);
      if (i === -1) throw new Error(`there is no ${what} '${name}'`);
      if (i >= 0) s.value = String(i);
    };
    pick(this.input, from, 'input');
    pick(this.output, to, 'output');
    this.draw();
  }

  /* What is drawn: frequencies in Hz, amplitude, phase in degrees. */
  get drawn(): number[][] {
    return [this.hz, this.data.amplitude, this.data.phase];
  }
}
