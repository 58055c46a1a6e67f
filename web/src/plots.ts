/* Sensors as plots, one for each unit of a sensor; they share their time axis and the cursor. */
import type uPlot from 'uplot';
import {addMark, makePlot, moveMark, palette} from './chart';
import {Sensor, axis, component, header, sensor, unit} from './data';

export interface Channel { sensor: Sensor; unit: string; parts: number[]; title: string }

/* Nine digits; the exact number is in data-value. */
export const shown = (x: number): string => Number.isFinite(x) ? String(Number(x.toPrecision(9))).replace('-', '−') : '–';

export const channels: Channel[] = header.sensors.flatMap(s => {
  const units = [...new Set(Array.from({length: s.width}, (_, k) => unit(s, k)))];
  return units.map(u => ({sensor: s, unit: u, title: s.name, parts: Array.from({length: s.width}, (_, k) => k).filter(k => unit(s, k) === u)}));
});

export class Plots {
  private open = new Map<Channel, {plot: uPlot; box: HTMLElement; values: HTMLElement[]; now: HTMLElement; data: Float64Array}>();
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
    const raw = sensor(c.sensor), w = c.sensor.width, box = document.createElement('figure'), head = document.createElement('figcaption');
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
    const lines = c.parts.map(k => { const y = new Float64Array(header.frames); for (let i = 0; i < y.length; i++) y[i] = raw[i * w + k]; return y; });
    const plot = makePlot({
      width: this.width(), height: this.height(), padding: [8, 14, 0, 0], axes: [{size: 26}, {size: 62}],
      x: (_u, a, b) => this.range ?? (a === b ? [a - 0.5, b + 0.5] : [a, b]),
      series: c.parts.map((k, i) => ({label: component(c.sensor, k), stroke: palette[i % palette.length], width: 1.5, points: {show: header.frames < 2}})),
      cursor: {sync: {key: 'sinew', setSeries: false}, y: false, drag: {x: true, y: false, setScale: false}, points: {size: 6}},
      hooks: {
        setCursor: [u => { if (u.cursor.event && u.cursor.idx != null && (u.cursor.left ?? -1) >= 0) this.seek(u.cursor.idx, false); }],
        setSelect: [u => {
          if (u.select.width > 4) this.zoom([u.posToVal(u.select.left, 'x'), u.posToVal(u.select.left + u.select.width, 'x')]);
          u.setSelect({left: 0, top: 0, width: 0, height: 0}, false);
        }],
      },
    }, axis, lines, box);
    const now = addMark(plot);
    plot.over.addEventListener('click', () => { if (plot.cursor.idx != null) this.seek(plot.cursor.idx, true); });
    plot.over.addEventListener('dblclick', () => this.zoom(null));
    const touch = (e: TouchEvent) => { const r = plot.over.getBoundingClientRect(); this.seek(plot.posToIdx(e.touches[0].clientX - r.left), true); };
    plot.over.addEventListener('touchstart', touch, {passive: true});
    plot.over.addEventListener('touchmove', touch, {passive: true});
    this.open.set(c, {plot, box, values, now, data: raw});
    this.at(this.frame);
  }

  zoom(range: [number, number] | null): void {
    this.range = range;
    for (const o of this.open.values()) o.plot.setScale('x', {min: range ? range[0] : axis[0], max: range ? range[1] : axis[axis.length - 1]});
    this.at(this.frame);
  }
  get shownRange(): [number, number] { return this.range ?? [axis[0], axis[axis.length - 1]]; }
  redraw(): void { for (const o of this.open.values()) o.plot.redraw(false, true); }

  /* Numbers and marks of a frame. */
  at(frame: number): void {
    this.frame = frame;
    for (const [c, o] of this.open) {
      c.parts.forEach((k, i) => {
        const x = o.data[frame * c.sensor.width + k];
        o.values[i].textContent = x === undefined ? '–' : shown(x);
        o.values[i].dataset.value = String(x);
      });
      moveMark(o.plot, o.now, axis[frame] ?? 0);
    }
  }

  /* What is shown, all frames, every digit. */
  csv(): string {
    const list = this.chosen.flatMap(c => c.parts.map(k => ({c, k})));
    const rows = [['t', ...list.map(({c, k}) => `${c.sensor.name}.${component(c.sensor, k)}`)].join(',')];
    for (let i = 0; i < header.frames; i++) rows.push([axis[i], ...list.map(({c, k}) => sensor(c.sensor)[i * c.sensor.width + k])].join(','));
    return rows.join('\n') + '\n';
  }
}
