/* Sensors as plots, one for each unit of a sensor, or, where results are compared, for each component; they share their
   time axis and the cursor. */
import uPlot from 'uplot';
import {Curve, comparing, curves, joined, names, nearest, span} from './compare';
import {Sensor, axis, component, header, sensor, unit} from './data';

export interface Channel { sensor: Sensor; unit: string; parts: number[]; title: string; key?: string }

const colours = ['#3b7dd8', '#e0702a', '#2f9e68', '#b8459b', '#8a6fd1', '#a8902a'];

/* Nine digits; the exact number is in data-value. */
export const shown = (x: number): string => Number.isFinite(x) ? String(Number(x.toPrecision(9))).replace('-', '−') : '–';

export const channels: Channel[] = comparing ? names().map(n => ({sensor: n.sensor, unit: n.unit, title: n.key, parts: [n.part], key: n.key})) : header.sensors.flatMap(s => {
  const units = [...new Set(Array.from({length: s.width}, (_, k) => unit(s, k)))];
  return units.map(u => ({sensor: s, unit: u, title: s.name, parts: Array.from({length: s.width}, (_, k) => k).filter(k => unit(s, k) === u)}));
});

/* Room around a constant; also where it varies by rounding alone. */
function flat(a: number | null, b: number | null): [number, number] | null {
  if (a === null || b === null || !Number.isFinite(a) || !Number.isFinite(b)) return [-1, 1];
  const size = Math.max(Math.abs(a), Math.abs(b));
  return b - a > 1e-9 * size ? null : size === 0 ? [-1, 1] : [a - 0.1 * size, b + 0.1 * size];
}

export class Plots {
  private open = new Map<Channel, {plot: uPlot; box: HTMLElement; values: HTMLElement[]; now: HTMLElement; data: Float64Array; curves: Curve[] | null}>();
  private frame = 0;
  private range: [number, number] | null = null;

  constructor(private host: HTMLElement, private seek: (frame: number, chosen: boolean) => void) {
    new ResizeObserver(() => this.resize()).observe(host);
  }

  get chosen(): Channel[] { return channels.filter(c => this.open.has(c)); }
  private width(): number { return Math.max(this.host.clientWidth - 16, 120); }
  private height(): number { return innerWidth < 800 ? 150 : 170; }
  private resize(): void {
    for (const o of this.open.values()) o.plot.setSize({width: this.width(), height: this.height()});
    this.at(this.frame);
  }

  toggle(c: Channel, on: boolean): void {
    const old = this.open.get(c);
    if (old && !on) { old.plot.destroy(); old.box.remove(); this.open.delete(c); }
    if (!old && on) this.add(c);
    for (const k of this.chosen) this.host.append(this.open.get(k)!.box);
  }

  private add(c: Channel): void {
    const list = c.key === undefined ? null : curves(c.key), raw = list ? new Float64Array(0) : sensor(c.sensor), w = c.sensor.width, box = document.createElement('figure'), head = document.createElement('figcaption');
    const name = document.createElement('b');
    name.textContent = c.title + (c.unit ? ` (${c.unit})` : '');
    head.append(name);
    const values = list ? list.map(o => this.label(head, o.name, o.colour, o.ids ? `${o.ids}${c.key}` : c.key!, o.points)) : c.parts.map((k, i) => this.label(head, component(c.sensor, k), colours[i % colours.length], `${c.sensor.name}.${component(c.sensor, k)}`));
    box.append(head);
    this.host.append(box);
    const lines = list ? [] : c.parts.map(k => { const y = new Float64Array(header.frames); for (let i = 0; i < y.length; i++) y[i] = raw[i * w + k]; return y; });
    const ink = () => getComputedStyle(document.documentElement).getPropertyValue('--faint').trim() || '#888';
    const grid = () => getComputedStyle(document.documentElement).getPropertyValue('--rule').trim() || '#ddd';
    const ax = {stroke: ink, grid: {stroke: grid, width: 1}, ticks: {stroke: grid, width: 1}, font: '11px system-ui, sans-serif'};
    const plot = new uPlot({
      width: this.width(), height: this.height(), legend: {show: false}, padding: [8, 14, 0, 0],
      scales: {x: {time: false, range: (_u, a, b) => this.range ?? (list ? span() : a === b ? [a - 0.5, b + 0.5] : [a, b])}, y: {range: (_u, a, b) => flat(a, b) ?? uPlot.rangeNum(a, b, 0.1, true)}},
      axes: [{...ax, size: 26}, {...ax, size: 62}],
      series: [{}, ...list ? list.map(o => ({label: o.name, stroke: o.colour, width: 1.5, spanGaps: true, ...o.points ? {paths: () => null} : {}, points: {show: o.points || o.x.length < 2, size: 4, fill: o.colour}})) : c.parts.map((k, i) => ({label: component(c.sensor, k), stroke: colours[i % colours.length], width: 1.5, points: {show: header.frames < 2}}))],
      cursor: {sync: {key: 'sinew', setSeries: false}, y: false, drag: {x: true, y: false, setScale: false}, points: {size: 6}},
      hooks: {
        setCursor: [u => { if (u.cursor.event && u.cursor.idx != null && (u.cursor.left ?? -1) >= 0) this.seek(this.frameAt(u, u.cursor.idx), false); }],
        setSelect: [u => {
          if (u.select.width > 4) this.zoom([u.posToVal(u.select.left, 'x'), u.posToVal(u.select.left + u.select.width, 'x')]);
          u.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
        }],
      },
    }, list ? joined(list) : [axis as unknown as number[], ...lines as unknown as number[][]], box);
    const now = document.createElement('div');
    now.className = 'now';
    plot.over.append(now);
    plot.over.addEventListener('click', () => { if (plot.cursor.idx != null) this.seek(this.frameAt(plot, plot.cursor.idx), true); });
    plot.over.addEventListener('dblclick', () => this.zoom(null));
    const touch = (e: TouchEvent) => { const r = plot.over.getBoundingClientRect(); this.seek(this.frameAt(plot, plot.posToIdx(e.touches[0].clientX - r.left)), true); };
    plot.over.addEventListener('touchstart', touch, {passive: true});
    plot.over.addEventListener('touchmove', touch, {passive: true});
    this.open.set(c, {plot, box, values, now, data: raw, curves: list});
    this.at(this.frame);
  }

  /* Of the first result: the frame nearest to a place on a plot's axis. */
  private frameAt(u: uPlot, idx: number): number { return comparing ? nearest(axis, u.data[0][idx]) : idx; }

  private label(head: HTMLElement, text: string, colour: string, series: string, points = false): HTMLElement {
    const label = document.createElement('span'), out = document.createElement('output');
    label.className = points ? 'series points' : 'series';
    label.style.setProperty('--c', colour);
    label.textContent = text + ' ';
    out.dataset.series = series;
    label.append(out);
    head.append(label);
    return out;
  }

  private get whole(): [number, number] { return comparing ? span() : [axis[0], axis[axis.length - 1]]; }
  zoom(range: [number, number] | null): void {
    this.range = range;
    const [min, max] = range ?? this.whole;
    for (const o of this.open.values()) o.plot.setScale('x', {min, max});
    this.at(this.frame);
  }
  get shownRange(): [number, number] { return this.range ?? this.whole; }
  redraw(): void { for (const o of this.open.values()) o.plot.redraw(false, true); }

  /* Numbers and marks of a frame. */
  at(frame: number): void {
    this.frame = frame;
    for (const [c, o] of this.open) {
      const y = o.curves ? o.curves.map(v => v.y[nearest(v.x, axis[frame] ?? 0)]) : c.parts.map(k => o.data[frame * c.sensor.width + k]);
      y.forEach((x, i) => {
        o.values[i].textContent = x === undefined ? '–' : shown(x);
        o.values[i].dataset.value = String(x);
      });
      const left = o.plot.valToPos(axis[frame] ?? 0, 'x');
      o.now.style.transform = `translateX(${left}px)`;
      o.now.hidden = !(left >= 0 && left <= o.plot.over.clientWidth);
    }
  }

  /* What is shown of the first result, all frames, every digit. */
  csv(): string {
    const list = this.chosen.filter(c => header.sensors.includes(c.sensor)).flatMap(c => c.parts.map(k => ({c, k})));
    const rows = [['t', ...list.map(({c, k}) => `${c.sensor.name}.${component(c.sensor, k)}`)].join(',')];
    for (let i = 0; i < header.frames; i++) rows.push([axis[i], ...list.map(({c, k}) => sensor(c.sensor)[i * c.sensor.width + k])].join(','));
    return rows.join('\n') + '\n';
  }
}
