/* Sensors as plots, one for each unit of a sensor; they share their time axis and the cursor. */
import type uPlot from 'uplot';
import {addMark, makePlot, moveMark, palette} from './chart';
import {Pieces, Rows, Sensor, axis, columnOf, component, gather, header, nearest, sensor, served, unit} from './data';
import {Lines, everything, overview} from './overview';

export interface Channel { sensor: Sensor; unit: string; parts: number[]; title: string }

/* Nine digits; the exact number is in data-value. */
export const shown = (x: number): string => Number.isFinite(x) ? String(Number(x.toPrecision(9))).replace('-', '−') : '–';

export const channels: Channel[] = header.sensors.flatMap(s => {
  const units = [...new Set(Array.from({length: s.width}, (_, k) => unit(s, k)))];
  return units.map(u => ({sensor: s, unit: u, title: s.name, parts: Array.from({length: s.width}, (_, k) => k).filter(k => unit(s, k) === u)}));
});

export class Plots {
  private open = new Map<Channel, {plot: uPlot; box: HTMLElement; values: HTMLElement[]; now: HTMLElement; rows: Rows; asked: number}>();
  private frame = 0;
  private range: [number, number] | null = null;

  constructor(private host: HTMLElement, private seek: (frame: number, chosen: boolean) => void) {
    new ResizeObserver(() => this.resize()).observe(host);
  }

  get chosen(): Channel[] { return channels.filter(c => this.open.has(c)); }
  private width(): number { return Math.max(this.host.clientWidth - 16, 120); }
  private height(): number { return innerWidth < 800 ? 150 : 170; }
  private resize(): void {
    for (const [c, o] of this.open) { o.plot.setSize({width: this.width(), height: this.height()}); this.refine(c); }
    this.at(this.frame);
  }

  toggle(c: Channel, on: boolean): void {
    const old = this.open.get(c);
    if (old && !on) { old.plot.destroy(); old.box.remove(); this.open.delete(c); }
    if (!old && on) this.add(c);
    for (const k of this.chosen) this.host.append(this.open.get(k)!.box);
  }

  private add(c: Channel): void {
    const rows = sensor(c.sensor), box = document.createElement('figure'), head = document.createElement('figcaption');
    const name = document.createElement('b');
    name.textContent = c.title + (c.unit ? ` (${c.unit})` : '');
    head.append(name);
    const values = c.parts.map((k, i) => {
      const label = document.createElement('span'), out = document.createElement('output');
      label.className = 'series';
      label.style.setProperty('--c', palette[i % palette.length]);
      label.textContent = component(c.sensor, k) + ' ';
      out.dataset.series = `${c.sensor.name}.${component(c.sensor, k)}`;
      label.append(out);
      head.append(label);
      return out;
    });
    box.append(head);
    this.host.append(box);
    const [x, ...lines] = everything(c.sensor, c.parts);
    const plot = makePlot({
      width: this.width(), height: this.height(), padding: [8, 14, 0, 0], axes: [{size: 26}, {size: 62}],
      x: (_u, a, b) => this.range ?? (a === b ? [a - 0.5, b + 0.5] : [a, b]),
      series: c.parts.map((k, i) => ({label: component(c.sensor, k), stroke: palette[i % palette.length], width: 1.5, points: {show: header.frames < 2}})),
      cursor: {sync: {key: 'sinew', setSeries: false}, y: false, drag: {x: true, y: false, setScale: false}, points: {size: 6}},
      hooks: {
        setCursor: [u => { if (u.cursor.event && axis.length && (u.cursor.left ?? -1) >= 0) this.seek(nearest(u.posToVal(u.cursor.left!, 'x')), false); }],
        setSelect: [u => {
          if (u.select.width > 4) this.zoom([u.posToVal(u.select.left, 'x'), u.posToVal(u.select.left + u.select.width, 'x')]);
          u.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
        }],
      },
    }, x, lines, box);
    const now = addMark(plot);
    plot.over.addEventListener('click', () => { if ((plot.cursor.left ?? -1) >= 0) this.seek(nearest(plot.posToVal(plot.cursor.left!, 'x')), true); });
    plot.over.addEventListener('dblclick', () => this.zoom(null));
    const touch = (e: TouchEvent) => { const r = plot.over.getBoundingClientRect(); this.seek(nearest(plot.posToVal(e.touches[0].clientX - r.left, 'x')), true); };
    plot.over.addEventListener('touchstart', touch, {passive: true});
    plot.over.addEventListener('touchmove', touch, {passive: true});
    this.open.set(c, {plot, box, values, now, rows, asked: 0});
    this.refine(c);
    this.at(this.frame);
  }

  /* A served page: lines as fine as the range shown needs them; the last question counts. */
  private refine(c: Channel): void {
    const o = this.open.get(c);
    if (!served || !o) return;
    const number = ++o.asked;
    overview(c.sensor, c.parts, this.range, this.width()).then((lines: Lines) => {
      if (this.open.get(c) !== o || o.asked !== number) return;
      o.plot.setData(lines as uPlot.AlignedData);
      this.at(this.frame);
    }, () => {});
  }

  zoom(range: [number, number] | null): void {
    this.range = range;
    for (const c of this.open.keys()) this.refine(c);
    for (const o of this.open.values()) o.plot.setScale('x', {min: range ? range[0] : axis[0], max: range ? range[1] : axis[axis.length - 1]});
    this.at(this.frame);
  }
  get shownRange(): [number, number] { return this.range ?? [axis[0], axis[axis.length - 1]]; }
  /* What the first plot of a sensor draws. */
  lines(name: string): number[][] { for (const [c, o] of this.open) if (c.sensor.name === name) return o.plot.data.map(d => Array.from(d as number[])); return []; }
  redraw(): void { for (const o of this.open.values()) o.plot.redraw(false, true); }

  /* Numbers and marks of a frame. */
  at(frame: number): void {
    this.frame = frame;
    for (const [c, o] of this.open) {
      const there = o.rows.find(frame);
      if (!there && o.rows instanceof Pieces) o.rows.want(frame);
      c.parts.forEach((k, i) => {
        const x = there ? o.rows.data[o.rows.at + k] : undefined;
        o.values[i].textContent = x === undefined ? '–' : shown(x);
        o.values[i].dataset.value = String(x);
      });
      moveMark(o.plot, o.now, axis[frame] ?? 0);
    }
  }

  /* What is shown, all frames, every digit. */
  async csv(): Promise<string> {
    const all = new Map(await Promise.all(this.chosen.map(async c => [c, served ? await gather(columnOf(c.sensor), c.sensor.width, 0, header.frames, 1, false) : sensor(c.sensor).data] as const)));
    const list = this.chosen.flatMap(c => c.parts.map(k => ({c, k})));
    const rows = [['t', ...list.map(({c, k}) => `${c.sensor.name}.${component(c.sensor, k)}`)].join(',')];
    for (let i = 0; i < header.frames; i++) rows.push([axis[i], ...list.map(({c, k}) => all.get(c)![i * c.sensor.width + k])].join(','));
    return rows.join('\n') + '\n';
  }
}
