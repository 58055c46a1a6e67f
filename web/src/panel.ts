/* One plot: a channel over time, over another quantity, or its spectrum; with the numbers of the frame shown. */
import uPlot from 'uplot';
import {Channel, Line, lines, quantities, readingOf} from './channel';
import {addMark, makePlot, moveMark} from './chart';
import {nearest} from './clock';
import {comparing, joined, span} from './compare';
import {Pieces, Rows, axis, header, sensor, served} from './data';
import {abscissa, corners, drawLines, equilibria, frameNear} from './equilibria';
import {overview} from './overview';
import {Path, addDot, drawPaths, moveDot, nearestOn} from './paths';
import {learn, rangeOf} from './ranges';
import type {Reading} from './reading';
import {spectrum} from './spectrum';

/* What all plots of a page share. */
export interface Desk {
  seek(frame: number, chosen: boolean): void;
  zoom(range: [number, number] | null): void;
  readonly range: [number, number] | null;
  readonly whole: [number, number];
  readonly width: number;
  readonly height: number;
}
interface Shown extends Line {
  on: boolean;
  scale: 'y' | 'right';
  label: HTMLElement;
  value: HTMLElement;
  reading: Reading;
}

/* Lines that go less than a thirtieth as far as the widest have an axis of their own. */
const apart = 30;
const reach = (l: Line): number => (l.range ? l.range.high - l.range.low : 0);
/* Lines of several results that lie over each other are seen through each other. */
const dashes = (i: number): number[] => [9, 3 + 3 * i];
const xAxis = (label: string): uPlot.Axis => ({
  size: 24,
  label,
  labelSize: 16,
  labelGap: 2,
  labelFont: '11px system-ui, sans-serif',
});
const withUnit = (name: string, unit: string): string => (unit ? `${name} (${unit})` : name);
const timeLabel = (): string =>
  equilibria ? equilibria.name : withUnit(header.axis === 'time' ? 'time' : header.axis, header.unit ?? '');

export class Panel {
  readonly box = document.createElement('figure');
  private head = document.createElement('figcaption');
  private plot!: uPlot;
  private now: HTMLElement | null = null;
  private dots: HTMLElement[] = [];
  private list: Shown[];
  private paths: Path[] = []; /* of list, where it is over another quantity */
  private rows: Rows | null;
  private over = '';
  private asked = 0;
  private frame = 0;

  constructor(
    readonly channel: Channel,
    private desk: Desk,
  ) {
    const all = lines(channel),
      fold = all.some(l => !l.constant);
    this.rows = comparing ? null : sensor(channel.sensor);
    this.list = all.map(l => ({
      ...l,
      ...this.label(l),
      on: !(fold && l.constant),
      scale: 'y',
      reading: this.read(l),
    }));
    this.caption();
    this.box.append(this.head);
    this.widths();
  }
  private read(l: Line): Reading {
    return readingOf(l, this.channel.unit);
  }

  /* ---- caption ---- */

  private caption(): void {
    const name = document.createElement('b');
    name.textContent = withUnit(this.channel.title, this.channel.unit);
    this.head.append(name, ...this.list.map(l => l.label));
    if (served || equilibria || header.frames < 3) return;
    const over = document.createElement('select');
    over.className = 'over';
    over.setAttribute('aria-label', `${this.channel.title} over`);
    over.append(
      new Option('time', ''),
      new Option('spectrum', 'spectrum'),
      ...quantities().map(q => new Option(`over ${q.key}`, q.key)),
    );
    over.addEventListener('change', () => {
      this.over = over.value;
      this.draw();
    });
    this.head.append(over);
  }

  private label(l: Line): {label: HTMLElement; value: HTMLElement} {
    const label = document.createElement('button'),
      value = document.createElement('output');
    label.type = 'button';
    label.className = l.points ? 'series points' : 'series';
    label.style.setProperty('--c', l.colour);
    label.append(`${l.name} `, value);
    value.dataset.series = l.key;
    label.addEventListener('click', e => this.toggle(l.key, e.shiftKey || e.altKey));
    return {label, value};
  }

  /* A click on the legend: the line comes and goes; with shift it is the only one, or all come back. */
  private toggle(key: string, alone: boolean): void {
    const only = alone && this.list.some(l => l.on !== (l.key === key));
    for (const l of this.list)
      if (alone) l.on = !only || l.key === key;
      else if (l.key === key) l.on = !l.on;
    this.draw();
  }

  /* Numbers keep their places while they change. */
  private widths(): void {
    for (const l of this.list) l.value.style.minWidth = `${l.reading.width}ch`;
  }

  /* ---- the plot ---- */

  /* On which side each line has its axis. */
  private split(): void {
    const most = Math.max(...this.list.filter(l => l.on).map(reach)),
      can = !comparing && !equilibria && this.list.filter(l => l.on && !l.points).length > 1;
    for (const l of this.list) l.scale = can && reach(l) > 0 && reach(l) * apart < most ? 'right' : 'y';
    for (const l of this.list) {
      l.label.classList.toggle('right', l.on && l.scale === 'right');
      l.label.setAttribute('aria-pressed', String(l.on));
      l.label.title = l.constant ? 'constant; a click draws it' : 'a click hides or shows it, with shift alone';
    }
  }

  draw(): void {
    this.plot?.destroy();
    this.split();
    this.dots = [];
    this.now = null;
    this.paths = [];
    this.box.dataset.over = this.over;
    if (this.over === 'spectrum') this.drawSpectrum();
    else if (this.over) this.drawOver(this.over);
    else this.drawTime();
    this.refine();
    this.at(this.frame);
  }

  private make(o: {
    label: string;
    x: uPlot.Scale.Range;
    data: uPlot.AlignedData;
    log?: boolean;
    y?: uPlot.Scale.Range;
    hidden?: boolean; /* lines are drawn by a hook */
    gaps?: boolean;
    draw?: (u: uPlot) => void;
    pick?: (u: uPlot, left: number, top: number) => number;
    zooms?: boolean;
  }): void {
    const {pick} = o,
      right = this.list.some(l => l.on && l.scale === 'right'),
      single = header.frames < 2 && !comparing,
      [x, ...y] = o.data;
    this.plot = makePlot(
      {
        width: this.desk.width,
        height: this.desk.height,
        padding: [8, right ? 0 : 14, 0, 0],
        axes: [xAxis(o.label), {size: 62}],
        ...(right ? {right: {size: 58}} : {}),
        log: o.log,
        x: o.x,
        y: o.y,
        series: this.list.map((l, i) => ({
          label: l.name,
          stroke: l.colour,
          width: 1.5,
          dash: comparing && i ? dashes(i) : undefined,
          scale: l.scale,
          show: l.on,
          spanGaps: o.gaps,
          ...((l.points && !o.log) || o.hidden ? {paths: () => null} : {}),
          points: {
            show: ((l.points && !o.log) || (single && !equilibria) || l.t.length === 1) && !o.hidden,
            ...(l.points ? {size: 4, fill: l.colour} : {}),
          },
        })),
        cursor: {
          ...(pick && !o.hidden ? {sync: {key: 'sinew', setSeries: false}} : {}),
          y: false,
          drag: {x: !!o.zooms, y: false, setScale: false},
          points: {size: 6, show: !o.hidden},
        },
        hooks: {
          draw: o.draw ? [o.draw] : [],
          setCursor: [
            u => {
              if (pick && u.cursor.event && axis.length && (u.cursor.left ?? -1) >= 0)
                this.desk.seek(pick(u, u.cursor.left!, u.cursor.top ?? 0), false);
            },
          ],
          setSelect: [
            u => {
              const {left, width} = u.select;
              if (width > 4) this.desk.zoom([u.posToVal(left, 'x'), u.posToVal(left + width, 'x')]);
              u.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
            },
          ],
        },
      },
      x as ArrayLike<number>,
      y as ArrayLike<number | null>[],
      this.box,
    );
    if (!pick) return;
    const over = this.plot.over,
      choose = (left: number, top: number) => this.desk.seek(pick(this.plot, left, top), true),
      touch = (e: TouchEvent) => {
        const r = over.getBoundingClientRect();
        choose(e.touches[0].clientX - r.left, e.touches[0].clientY - r.top);
      };
    over.addEventListener('click', () => {
      if ((this.plot.cursor.left ?? -1) >= 0) choose(this.plot.cursor.left!, this.plot.cursor.top ?? 0);
    });
    over.addEventListener('dblclick', () => this.desk.zoom(null));
    over.addEventListener('touchstart', touch, {passive: true});
    over.addEventListener('touchmove', touch, {passive: true});
  }

  private drawTime(): void {
    const all: uPlot.AlignedData = comparing
        ? joined(this.list.map(l => [l.t, l.y]))
        : ([equilibria ? abscissa : served ? [] : axis, ...this.list.map(l => l.y)] as uPlot.AlignedData),
      plain = all as ArrayLike<number>[];
    this.make({
      label: timeLabel(),
      x: (_u, a, b) => this.desk.range ?? (comparing ? span() : a === b ? [a - 0.5, b + 0.5] : [a, b]),
      data: equilibria ? (corners([plain[0], ...plain.slice(1)]) as uPlot.AlignedData) : all,
      hidden: !!equilibria,
      gaps: comparing,
      draw: equilibria
        ? u =>
            drawLines(
              u,
              [plain[0], ...plain.slice(1).filter((_, i) => this.list[i].on)],
              this.list.filter(l => l.on).map(l => l.colour),
            )
        : undefined,
      pick: (u, left, top) =>
        equilibria ? frameNear(u, [plain[0], ...plain.slice(1)], left, top) : nearest(axis, u.posToVal(left, 'x')),
      zooms: true,
    });
    this.now = addMark(this.plot);
  }

  private drawOver(key: string): void {
    const q = quantities().find(o => o.key === key)!;
    this.paths = this.list.map((l, i) => ({
      x: q.of(l.ids) ?? [],
      y: l.y,
      colour: l.colour,
      scale: l.scale,
      points: l.points,
      dash: comparing && i ? dashes(i) : [],
    }));
    const on = () => this.paths.filter((_, i) => this.list[i].on && this.paths[i].x.length),
      ends = this.paths.map(p => corners([p.x, p.y]) as [ArrayLike<number>, ArrayLike<number>]),
      lead = () => on().find(p => p.x.length === axis.length) ?? on()[0];
    this.make({
      label: withUnit(q.key, q.unit),
      x: (_u, a, b) => (a === b ? [a - 0.5, b + 0.5] : uPlot.rangeNum(a, b, 0.05, true)),
      data: joined(ends.map(([x, y]) => (x[0] < x[1] ? [x, y] : [[0], [0]]))),
      hidden: true,
      draw: u => drawPaths(u, on()),
      pick: (u, left, top) => (lead() ? nearestOn(u, lead(), left, top) : 0),
    });
    this.dots = this.list.map(l => addDot(this.plot, l.colour));
  }

  private drawSpectrum(): void {
    const [from, to] = this.desk.range ?? this.desk.whole,
      all = this.list.map(l => spectrum(l.t, l.y, from, to)),
      none: [number[], number[]] = [
        [0, 1],
        [1, 1],
      ],
      /* amplitudes of nothing but rounding are left out: a logarithm would show them largest of all */
      top = Math.max(...all.map(([, y]) => y.reduce((a, b) => Math.max(a, b), 0))),
      kept = all.map(([f, y]): [ArrayLike<number>, ArrayLike<number>] => [f, y.map(a => Math.max(a, 1e-9 * top))]);
    this.make({
      label: 'frequency (Hz)',
      y: (_u, a, b) => [10 ** Math.floor(Math.log10(Math.max(a, 1e-6 * b))), 10 ** Math.ceil(Math.log10(b))],
      x: (_u, a, b) => [Math.min(a, 0), b],
      data: joined(kept.every(([f]) => !f.length) || !(top > 0) ? this.list.map(() => none) : kept),
      log: true,
      gaps: true,
    });
  }

  /* ---- what changes ---- */

  resize(): void {
    this.plot.setSize({width: this.desk.width, height: this.desk.height});
    this.refine();
  }
  redraw(): void {
    this.plot.redraw(false, true);
  }
  /* The range of time has changed. */
  zoomed(): void {
    this.refine();
    if (this.over === 'spectrum') return this.draw();
    const [min, max] = this.desk.range ?? this.desk.whole;
    if (!this.over) this.plot.setScale('x', {min, max});
  }
  destroy(): void {
    this.plot.destroy();
    this.box.remove();
  }
  get data(): number[][] {
    return this.plot.data.map(d => Array.from(d as number[]));
  }
  /* From where to where its axes go. */
  get scales(): Record<string, [number, number]> {
    return Object.fromEntries(
      Object.entries(this.plot.scales).map(([k, s]) => [k, [s.min ?? NaN, s.max ?? NaN] as [number, number]]),
    );
  }

  /* A served page: lines as fine as the range shown needs them; the last question counts. */
  private refine(): void {
    if (!served) return;
    const number = ++this.asked,
      {sensor: s, parts} = this.channel;
    overview(s, parts, this.desk.range, this.desk.width).then(
      got => {
        if (this.asked !== number || !this.box.isConnected) return;
        parts.forEach((k, i) => {
          learn(s, k, got[i + 1]);
          this.list[i].range = rangeOf(s, k);
          this.list[i].reading = this.read(this.list[i]);
        });
        this.widths();
        this.plot.setData(got as uPlot.AlignedData);
        this.at(this.frame);
      },
      () => {},
    );
  }

  /* Numbers and marks of a frame. */
  at(frame: number): void {
    this.frame = frame;
    const there = this.rows?.find(frame) ?? false,
      t = axis[frame] ?? 0;
    if (!there && this.rows instanceof Pieces) this.rows.want(frame);
    this.list.forEach((l, i) => {
      const k = comparing ? nearest(l.t, t) : frame,
        x = comparing ? l.y[k] : there ? this.rows!.data[this.rows!.at + l.part] : undefined;
      l.value.textContent = l.reading.text(x);
      l.value.dataset.value = String(x);
      l.value.title = String(x); /* every digit, for who asks */
      if (this.dots[i]) {
        moveDot(this.plot, this.dots[i], this.paths[i], k);
        this.dots[i].hidden ||= !l.on;
      }
    });
    if (this.now) moveMark(this.plot, this.now, abscissa[frame] ?? 0);
  }
}
