/* The correlation of the estimates as a heat map, and the strongest pairs in words. */
import {colour} from '../chart';
import {$, clamp, el, fold, nothing, plainTable} from './dom';
import {fin, fmt, minus, plural} from './numbers';
import {watch} from './sight';
import {fullName, list, parameters, study} from './study';

/* A canvas in the size of its host, in pixels of the screen. */
function prepare(canvas: HTMLCanvasElement, w: number, h: number): CanvasRenderingContext2D {
  const r = devicePixelRatio || 1,
    g = canvas.getContext('2d')!;
  if (canvas.width !== Math.round(w * r) || canvas.height !== Math.round(h * r)) {
    canvas.width = Math.round(w * r);
    canvas.height = Math.round(h * r);
  }
  g.setTransform(r, 0, 0, r, 0, 0);
  g.clearRect(0, 0, w, h);
  g.font = '12px system-ui, sans-serif';
  return g;
}

class HeatMap {
  readonly host: HTMLElement;
  seen = false;
  stale = true;
  private canvas = el('canvas', {'aria-hidden': 'true'});
  private box = el('i', {hidden: true});
  private i = 0;
  private j = 0;
  private room = 0;
  private cell = 0;

  constructor(
    parent: HTMLElement,
    private names: string[],
    private value: (i: number, j: number) => number,
    private out: HTMLElement,
  ) {
    this.host = el(
      'div',
      {
        class: 'canvas heat',
        tabindex: 0,
        role: 'application',
        'aria-roledescription': 'heat map',
        'aria-label': `Correlation matrix of ${names.length} estimates; arrow keys move from pair to pair`,
      },
      this.canvas,
      this.box,
    );
    parent.append(this.host);
    const at = (e: PointerEvent) => {
      const r = this.host.getBoundingClientRect();
      const i = Math.floor((e.clientY - r.top - this.room) / this.cell),
        j = Math.floor((e.clientX - r.left - this.room) / this.cell);
      if (i >= 0 && j >= 0 && i < names.length && j < names.length) this.point(i, j);
      else this.leave();
    };
    this.host.addEventListener('pointermove', at);
    this.host.addEventListener('pointerdown', at);
    this.host.addEventListener('pointerleave', () => this.leave());
    this.host.addEventListener('focus', () => {
      if (this.host.matches(':focus-visible')) this.point(this.i, this.j);
    });
    this.host.addEventListener('blur', () => this.leave());
    this.host.addEventListener('keydown', e => {
      const by = (
        {ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0]} as Record<string, number[]>
      )[e.key];
      if (!by) return;
      e.preventDefault();
      this.point(clamp(this.i + by[0], 0, names.length - 1), clamp(this.j + by[1], 0, names.length - 1));
      $('live').textContent = out.textContent;
    });
    watch(this);
  }
  private leave(): void {
    this.box.hidden = true;
    this.out.textContent = '\u00a0';
  }
  private point(i: number, j: number): void {
    Object.assign(this, {i, j});
    this.out.textContent = `${this.names[i]} and ${this.names[j]}: ${fmt(this.value(i, j), 3)}`;
    this.box.hidden = false;
    this.box.style.cssText =
      `left: ${this.room + j * this.cell - 1}px; top: ${this.room + i * this.cell - 1}px; ` +
      `width: ${this.cell + 2}px; height: ${this.cell + 2}px`;
  }
  draw(): void {
    const w = this.host.clientWidth,
      n = this.names.length;
    if (w < 40) return;
    let g = prepare(this.canvas, w, 10);
    let room = Math.min(Math.max(...this.names.map(s => g.measureText(s).width)) + 10, w * 0.32, 150);
    let cell = Math.min((w - room - 4) / n, 46);
    if (cell < 11) {
      room = 4;
      cell = Math.min((w - room - 4) / n, 46);
    }
    Object.assign(this, {room, cell});
    const h = room + n * cell + 4;
    this.host.style.height = `${h}px`;
    g = prepare(this.canvas, w, h);
    for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) this.drawCell(g, i, j);
    if (!this.box.hidden) this.point(this.i, this.j);
    if (room >= 10) this.drawNames(g);
  }
  private drawCell(g: CanvasRenderingContext2D, i: number, j: number): void {
    const {cell, room} = this,
      v = this.value(i, j),
      x = room + j * cell,
      y = room + i * cell,
      size = cell - (cell > 6 ? 1 : 0);
    g.fillStyle = colour('shade');
    g.fillRect(x, y, size, size);
    if (!fin(v)) return;
    g.globalAlpha = clamp(Math.abs(v), 0, 1);
    g.fillStyle = colour(v < 0 ? 'negative' : 'positive');
    g.fillRect(x, y, size, size);
    g.globalAlpha = 1;
    if (cell < 30) return;
    g.fillStyle = colour(Math.abs(v) > 0.75 ? 'card' : 'ink');
    g.textAlign = 'center';
    g.textBaseline = 'middle';
    g.font = `${cell > 38 ? 12 : 10}px system-ui, sans-serif`;
    g.fillText(minus(v.toFixed(2)), x + cell / 2 - 0.5, y + cell / 2);
  }
  private drawNames(g: CanvasRenderingContext2D): void {
    const {cell, room} = this,
      cut = (s: string) => {
        while (s.length > 2 && g.measureText(s).width > room - 8) s = s.slice(0, -2) + '…';
        return s;
      };
    g.font = `${cell < 14 ? 10 : 12}px system-ui, sans-serif`;
    g.fillStyle = colour('ink');
    g.textBaseline = 'middle';
    this.names.forEach((s, i) => {
      g.textAlign = 'right';
      g.fillText(cut(s), room - 6, room + (i + 0.5) * cell);
      g.save();
      g.translate(room + (i + 0.5) * cell, room - 6);
      g.rotate(-Math.PI / 2);
      g.textAlign = 'left';
      g.fillText(cut(s), 0, 0);
      g.restore();
    });
  }
}

export function showCorrelation(): void {
  const s = $('correlation'),
    matrix = list(study.correlation),
    n = Math.min(matrix.length, parameters.length);
  if (n < 2) {
    nothing(s, 'Not known, or fewer than two parameters.');
    return;
  }
  const names = parameters.slice(0, n).map(fullName),
    value = (i: number, j: number) => {
      const v = list(matrix[i])[j];
      return fin(v) ? v : NaN;
    };
  const pairs: [number, number, number][] = [];
  for (let i = 0; i < n; i++) for (let j = 0; j < i; j++) if (fin(value(i, j))) pairs.push([i, j, value(i, j)]);
  pairs.sort((a, b) => Math.abs(b[2]) - Math.abs(a[2]));
  const strong = pairs.filter(p => Math.abs(p[2]) >= 0.9),
    say = (p: [number, number, number]) =>
      el('li', {}, `${names[p[1]]} and ${names[p[0]]}: ${minus(p[2].toFixed(3))}`);
  if (!pairs.length) {
    nothing(s, 'Not known.');
    return;
  }
  s.append(
    el(
      'p',
      {},
      strong.length
        ? `${plural(strong.length, 'pair')} of estimates at 0.9 or beyond: the data hardly tell them apart.`
        : 'No pair of estimates reaches 0.9: the data tell all parameters apart.',
    ),
  );
  const out = el('p', {class: 'small', id: 'pair'}, '\u00a0'),
    room = el('div', {class: 'bar', style: 'gap: .2rem 2.5rem; align-items: flex-start'});
  const left = el('div', {style: `flex: 1 1 20rem; min-width: 0; max-width: ${Math.min(46 * n + 160, 800)}px`}),
    right = el('div', {style: 'flex: 0 1 19rem'});
  s.append(room);
  room.append(left, right);
  new HeatMap(left, names, value, out);
  left.append(out);
  right.append(
    el('h3', {style: 'margin-top: .2rem'}, 'Strongest pairs'),
    el('ol', {class: 'small'}, ...pairs.slice(0, 10).map(say)),
  );
  if (n <= 60)
    fold(s, 'All numbers as a table', () =>
      plainTable(
        'Correlation matrix',
        ['', ...names],
        names.map((m, i) => [m, ...names.map((_, j) => fmt(value(i, j), 3))]),
      ),
    );
}
