/* A plot of the report, made by chart.ts: lines, points, bands and stems over an axis that plots share; worked by
   mouse, touch and keyboard. */
import uPlot from 'uplot';
import {colour, makePlot} from '../chart';
import {Axis} from './axis';
import {clamp, el} from './dom';
import {Ticks, fin, fmt, scientific, ticks} from './numbers';
import {listen} from './pointing';
import {all, redraw, watch} from './sight';

/* soft: may not stretch the range much; half: of the band around y. */
export interface Series {
  name: string;
  kind: 'line' | 'points' | 'stems' | 'band';
  y: Float64Array;
  half?: Float64Array;
  colour?: string;
  thin?: boolean;
  soft?: boolean;
  dots?: boolean;
  out?: HTMLOutputElement;
  button?: HTMLElement;
}
export interface Options {
  name: string;
  unit?: string;
  note?: string;
  height?: number;
  x: Float64Array;
  xName?: string;
  axis: Axis;
  log?: boolean;
  label?: string;
  shade?: [number, number] | null; /* also in the range of y */
  marks?: {x: number; text: string}[];
  spots?: Spot[];
  zero?: boolean; /* the range of y begins at 0 */
  powers?: boolean; /* x are powers of ten */
  series: Series[];
}
/* A point with a word beside it. */
export interface Spot {
  x: number;
  y: number;
  text: string;
}

const hidden = new Set<string>(); /* names of curves that the reader switched off */
const TOP = 12,
  RIGHT = 8,
  BOTTOM = 24;

export class Plot {
  readonly name: string;
  readonly unit: string;
  readonly height: number;
  readonly x: Float64Array;
  readonly xName: string;
  readonly axis: Axis;
  readonly log: boolean;
  readonly shade: [number, number] | null;
  readonly marks: {x: number; text: string}[];
  readonly spots: Spot[];
  readonly zero: boolean;
  readonly powers: boolean;
  readonly series: Series[];
  readonly host: HTMLElement;
  readonly at = el('output', {class: 'at'});
  seen = false;
  stale = true;
  private plot: uPlot | null = null;
  private yRange: [number, number] = [0, 1];
  private rows: Ticks = {at: [], write: fmt, power: ''};
  private now = el('div', {class: 'now', hidden: true});
  private box = el('div', {class: 'chosen', hidden: true});
  private dots: HTMLElement[];

  constructor(parent: HTMLElement, o: Options) {
    this.name = o.name;
    this.unit = o.unit ?? '';
    this.height = o.height ?? 210;
    this.x = o.x;
    this.xName = o.xName ?? 't (s)';
    this.axis = o.axis;
    this.log = o.log ?? false;
    this.shade = o.shade?.every(fin) ? o.shade : null;
    this.marks = o.marks ?? [];
    this.spots = o.spots ?? [];
    this.zero = o.zero ?? false;
    this.powers = o.powers ?? false;
    this.series = o.series;
    const top = el(
      'div',
      {},
      el('b', {}, this.name),
      this.unit ? el('span', {}, this.unit) : null,
      o.note ? el('span', {}, o.note) : null,
    );
    const keys = this.series.filter(s => s.name).length > 1 ? el('div') : top;
    for (const s of this.series) if (s.name) keys.append(this.key(s));
    top.append(this.at);
    this.dots = this.series.map(s => el('i', {class: 'dot', style: `--swatch: var(--${s.colour})`, hidden: true}));
    this.host = el(
      'div',
      {
        class: 'canvas',
        tabindex: 0,
        role: 'application',
        'aria-roledescription': 'plot',
        'aria-label': o.label ?? this.name,
        style: `height: ${this.height}px`,
      },
      this.box,
      this.now,
      ...this.dots,
    );
    parent.append(el('figure', {}, el('figcaption', {}, top, keys === top ? null : keys), this.host));
    this.axis.plots.add(this);
    listen(this);
    watch(this);
  }
  private key(s: Series): HTMLElement {
    s.button = el('button', {type: 'button', 'aria-pressed': String(!hidden.has(s.name))}, s.name);
    s.out = el('output', {'data-series': s.name});
    s.button.onclick = () => toggle(s.name);
    return el(
      'span',
      {
        class: `key ${s.kind === 'points' ? 'points' : ''} ${s.thin ? 'thin' : ''}`,
        style: `--swatch: var(--${s.colour})`,
      },
      s.button,
      s.out,
    );
  }
  gone(): void {
    this.axis.plots.delete(this);
    this.plot?.destroy();
  }

  get inner(): {left: number; top: number; right: number; bottom: number; w: number} {
    const w = this.host.clientWidth,
      left = w < 420 ? 46 : 56;
    return {left, top: TOP, right: Math.max(w - RIGHT, left + 10), bottom: this.height - BOTTOM, w};
  }
  X(x: number): number {
    const b = this.inner,
      [lo, hi] = this.axis.range;
    return b.left + ((x - lo) / (hi - lo)) * (b.right - b.left);
  }
  invert(px: number): number {
    const b = this.inner,
      [lo, hi] = this.axis.range;
    return lo + ((clamp(px, b.left, b.right) - b.left) / (b.right - b.left)) * (hi - lo);
  }
  private Y(y: number): number {
    const b = this.inner,
      [lo, hi] = this.yRange,
      f = this.log ? Math.log(y / lo) / Math.log(hi / lo) : (y - lo) / (hi - lo);
    return clamp(b.bottom - f * (b.bottom - b.top), -1e4, 1e4);
  }
  /* First sample at or after x. */
  find(x: number): number {
    let a = 0,
      b = this.x.length;
    while (a < b) {
      const m = (a + b) >> 1;
      if (this.x[m] < x) a = m + 1;
      else b = m;
    }
    return a;
  }
  nearest(x: number): number {
    const i = this.find(x);
    if (i <= 0) return 0;
    return i >= this.x.length || x - this.x[i - 1] < this.x[i] - x ? i - 1 : i;
  }
  private get shown(): Series[] {
    return this.series.filter(s => !hidden.has(s.name));
  }
  private good(y: number): boolean {
    return fin(y) && !(this.log && y <= 0);
  }

  /* The range of the samples in sight; soft series may add 60 % of what the others need on either side. */
  private fitRange(i0: number, i1: number): [number, number] {
    let lo = Infinity,
      hi = -Infinity,
      slo = Infinity,
      shi = -Infinity;
    for (const s of this.shown) {
      let a = Infinity,
        b = -Infinity;
      for (let i = i0; i <= i1; i++) {
        const y = s.y[i],
          half = s.kind === 'band' && fin(s.half![i]) ? s.half![i] : 0;
        if (!this.good(y)) continue;
        if (y - half < a) a = y - half;
        if (y + half > b) b = y + half;
      }
      if (s.soft) {
        slo = Math.min(slo, a);
        shi = Math.max(shi, b);
      } else {
        lo = Math.min(lo, a);
        hi = Math.max(hi, b);
      }
    }
    const [x0, x1] = this.axis.range,
      spots = this.spots.filter(s => s.x >= x0 && s.x <= x1 && this.good(s.y)).map(s => s.y);
    for (const v of [...(this.shade ?? []), ...spots]) {
      lo = Math.min(lo, v);
      hi = Math.max(hi, v);
    }
    if (lo > hi) {
      lo = slo;
      hi = shi;
    }
    if (lo > hi) {
      lo = this.log ? 0.1 : -1;
      hi = 1;
    }
    const more = 0.6 * (hi - lo);
    lo = Math.min(lo, Math.max(slo, lo - more));
    hi = Math.max(hi, Math.min(shi, hi + more));
    if (this.log) return lo === hi ? [lo / 2, hi * 2] : [lo / (hi / lo) ** 0.06, hi * (hi / lo) ** 0.06];
    const pad = hi > lo ? 0.06 * (hi - lo) : Math.abs(hi) * 0.05 || 1;
    return [this.zero && lo >= 0 ? 0 : lo - pad, hi + pad];
  }

  draw(): void {
    const b = this.inner,
      [x0, x1] = this.axis.range,
      n = this.x.length;
    if (b.w < 60) return;
    const i0 = Math.max(this.find(x0) - 1, 0),
      i1 = Math.min(this.find(x1), n - 1);
    this.yRange = this.fitRange(i0, i1);
    this.rows = ticks(...this.yRange, Math.max(3, (b.bottom - b.top) / 30), this.log);
    const u = (this.plot ??= this.make());
    u.batch(() => {
      this.series.forEach((s, i) => {
        u.series[i + 1].points!.size = this.radius(i1 - i0, b.right - b.left) * 2;
        if (u.series[i + 1].show === hidden.has(s.name)) u.setSeries(i + 1, {show: !hidden.has(s.name)});
      });
      if (u.width !== b.w) u.setSize({width: b.w, height: this.height});
      u.setScale('x', {min: x0, max: x1});
      u.setScale('y', {min: this.yRange[0], max: this.yRange[1]});
    });
    u.redraw();
    this.drawCursor();
  }
  private radius(n: number, w: number): number {
    return n < w / 6 ? 2.6 : n < w / 2 ? 2 : 1.4;
  }

  private make(): uPlot {
    const gaps = (y: Float64Array) =>
      y.every(v => this.good(v)) ? y : Array.from(y, v => (this.good(v) ? v : null));
    const bare = {font: '12px system-ui, sans-serif', ticks: {show: false}, gap: 6};
    return makePlot(
      {
        width: this.inner.w,
        height: this.height,
        padding: [TOP, RIGHT, 0, 0],
        log: this.log,
        cursor: {show: false},
        x: () => this.axis.range,
        y: () => this.yRange,
        axes: [
          {
            ...bare,
            size: BOTTOM,
            splits: (_u, _a, lo, hi) => this.columns(lo, hi).at,
            values: (u, at) => this.abscissae(u, at as number[]),
          },
          {
            ...bare,
            size: () => this.inner.left,
            splits: () => this.rows.at,
            filter: (_u, at) => at,
            values: (_u, at) =>
              (at as number[]).map(v => (this.rows.power && this.Y(v) < TOP + 8 ? '' : this.rows.write(v))),
          },
        ],
        series: this.series.map(s => this.look(s)),
        hooks: {drawClear: [u => this.below(u)], draw: [u => this.above(u)]},
      },
      this.x,
      this.series.map(s => gaps(s.y)),
      this.host,
    );
  }
  private columns(lo: number, hi: number): Ticks {
    const b = this.inner,
      n = Math.max(2, (b.right - b.left) / 80);
    if (!this.powers) return ticks(lo, hi, n, false);
    const t = ticks(10 ** lo, 10 ** hi, n, true);
    return {at: t.at.map(Math.log10), write: v => scientific(10 ** v, 1), power: ''};
  }
  /* The name of the abscissa stands at its end. */
  private abscissae(u: uPlot, at: number[]): string[] {
    const c = this.columns(...this.axis.range);
    u.ctx.font = `${12 * uPlot.pxRatio}px system-ui, sans-serif`;
    const room = u.ctx.measureText(this.xName + c.power).width / uPlot.pxRatio + 22,
      right = this.inner.right;
    return at.map(v => (this.X(v) < right - room ? c.write(v) : ''));
  }

  private look(s: Series): uPlot.Series {
    const ink = () => colour(s.colour ?? 'fit'),
      drawn = s.kind === 'line',
      points = s.kind === 'points' || s.dots === true;
    return {
      label: s.name,
      stroke: ink,
      width: s.thin ? 1 : 1.9,
      dash: s.thin ? [5, 3] : undefined,
      show: !hidden.has(s.name),
      alpha: s.kind === 'points' ? 0.85 : 1,
      ...(drawn ? {} : {paths: () => null}),
      points: {show: points, size: 4, width: 0.01, fill: ink, filter: (u, i, show) => (show ? this.few(u, i) : null)},
    };
  }
  /* Of very many points the least and the greatest of each column of pixels. */
  private few(u: uPlot, series: number): number[] | null {
    const y = u.data[series],
      [i0, i1] = u.series[0].idxs ?? [0, y.length - 1],
      w = u.bbox.width;
    if (i1 - i0 < 4 * w) return null;
    const out: number[] = [];
    for (let i = i0, c = 0; i <= i1; c++) {
      const end = Math.max(i, Math.min(i1, i0 + Math.floor(((c + 1) * (i1 - i0)) / w)));
      let lo = -1,
        hi = -1;
      for (; i <= end; i++)
        if (y[i] != null) {
          if (lo < 0 || y[i]! < y[lo]!) lo = i;
          if (hi < 0 || y[i]! > y[hi]!) hi = i;
        }
      if (lo >= 0) out.push(Math.min(lo, hi));
      if (hi !== lo) out.push(Math.max(lo, hi));
    }
    return out;
  }

  /* Shade and bands, under the curves. */
  private below(u: uPlot): void {
    const g = u.ctx,
      b = u.bbox,
      px = (x: number) => u.valToPos(x, 'x', true),
      py = (y: number) => u.valToPos(y, 'y', true);
    g.save();
    g.beginPath();
    g.rect(b.left, b.top, b.width, b.height);
    g.clip();
    if (this.shade) {
      g.fillStyle = colour('shade');
      g.fillRect(b.left, py(this.shade[1]), b.width, py(this.shade[0]) - py(this.shade[1]));
    }
    g.fillStyle = colour('band');
    for (const s of this.shown)
      for (let i = 0; s.kind === 'band' && i < s.y.length; i++) {
        const piece: number[] = [];
        for (; i < s.y.length && fin(s.y[i]) && fin(s.half![i]); i++) piece.push(i);
        if (piece.length < 2) continue;
        g.beginPath();
        for (const k of piece) g.lineTo(px(this.x[k]), py(s.y[k] + s.half![k]));
        for (const k of piece.reverse()) g.lineTo(px(this.x[k]), py(s.y[k] - s.half![k]));
        g.fill();
      }
    g.restore();
  }

  /* Frame, zero line, marks, stems, the power of ten and the name of the abscissa. */
  private above(u: uPlot): void {
    const g = u.ctx,
      b = u.bbox,
      r = uPlot.pxRatio,
      px = (x: number) => u.valToPos(x, 'x', true),
      py = (y: number) => u.valToPos(y, 'y', true);
    const power = this.columns(...this.axis.range).power;
    g.save();
    g.setLineDash([]); /* of the last curve */
    g.lineWidth = r;
    g.strokeStyle = colour('line');
    g.fillStyle = colour('soft');
    g.font = `${12 * r}px system-ui, sans-serif`;
    g.strokeRect(b.left + 0.5, b.top + 0.5, b.width, b.height);
    if (!this.log && this.yRange[0] < 0 && this.yRange[1] > 0)
      g.strokeRect(b.left + 0.5, Math.round(py(0)) + 0.5, b.width, 0);
    g.textBaseline = 'top';
    g.textAlign = 'right';
    g.fillText(this.xName + (power ? ' ' + power : ''), b.left + b.width, b.top + b.height + 7 * r);
    g.textAlign = 'left';
    if (this.rows.power) g.fillText(this.rows.power, 2 * r, 0);
    let free = 0; /* of the texts of marks those that find room */
    for (const m of this.marks) {
      const x = px(m.x);
      if (x < b.left || x > b.left + b.width) continue;
      g.strokeStyle = colour('soft');
      g.setLineDash([2 * r, 3 * r]);
      g.beginPath();
      g.moveTo(x, b.top);
      g.lineTo(x, b.top + b.height);
      g.stroke();
      g.setLineDash([]);
      if (!m.text) continue;
      const w = g.measureText(m.text).width + 8 * r;
      if (x < free || x + w > b.left + b.width) continue;
      g.save();
      g.fillStyle = colour('card');
      g.fillRect(x + 2 * r, b.top + 2 * r, w - 4 * r, 15 * r);
      g.restore();
      g.fillText(m.text, x + 4 * r, b.top + 4 * r);
      free = x + w;
    }
    this.drawSpots(g, px, py);
    for (const s of this.shown)
      if (s.kind === 'stems')
        s.y.forEach((y, i) => {
          if (!fin(y) || this.x[i] < this.axis.range[0] || this.x[i] > this.axis.range[1]) return;
          g.strokeStyle = g.fillStyle = colour(
            this.shade && (y > this.shade[1] || y < this.shade[0]) ? 'start' : (s.colour ?? 'fit'),
          );
          g.lineWidth = 1.6 * r;
          g.beginPath();
          g.moveTo(px(this.x[i]), py(0));
          g.lineTo(px(this.x[i]), py(y));
          g.stroke();
          g.beginPath();
          g.arc(px(this.x[i]), py(y), 2.2 * r, 0, 7);
          g.fill();
        });
    g.restore();
  }

  /* Rings, and of their words those that find room: beside, above or below the ring. */
  private drawSpots(g: CanvasRenderingContext2D, px: (x: number) => number, py: (y: number) => number): void {
    const r = uPlot.pxRatio,
      b = this.plot!.bbox,
      high = 15 * r,
      taken: [number, number, number, number][] = [];
    g.save();
    g.lineWidth = 1.6 * r;
    g.textBaseline = 'middle';
    g.textAlign = 'left';
    for (const s of this.spots) {
      const x = px(s.x),
        y = py(s.y);
      if (!(x >= b.left && x <= b.left + b.width && y >= b.top - 4 * r && y <= b.top + b.height + 4 * r)) continue;
      g.strokeStyle = colour('start');
      g.beginPath();
      g.arc(x, y, 4 * r, 0, 7);
      g.stroke();
      const w = g.measureText(s.text).width + 6 * r,
        within = (v: number, low: number, top: number) => clamp(v, low, Math.max(low, top)),
        beside = within(y - high / 2, b.top + r, b.top + b.height - high - r),
        above = within(x - w / 2, b.left + r, b.left + b.width - w - r);
      for (const [left, at] of [
        [x + 6 * r, beside],
        [x - 6 * r - w, beside],
        [above, y - 7 * r - high],
        [above, y + 7 * r],
      ]) {
        const free =
          left >= b.left &&
          left + w <= b.left + b.width &&
          at >= b.top &&
          at + high <= b.top + b.height &&
          taken.every(q => left > q[2] || left + w < q[0] || at > q[3] || at + high < q[1]);
        if (!free) continue;
        taken.push([left, at, left + w, at + high]);
        g.fillStyle = colour('card');
        g.globalAlpha = 0.75;
        g.fillRect(left, at, w, high);
        g.globalAlpha = 1;
        g.fillStyle = colour('ink');
        g.fillText(s.text, left + 3 * r, at + high / 2);
        break;
      }
    }
    g.restore();
  }

  /* ---- the cursor ---- */

  private get sample(): number {
    return this.axis.cursor === null || !this.x.length ? -1 : this.nearest(this.axis.cursor);
  }
  tell(): void {
    const i = this.sample;
    const x = this.powers ? 10 ** this.x[i] : this.x[i];
    this.at.textContent = i < 0 ? '' : `${this.xName.split(' ')[0]} = ${this.powers ? scientific(x) : fmt(x, 6)}`;
    for (const s of this.series)
      if (s.out) s.out.textContent = i < 0 ? '' : fmt(s.y[i]) + (s.half ? ` ± ${fmt(s.half[i], 2)}` : '');
  }
  /* chosen: from and to, in pixels, of a drag that will zoom. */
  drawCursor(chosen: [number, number] | null = null): void {
    const b = this.inner,
      i = this.sample;
    this.box.hidden = !chosen;
    if (chosen)
      this.box.style.cssText =
        `left: ${Math.min(...chosen)}px; width: ${Math.abs(chosen[1] - chosen[0])}px; ` +
        `top: ${b.top}px; height: ${b.bottom - b.top}px`;
    const off = !this.plot || i < 0 || this.x[i] < this.axis.range[0] || this.x[i] > this.axis.range[1];
    this.now.hidden = off;
    const x = off ? 0 : this.X(this.x[i]);
    if (!off)
      this.now.style.cssText = `transform: translateX(${x}px); top: ${b.top}px; height: ${b.bottom - b.top}px`;
    this.series.forEach((s, k) => {
      const y = off || hidden.has(s.name) || s.kind === 'band' ? NaN : this.Y(s.y[i]);
      this.dots[k].hidden = !(y >= b.top - 3 && y <= b.bottom + 3);
      if (!this.dots[k].hidden) this.dots[k].style.transform = `translate(${x}px, ${y}px)`;
    });
  }
  say(): string {
    return `${this.at.textContent}; ${this.series
      .filter(s => s.out)
      .map(s => `${s.name} ${s.out!.textContent}`)
      .join(', ')} ${this.unit}`;
  }
}

function toggle(name: string): void {
  if (!hidden.delete(name)) hidden.add(name);
  for (const p of all())
    if (p instanceof Plot) {
      for (const s of p.series)
        if (s.name === name) s.button!.setAttribute('aria-pressed', String(!hidden.has(name)));
      redraw(p);
    }
}
