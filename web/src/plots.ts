/* Sensors as plots, one for each unit of a sensor, or, where results are compared, for each component; they share
   their time axis and the cursor. */
import type uPlot from 'uplot';
import {addMark, makePlot, moveMark, palette} from './chart';
import {nearest} from './clock';
import {Curve, comparing, curves, joined, names, span} from './compare';
import {Pieces, Rows, Sensor, axis, columnOf, component, gather, header, sensor, served, unit} from './data';
import {abscissa, corners, drawLines, equilibria, frameNear, reach} from './equilibria';
import {Lines, everything, overview} from './overview';

export interface Channel {
  sensor: Sensor;
  unit: string;
  parts: number[];
  title: string;
  key?: string;
}

/* A line of a plot; points: measured. */
interface Line {
  name: string;
  colour: string;
  key: string;
  points: boolean;
  single: boolean;
}

/* Nine digits; the exact number is in data-value. */
export const shown = (x: number): string =>
  Number.isFinite(x) ? String(Number(x.toPrecision(9))).replace('-', '−') : '–';

export const channels: Channel[] = comparing
  ? names().map(n => ({sensor: n.sensor, unit: n.unit, title: n.key, parts: [n.part], key: n.key}))
  : header.sensors.flatMap(s => {
      const units = [...new Set(Array.from({length: s.width}, (_, k) => unit(s, k)))];
      return units.map(u => ({
        sensor: s,
        unit: u,
        title: s.name,
        parts: Array.from({length: s.width}, (_, k) => k).filter(k => unit(s, k) === u),
      }));
    });

export class Plots {
  private open = new Map<
    Channel,
    {
      plot: uPlot;
      box: HTMLElement;
      values: HTMLElement[];
      now: HTMLElement;
      rows: Rows | null;
      curves: Curve[];
      asked: number;
    }
  >();
  private frame = 0;
  private range: [number, number] | null = null;

  constructor(
    private host: HTMLElement,
    private seek: (frame: number, chosen: boolean) => void,
  ) {
    new ResizeObserver(() => this.resize()).observe(host);
  }

  get chosen(): Channel[] {
    return channels.filter(c => this.open.has(c));
  }
  private width(): number {
    return Math.max(this.host.clientWidth - 16, 120);
  }
  private height(): number {
    return innerWidth < 800 ? 150 : 170;
  }
  private resize(): void {
    for (const [c, o] of this.open) {
      o.plot.setSize({width: this.width(), height: this.height()});
      this.refine(c);
    }
    this.at(this.frame);
  }

  toggle(c: Channel, on: boolean): void {
    const old = this.open.get(c);
    if (old && !on) {
      old.plot.destroy();
      old.box.remove();
      this.open.delete(c);
    }
    if (!old && on) this.add(c);
    for (const k of this.chosen) this.host.append(this.open.get(k)!.box);
  }

  private add(c: Channel): void {
    const list = c.key === undefined ? [] : curves(c.key),
      rows = comparing ? null : sensor(c.sensor),
      box = document.createElement('figure'),
      head = document.createElement('figcaption');
    const name = document.createElement('b');
    name.textContent = c.title + (c.unit ? ` (${c.unit})` : '');
    head.append(name);
    const lines: Line[] = comparing
      ? list.map(o => ({
          name: o.name,
          colour: o.colour,
          key: `${o.ids}${c.key}`,
          points: o.points,
          single: o.x.length < 2,
        }))
      : c.parts.map((k, i) => ({
          name: component(c.sensor, k),
          colour: palette[i % palette.length],
          key: `${c.sensor.name}.${component(c.sensor, k)}`,
          points: false,
          single: header.frames < 2,
        }));
    const values = lines.map(l => this.label(head, l));
    box.append(head);
    this.host.append(box);
    const all = comparing ? (joined(list) as Lines) : everything(c.sensor, c.parts);
    if (equilibria) all[0] = abscissa;
    const [x, ...y] = equilibria ? corners(all) : all,
      pick = (u: uPlot, left: number, top: number) =>
        equilibria ? frameNear(u, all, left, top) : nearest(axis, u.posToVal(left, 'x'));
    const plot = makePlot(
      {
        width: this.width(),
        height: this.height(),
        padding: [8, 14, 0, 0],
        axes: [{size: 26}, {size: 62}],
        x: (_u, a, b) => this.range ?? (comparing ? span() : a === b ? [a - 0.5, b + 0.5] : [a, b]),
        series: lines.map(l => ({
          label: l.name,
          stroke: l.colour,
          width: 1.5,
          spanGaps: comparing,
          ...(l.points || equilibria ? {paths: () => null} : {}),
          points: {show: l.points || (l.single && !equilibria), ...(l.points ? {size: 4, fill: l.colour} : {})},
        })),
        cursor: {
          sync: {key: 'sinew', setSeries: false},
          y: false,
          drag: {x: true, y: false, setScale: false},
          points: {size: 6, show: !equilibria},
        },
        hooks: {
          draw: equilibria
            ? [
                u =>
                  drawLines(
                    u,
                    all,
                    lines.map(l => l.colour),
                  ),
              ]
            : [],
          setCursor: [
            u => {
              if (u.cursor.event && axis.length && (u.cursor.left ?? -1) >= 0)
                this.seek(pick(u, u.cursor.left!, u.cursor.top ?? 0), false);
            },
          ],
          setSelect: [
            u => {
              if (u.select.width > 4)
                this.zoom([u.posToVal(u.select.left, 'x'), u.posToVal(u.select.left + u.select.width, 'x')]);
              u.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
            },
          ],
        },
      },
      x,
      y,
      box,
    );
    const now = addMark(plot);
    plot.over.addEventListener('click', () => {
      if ((plot.cursor.left ?? -1) >= 0) this.seek(pick(plot, plot.cursor.left!, plot.cursor.top ?? 0), true);
    });
    plot.over.addEventListener('dblclick', () => this.zoom(null));
    const touch = (e: TouchEvent) => {
      const r = plot.over.getBoundingClientRect();
      this.seek(pick(plot, e.touches[0].clientX - r.left, e.touches[0].clientY - r.top), true);
    };
    plot.over.addEventListener('touchstart', touch, {passive: true});
    plot.over.addEventListener('touchmove', touch, {passive: true});
    this.open.set(c, {plot, box, values, now, rows, curves: list, asked: 0});
    this.refine(c);
    this.at(this.frame);
  }

  private label(head: HTMLElement, l: Line): HTMLElement {
    const label = document.createElement('span'),
      out = document.createElement('output');
    label.className = l.points ? 'series points' : 'series';
    label.style.setProperty('--c', l.colour);
    label.textContent = l.name + ' ';
    out.dataset.series = l.key;
    label.append(out);
    head.append(label);
    return out;
  }

  /* A served page: lines as fine as the range shown needs them; the last question counts. */
  private refine(c: Channel): void {
    const o = this.open.get(c);
    if (!served || !o) return;
    const number = ++o.asked;
    overview(c.sensor, c.parts, this.range, this.width()).then(
      (lines: Lines) => {
        if (this.open.get(c) !== o || o.asked !== number) return;
        o.plot.setData(lines as uPlot.AlignedData);
        this.at(this.frame);
      },
      () => {},
    );
  }

  private get whole(): [number, number] {
    return comparing ? span() : equilibria ? reach(abscissa) : [axis[0], axis[axis.length - 1]];
  }
  zoom(range: [number, number] | null): void {
    this.range = range;
    const [min, max] = range ?? this.whole;
    for (const c of this.open.keys()) this.refine(c);
    for (const o of this.open.values()) o.plot.setScale('x', {min, max});
    this.at(this.frame);
  }
  get shownRange(): [number, number] {
    return this.range ?? this.whole;
  }
  /* What the first plot of a sensor draws. */
  lines(name: string): number[][] {
    for (const [c, o] of this.open)
      if (c.sensor.name === name) return o.plot.data.map(d => Array.from(d as number[]));
    return [];
  }
  redraw(): void {
    for (const o of this.open.values()) o.plot.redraw(false, true);
  }

  /* Numbers and marks of a frame. */
  at(frame: number): void {
    this.frame = frame;
    for (const [c, o] of this.open) {
      const there = o.rows?.find(frame) ?? false;
      if (!there && o.rows instanceof Pieces) o.rows.want(frame);
      o.values.forEach((out, i) => {
        const v = o.curves[i],
          x = v ? v.y[nearest(v.x, axis[frame] ?? 0)] : there ? o.rows!.data[o.rows!.at + c.parts[i]] : undefined;
        out.textContent = x === undefined ? '–' : shown(x);
        out.dataset.value = String(x);
      });
      moveMark(o.plot, o.now, abscissa[frame] ?? 0);
    }
  }

  /* What is shown of the first result, all frames, every digit. */
  async csv(): Promise<string> {
    const own = this.chosen.filter(c => header.sensors.includes(c.sensor));
    const all = new Map(
      await Promise.all(
        own.map(
          async c =>
            [
              c,
              served
                ? await gather(columnOf(c.sensor), c.sensor.width, 0, header.frames, 1, false)
                : sensor(c.sensor).data,
            ] as const,
        ),
      ),
    );
    const list = own.flatMap(c => c.parts.map(k => ({c, k})));
    const rows = [['t', ...list.map(({c, k}) => `${c.sensor.name}.${component(c.sensor, k)}`)].join(',')];
    for (let i = 0; i < header.frames; i++)
      rows.push([axis[i], ...list.map(({c, k}) => all.get(c)![i * c.sensor.width + k])].join(','));
    return rows.join('\n') + '\n';
  }
}
