/* The mechanism of an experiment as the estimate moves it, beside what was measured: play, pause, scrub; its time and
   the cursor of the plots are one. */
import {Arrow, Chosen, choose} from '../arrows';
import {colour} from '../chart';
import {advance, fitting, frameAt, speeds, timeOf} from '../clock';
import {axis as times, header, load} from '../data';
import {shown} from '../reading';
import {hasStates, model, planar, point, restart} from '../pose';
import {Scene, views} from '../scene';
import {Axis} from './axis';
import {el} from './dom';
import {brief, fmt} from './numbers';
import {Marks, Measured, Place} from './marks';
import {watch} from './sight';

interface Carried {
  offset: number;
  channels: (Place | null)[];
  sought?: number[]; /* elements: loads that were sought */
}
const json = <T>(id: string): T | null => {
  const e = document.getElementById(id);
  return e ? JSON.parse(e.textContent ?? 'null') : null;
};
/* Why experiment i has no mechanism, where the page says so. */
export const missing = (i: number): string | null => json<string>(`m${i}-why`);
/* From the data's clock to the model's. */
export const offsetOf = (i: number): number => json<Carried>(`m${i}-marks`)?.offset ?? 0;
export const has = (i: number): boolean => document.getElementById(`m${i}-header`) !== null;

const factors = [1, 2, 5, 10, 20, 50, 100, 200, 500];
const measuredColour = '#d6257a',
  residualColour = '#f08c00';
const dark = matchMedia('(prefers-color-scheme: dark)');

/* A force that was sought, to be told beside the time. */
export interface Told {
  name: string;
  unit: string;
  t: Float64Array;
  y: Float64Array;
}

/* Between its points in a straight line. */
function valueAt(f: Told, t: number): number {
  let a = 0,
    b = f.t.length - 1;
  while (b - a > 1) {
    const m = (a + b) >> 1;
    if (f.t[m] <= t) a = m;
    else b = m;
  }
  const part = b > a ? Math.min(Math.max((t - f.t[a]) / (f.t[b] - f.t[a]), 0), 1) : 0;
  return f.y[a] + (b > a ? part * (f.y[b] - f.y[a]) : 0);
}

export class Motion {
  readonly host: HTMLElement;
  seen = false;
  stale = true;
  frame = 0;
  playing = false;
  marks: Marks | null = null;
  private scene: Scene | null = null;
  private carried: Carried;
  private loop = true;
  private speed = 1;
  private factor = 1;
  private view = 0;
  private before = 0;
  private last = NaN;
  private loads: 'sought' | 'all' | '' = 'sought';
  private clock = el('output', {class: 'clock'});
  private blank = el('p', {class: 'blank', hidden: true});
  private play = el('button', {type: 'button', class: 'play', 'aria-label': 'play'}, '▶');
  private scrub = el('input', {type: 'range', min: 0, step: 1, value: 0, 'aria-label': 'frame'});

  /* t, data and fit: samples of the experiment's channels, places in their order. */
  constructor(
    parent: HTMLElement,
    index: number,
    private axis: Axis,
    private t: Float64Array,
    private channels: {name: string; data: Float64Array; fit: Float64Array}[],
    private told: Told[] = [],
  ) {
    this.carried = json<Carried>(`m${index}-marks`) ?? {offset: 0, channels: []};
    load(`m${index}-`);
    restart();
    this.host = el(
      'div',
      {class: 'view', tabindex: 0, 'aria-label': 'the mechanism: space plays, arrow keys move the time'},
      this.blank,
      this.clock,
    );
    parent.append(el('div', {class: 'stage'}, this.host, this.timeBar(), this.viewBar(), this.words()));
    this.setSpeed(fitting(times[times.length - 1] - times[0]));
    this.axis.pointed = (at, chosen) => {
      if (chosen) this.setPlaying(false);
      if (!this.playing) this.seek(at);
      return !this.playing;
    };
    this.host.addEventListener('keydown', e => {
      if (!e.altKey && !e.ctrlKey && !e.metaKey && this.key(e.key, e.shiftKey)) e.preventDefault();
    });
    this.host.addEventListener('pointerdown', () => this.host.focus({preventScroll: true}));
    this.host.addEventListener('focus', () => this.scene?.within(true));
    this.host.addEventListener('blur', () => this.scene?.within(false));
    watch(this);
    this.show();
  }
  gone(): void {
    this.playing = false;
    this.scene?.end();
  }

  /* ---- controls ---- */

  private setSpeed(x: number): void {
    this.speed = x;
    this.speeds.value = String(x);
  }
  private speeds = el('select', {'aria-label': 'speed'}, ...speeds.map(x => el('option', {value: x}, `${x}×`)));
  private timeBar(): HTMLElement {
    const again = el('button', {type: 'button', 'aria-pressed': 'true'}, 'loop');
    this.scrub.max = String(Math.max(times.length - 1, 0));
    this.scrub.addEventListener('input', () => {
      this.setPlaying(false);
      this.goto(+this.scrub.value);
    });
    this.play.addEventListener('click', () => this.setPlaying(!this.playing));
    this.speeds.addEventListener('change', () => {
      this.speed = +this.speeds.value;
    });
    again.addEventListener('click', () => again.setAttribute('aria-pressed', String((this.loop = !this.loop))));
    return el('div', {class: 'time', role: 'group', 'aria-label': 'time'}, this.play, this.scrub, this.speeds, again);
  }
  private viewBar(): HTMLElement {
    const camera = el('select', {'aria-label': 'camera'}, ...views.map((v, i) => el('option', {value: i}, v)));
    const fit = el('button', {type: 'button'}, 'all in sight'),
      on = el('button', {type: 'button', 'aria-pressed': 'true'}, 'measured');
    const times = el('output', {class: 'factor'}, '×1'),
      more = el('input', {
        type: 'range',
        min: 0,
        max: factors.length - 1,
        step: 1,
        value: 0,
        'aria-label': 'exaggeration of the residuals',
      });
    this.view = planar ? 0 : 5;
    camera.value = String(this.view);
    camera.addEventListener('change', () => this.scene?.look((this.view = +camera.value)));
    fit.addEventListener('click', () => this.scene?.look(this.view));
    on.addEventListener('click', () => {
      const now = on.getAttribute('aria-pressed') !== 'true';
      on.setAttribute('aria-pressed', String(now));
      if (this.marks) this.marks.group.visible = now;
      this.show();
    });
    more.addEventListener('input', () => {
      this.factor = factors[+more.value];
      times.textContent = `×${this.factor}`;
      this.show();
    });
    const measures = this.carried.channels.some(c => c),
      arrows = el(
        'select',
        {'aria-label': 'arrows'},
        el('option', {value: 'sought'}, 'arrows: sought'),
        el('option', {value: 'all'}, 'arrows: all loads'),
        el('option', {value: ''}, 'no arrows'),
      );
    arrows.addEventListener('change', () => {
      this.loads = arrows.value as typeof this.loads;
      this.setArrows();
      this.show();
    });
    return el(
      'div',
      {class: 'time', role: 'group', 'aria-label': 'view'},
      camera,
      fit,
      ...(this.carried.sought?.length ? [arrows] : []),
      ...(measures ? [on, el('label', {class: 'soft small'}, 'residuals ', times, ' ', more)] : []),
    );
  }
  /* What the picture is, and where it is less than the whole. */
  private words(): HTMLElement {
    const n = times.length,
      step = n > 1 ? (times[n - 1] - times[0]) / (n - 1) : 0,
      samples = this.t.length > 1 ? (this.t[this.t.length - 1] - this.t[0]) / (this.t.length - 1) : 0;
    const kinds = this.carried.channels.filter(c => c),
      out = ['Moved by the estimate.'];
    const pink = [
      kinds.some(c => !c!.angle) ? 'measured places (a line along what was not measured)' : '',
      kinds.some(c => c!.angle) ? 'bodies at their measured angles' : '',
    ].filter(Boolean);
    if (kinds.length) out.push(`Pink: ${pink.join(', ')}. Orange: residuals.`);
    if (this.carried.sought?.length) out.push('Red arrows: forces that were sought, on a scale of their own.');
    if (step > 1.01 * samples)
      out.push(
        `Thinned: one frame each ${brief(1e3 * step, 3)} ms, ${n} in all; between them the motion is interpolated.`,
      );
    if (header.status === 3)
      out.push(`The run failed at t = ${shown(times[n - 1])} s: shown is what it had computed.`);
    if (!hasStates) out.push('There are no states: the mechanism is drawn as it was written.');
    return el('p', {class: 'soft small'}, out.join(' '));
  }
  private key(k: string, shift: boolean): boolean {
    const by = (n: number) => {
      this.setPlaying(false);
      this.goto(Math.round(this.frame) + n);
    };
    const does: Record<string, () => void> = {
      ' ': () => this.setPlaying(!this.playing),
      ArrowRight: () => by(shift ? 10 : 1),
      ArrowLeft: () => by(shift ? -10 : -1),
      Home: () => by(-1e9),
      End: () => by(1e9),
    };
    does[k]?.();
    return k in does;
  }

  /* ---- time ---- */

  get time(): number {
    return timeOf(times, this.frame) - this.carried.offset;
  }
  /* To a time of the data. */
  seek(t: number): void {
    this.goto(frameAt(times, t + this.carried.offset));
  }
  private goto(frame: number): void {
    this.frame = Math.min(Math.max(frame, 0), Math.max(times.length - 1, 0));
    this.show();
  }
  setPlaying(on: boolean): void {
    const was = this.playing;
    this.playing = on && times.length > 1;
    this.play.textContent = this.playing ? '❚❚' : '▶';
    this.play.setAttribute('aria-label', this.playing ? 'pause' : 'play');
    if (!this.playing || was) return;
    if (this.frame >= times.length - 1) this.frame = 0;
    this.before = performance.now();
    requestAnimationFrame(now => this.tick(now));
  }
  private tick(now: number): void {
    if (!this.playing) return;
    const dt = Math.min((now - this.before) / 1000, 0.1) * this.speed;
    this.before = now;
    this.frame = advance(times, this.frame, dt, this.loop);
    this.show();
    if (!this.loop && this.frame >= times.length - 1) this.setPlaying(false);
    else requestAnimationFrame(next => this.tick(next));
  }

  /* ---- picture ---- */

  /* The sample nearest to the time shown. */
  private get sample(): number {
    let a = 0,
      b = this.t.length - 1;
    while (b - a > 1) {
      const m = (a + b) >> 1;
      if (this.t[m] <= this.time) a = m;
      else b = m;
    }
    return b > a && Math.abs(this.t[b] - this.time) < Math.abs(this.t[a] - this.time) ? b : a;
  }
  show(): void {
    this.scrub.value = String(Math.round(this.frame));
    const forces = this.told.slice(0, 3).map(f => `, ${f.name} = ${fmt(valueAt(f, this.time), 4)}${f.unit}`);
    this.clock.textContent =
      `t = ${brief(this.time, 5)} s${forces.join('')}` + (this.factor > 1 ? `, residuals ×${this.factor}` : '');
    this.clock.dataset.value = String(this.time);
    if (this.time !== this.last) {
      this.axis.rest = this.last = this.time;
      this.axis.show(this.time);
    }
    if (!this.scene) return;
    this.scene.show(this.frame, 0);
    this.marks?.update(this.sample, this.factor);
  }
  draw(): void {
    if (!this.scene && this.blank.hidden) this.open();
    this.scene?.colours(colour('stage'), colour('lattice'), dark.matches);
    this.show();
  }
  /* When it first comes into sight: a scene costs more than all plots together. */
  private open(): void {
    try {
      if (!model.nodes.some(n => n.lies)) throw new Error('it has no places');
      this.scene = new Scene(this.host);
    } catch (e) {
      this.blank.hidden = false;
      this.blank.textContent = `The mechanism cannot be drawn: ${(e as Error).message}`;
      return;
    }
    this.scene.within(document.activeElement === this.host);
    const measured = this.carried.channels.flatMap((place, c): Measured[] =>
      place && this.channels[c] ? [{place, ...this.channels[c]}] : [],
    );
    this.marks = new Marks(this.scene.size, measured, measuredColour, residualColour);
    if (!this.marks.empty) this.scene.add(this.marks.group, this.marks.places);
    this.chosen = this.carried.sought?.length ? choose('load', this.carried.sought) : null;
    this.setArrows();
    if (this.chosen) this.scene.makeRoom('load');
  }
  private chosen: Chosen | null = null;
  private setArrows(): void {
    this.scene?.arrows('load', !!this.loads && !!this.chosen);
    this.scene?.chooseArrows('load', this.loads === 'sought' ? this.chosen : null);
  }

  /* ---- for tests ---- */

  /* Where a point fixed to a node is, and its pixel in the view. */
  point(node: string, offset: number[] = [0, 0, 0]): number[] {
    return point(
      model.nodes.findIndex(n => n.name === node),
      offset,
    );
  }
  pixel(node: string): [number, number] | undefined {
    return this.scene?.pixel(model.nodes.findIndex(n => n.name === node));
  }
  get arrows(): Arrow[] {
    return this.scene?.layers[0].arrows.flatMap(a => a.shown) ?? [];
  }
  get drawn(): number {
    return this.scene?.drawn ?? 0;
  }
  get frames(): number {
    return times.length;
  }
}
