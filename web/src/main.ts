/* The page: time, controls, keyboard; what there is to be said about the result. */
import 'uplot/dist/uPlot.min.css';
import './style.css';
import {channels} from './channel';
import {Chooser} from './chooser';
import {advance, fitting, speeds} from './clock';
import {abscissa, equilibria} from './equilibria';
import {axis, events, fine, header, modes, prefixes, roots, served} from './data';
import {fieldOf, sample} from './fields';
import {Key, listen} from './keys';
import {nameOf} from './layers';
import {LinearPanel} from './linear';
import {Looks} from './looks';
import {Plots} from './plots';
import {clockReading, shown} from './reading';
import {hasStates, model, moves, planar, point, position, within} from './pose';
import {Scene, viewOf, views} from './scene';
import {frameWished, shoot, size, wish} from './shot';
import {swingOf} from './swings';
import {load, worked} from './work';

const $ = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const last = Math.max(header.frames - 1, 0);
let frame = 0,
  playing = false,
  loop = true,
  speed = 1,
  phase = 0,
  amplitude = 1,
  view = 0;
let scene: Scene | null = null,
  looks: Looks | null = null;

/* ---- what the result is ---- */

function notes(): string[] {
  const end = header.frames ? ` up to ${header.axis} ${shown(axis[last])} ${header.unit ?? ''}` : '',
    out: string[] = [];
  if (header.status === 0)
    out.push(
      `The run was still going on or was killed: shown is what it had written${end}.` +
        `${served ? ' Load the page again for what has come since.' : ''}`,
    );
  if (header.status === 2) out.push(`The run was interrupted: shown is what it had computed${end}.`);
  if (header.status === 3) out.push(`The run failed: shown is what it had computed${end}.`);
  if (!header.frames) out.push('There are no frames: the mechanism is drawn as it was written.');
  else if (!hasStates)
    out.push(
      header.nodes.length
        ? 'There are no states in this result: the mechanism is drawn as it was written.'
        : 'There is no mechanism in this result: sensors only.',
    );
  if (header.stride > 1 && !served) out.push(`The motion has one frame in ${header.stride}, sensors have all.`);
  return out;
}

$('title').textContent = header.title || header.file.split('/').pop() || 'Result';
$('about').textContent =
  prefixes.length > 1
    ? prefixes.map(nameOf).join(' · ')
    : [
        `${header.frames} ${modes ? 'mode' : 'frame'}${header.frames === 1 ? '' : 's'}`,
        header.file.split('/').pop(),
        `sinew ${header.version}`,
      ]
        .filter(Boolean)
        .join(' · ');
$('note').textContent = notes().join(' ');
$('note').hidden = !notes().length;
document.body.classList.toggle('single', header.frames === 1);

/* ---- scene ---- */

document.body.classList.toggle('bare', wish.has('bare') || wish.has('shot'));
if (wish.has('shot')) $('view').style.cssText = `width: ${size[0]}px; height: ${size[1]}px; flex: none`;
if (wish.has('theme')) document.documentElement.dataset.theme = wish.get('theme')!;
try {
  if (model.nodes.some(n => n.lies)) scene = new Scene($('view'));
  else throw new Error('nothing to draw');
} catch (e) {
  $('blank').hidden = false;
  $('blank').textContent = header.nodes.length
    ? `The mechanism cannot be drawn: ${(e as Error).message}`
    : 'No mechanism in this result.';
}

/* ---- sensors ---- */

const plots = new Plots($('plots'), (k, chosen) => {
  if (modes) return;
  if (chosen) setPlaying(false);
  if (!playing) seek(k);
});

function listSensors(): void {
  const list = new Chooser($<HTMLDetailsElement>('list'), plots),
    none = !!header.linear || wish.has('bare') || wish.has('shot');
  list.begin(none ? 0 : innerWidth < 800 ? 2 : 4);
}

/* A linearisation: its frequency responses and poles come first, sensors are only listed. */
let linear: LinearPanel | null = null;
function showLinear(): void {
  if (!header.linear || prefixes.length > 1) return;
  linear = new LinearPanel(header.linear, $('plots'));
  $('side').setAttribute('aria-label', 'linear system');
  $('pick').hidden = true;
}

/* What there is to say of a mode besides its frequency. */
function aboutMode(i: number): string {
  const [growth, omega, damping, neutral, whirl] = roots.subarray(5 * i, 5 * i + 5);
  if (neutral) return 'nothing holds it';
  if (!(Math.abs(growth) > 1e-6 * omega)) return turning(whirl);
  const decay = omega > 0 ? `damping ${six(100 * damping)} %` : `growth ${six(growth)} 1/s`;
  return [decay, turning(whirl)].filter(x => x).join(', ');
}
/* Roots are there in single precision. */
const six = (x: number): string => shown(Number(x.toPrecision(6)));
const turning = (whirl: number): string => (whirl > 0.01 ? 'forward whirl' : whirl < -0.01 ? 'backward whirl' : '');

function listModes(): void {
  $('side').setAttribute('aria-label', 'modes');
  const buttons = Array.from(axis, (f, i) => {
    const b = document.createElement('button');
    b.type = 'button';
    const number = document.createElement('b'),
      output = document.createElement('output'),
      unstable = document.createElement('em');
    number.textContent = String(i + 1);
    output.textContent = six(f);
    output.dataset.value = String(f);
    unstable.textContent = 'unstable';
    b.append(number, ' ', output, ` ${header.unit ?? ''}`); /* texts of the file are never mark-up */
    const about = aboutMode(i);
    if (about) b.append(` ${about}`);
    if (roots[5 * i] > 1e-6 * roots[5 * i + 1]) b.append(' ', unstable);
    b.addEventListener('click', () => {
      seek(i);
      setPlaying(true);
    });
    return b;
  });
  $('plots').classList.add('modes');
  $('plots').append(...buttons);
  $('pick').hidden = true;
  $('size').hidden = false;
}

/* ---- time ---- */

/* Largest way of a node, or of a point of a mesh, in the mode, to give all modes the same size. */
function scaleOf(mode: number): number {
  if (!scene) return 0;
  const places = () => [...position, ...scene!.meshPlaces()],
    small = 1e-3;
  scene.show(mode, 0);
  const rest = places();
  scene.show(mode, small);
  const now = places();
  let way = 0;
  for (let i = 0; i < rest.length; i += 3)
    way = Math.max(way, Math.hypot(now[i] - rest[i], now[i + 1] - rest[i + 1], now[i + 2] - rest[i + 2]));
  return way > 1e-9 ? (0.12 * scene.size) / (way / small) : 0.5;
}
let modeScale = 1,
  scaled = -1;

/* Of a served result the states between the sights are asked for where time stands still, or goes slowly enough. */
function refine(): void {
  const pace = playing && last > 0 ? ((speed * last) / (axis[last] - axis[0])) * header.nq * 4 : 0;
  if (fine && pace < 16e6) fine.want(Math.floor(frame), playing ? 3 : 0);
}

const clock = clockReading(axis);
function show(): void {
  const k = Math.round(frame);
  refine();
  if (modes && scaled !== k && header.frames) {
    modeScale = scaleOf(k);
    scaled = k;
  }
  const size = modes ? amplitude * modeScale : 0;
  worked(() => {
    scene?.show(frame, size * Math.sin(phase), size * Math.cos(phase));
    if (!modes) plots.at(k);
  });
  $<HTMLInputElement>('scrub').value = String(k);
  const unit = header.unit ?? '';
  $('clock').textContent = !header.frames
    ? ''
    : modes
      ? `mode ${k + 1}: ${six(axis[k])} ${unit}`
      : equilibria
        ? `${equilibria.name} = ${shown(abscissa[k])}${equilibria.unstable[k] > 0 ? ', unstable' : ''}`
        : `${header.axis === 'time' ? 't' : header.axis} = ${clock(axis[k])} ${unit}`;
  $('clock').dataset.value = String(axis[k]);
  if (modes)
    $('plots')
      .querySelectorAll('button')
      .forEach((b, i) => b.setAttribute('aria-current', String(i === k)));
}

function seek(k: number): void {
  frame = Math.min(Math.max(Math.round(k), 0), last);
  show();
}

let before = 0,
  pace = 0,
  sharp = true;
/* Where drawing takes long (no graphics card) the moving picture has a quarter of the pixels, the still one all. */
function sharpen(on: boolean): void {
  pace = 0;
  if (sharp === on) return;
  scene?.sharpness((sharp = on) ? 1 : 0.5);
}

function tick(now: number): void {
  if (!playing) return;
  pace += 0.2 * (Math.max(now - before, 0) - pace);
  if (pace > 60) sharpen(false);
  const dt =
    Math.min(Math.max(now - before, 0) / 1000, 0.1) *
    speed; /* the first frame may have begun before the button was pressed */
  before = now;
  if (modes) phase += 2 * Math.PI * dt;
  else {
    frame = advance(axis, frame, dt, loop);
    if (!loop && frame >= last) setPlaying(false);
  }
  show();
  if (playing) requestAnimationFrame(tick);
}

function setPlaying(on: boolean): void {
  const was = playing;
  playing = on && (modes ? header.frames > 0 : last > 0);
  $('play').textContent = playing ? '❚❚' : '▶';
  $('play').setAttribute('aria-label', playing ? 'pause' : 'play');
  if (playing && !was) {
    if (!modes && frame >= last) frame = 0;
    before = performance.now();
    requestAnimationFrame(tick);
  } else if (!playing && was) {
    sharpen(true);
    seek(frame);
  }
}

/* ---- controls ---- */

function press(id: string, on: boolean): void {
  $(id).setAttribute('aria-pressed', String(on));
}
function look(i: number): void {
  view = i;
  $<HTMLSelectElement>('camera').value = String(i);
  scene?.look(i);
}
function setLoop(on: boolean): void {
  press('loop', (loop = on));
}
function setFollow(on: boolean): void {
  if (scene) {
    scene.follow = on;
    press('follow', on);
    look(view);
  }
}
let named = false;
function setNames(on: boolean, parts = false): void {
  named = on;
  press('names', on);
  scene?.names(on, parts);
}

function setSpeed(x: number): void {
  speed = x;
  $<HTMLSelectElement>('speed').value = String(x);
}
const faster = (by: number) => setSpeed(speeds[Math.min(Math.max(speeds.indexOf(speed) + by, 0), speeds.length - 1)]);

function save(blob: Blob | null, name: string): void {
  if (!blob) return;
  const a = document.createElement('a');
  a.href = URL.createObjectURL(blob);
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(a.href), 1000);
}
const base = (header.file.split('/').pop() ?? '').replace(/\.[^.]*$/, '') || 'result';

const traceColours = ['#e0702a', '#3b7dd8', '#2f9e68', '#b8459b', '#8a6fd1'];
let traces = 0;
function toggleTrace(i: number): void {
  if (!scene || i < 0) return;
  scene.trace(i, !scene.traced(i), traceColours[traces++ % traceColours.length]);
  listTraces();
  show();
}
function listTraces(): void {
  const s = $<HTMLSelectElement>('trace');
  s.replaceChildren(
    new Option('trace …', '-1'),
    ...model.nodes.flatMap((n, i) =>
      moves(i) ? [new Option(`${scene?.traced(i) ? '✓ ' : ''}${n.name}`, String(i))] : [],
    ),
  );
}

function wire(): void {
  const scrub = $<HTMLInputElement>('scrub');
  scrub.max = String(last);
  scrub.addEventListener('input', () => {
    if (!modes) setPlaying(false);
    seek(+scrub.value);
  });
  $('play').addEventListener('click', () => setPlaying(!playing));
  $('loop').addEventListener('click', () => setLoop(!loop));
  $('loop').hidden = modes;
  const s = $<HTMLSelectElement>('speed');
  s.append(...speeds.map(x => new Option(`${x}×`, String(x), false, x === 1)));
  s.addEventListener('change', () => setSpeed(+s.value));
  const c = $<HTMLSelectElement>('camera');
  c.append(...views.map((v, i) => new Option(`${i + 1} ${v}`, String(i))));
  c.addEventListener('change', () => look(+c.value));
  $('fit').addEventListener('click', () => look(view));
  $('follow').addEventListener('click', () => setFollow(!scene?.follow));
  $('names').addEventListener('click', () => setNames(!named));
  $('trace').hidden = modes;
  $('trace').addEventListener('change', e => toggleTrace(+(e.target as HTMLSelectElement).value));
  $('png').addEventListener('click', () => scene?.picture(b => save(b, `${base}.png`)));
  $('csv').addEventListener('click', () =>
    plots.csv().then(
      text => save(new Blob([text], {type: 'text/csv'}), `${base}.csv`),
      () => {},
    ),
  );
  $('all').addEventListener('click', () => plots.zoom(null));
  $('amplitude').addEventListener('input', e => {
    amplitude = +(e.target as HTMLInputElement).value;
    show();
  });
  if (header.manual && location.protocol === 'file:') {
    $<HTMLAnchorElement>('manual').href = `file://${header.manual.split('/').map(encodeURIComponent).join('/')}`;
    $('manual').parentElement!.hidden = false;
  }
  listen(keys, pointer, $<HTMLDialogElement>('keys'), told);
}

const step = (by: number) => () => {
  if (!modes) setPlaying(false);
  seek(frame + by);
};
const keys: Key[] = [
  {keys: [' '], name: 'space', text: 'play, pause', act: () => setPlaying(!playing)},
  {
    keys: ['ArrowRight', 'ArrowLeft'],
    name: '← →',
    text: modes ? 'mode before, next mode' : 'one frame; ten with shift',
    act: e => step((e.key === 'ArrowLeft' ? -1 : 1) * (e.shiftKey && !modes ? 10 : 1))(),
  },
  {keys: ['Home', 'End'], name: 'Home End', text: 'first, last', act: e => seek(e.key === 'Home' ? 0 : last)},
  {keys: ['+', '-'], name: '+ −', text: 'faster, slower', act: e => faster(e.key === '+' ? 1 : -1)},
  {keys: ['l'], name: 'L', text: 'again from the start', act: () => setLoop(!loop)},
  {
    keys: views.map((_, i) => String(i + 1)),
    name: views.map((_, i) => String(i + 1)).join(' '),
    text: views.join(', '),
    act: e => look(+e.key - 1),
  },
  {keys: ['0'], name: '0', text: 'all in sight', act: () => look(view)},
  {keys: ['f'], name: 'F', text: 'the camera follows', act: () => setFollow(!scene?.follow)},
  {keys: ['n'], name: 'N', text: 'names of nodes', act: () => setNames(!named)},
  {keys: ['c'], name: 'C', text: 'next colour', act: () => looks?.next()},
  {keys: ['a'], name: 'A', text: 'arrows', act: () => looks?.arrows()},
];
const pointer: [string, string][] = [
  ['drag', 'turn; with the right button or two fingers: move'],
  ['wheel', 'nearer, farther'],
  ['drag_a_plot', 'zoom; double click: everything'],
];
function told(): string {
  const {frames, ms, rate} = load();
  if (frames < 10) return 'play, and open this again to see how long a frame takes';
  const own = `this page works ${ms.toFixed(1)} ms for a frame (30 a second leave 33 ms)`;
  return `${own}; ${rate.toFixed(0)} frames a second are drawn`;
}

/* ---- light and dark ---- */

const dark = matchMedia('(prefers-color-scheme: dark)');
function theme(): void {
  const css = getComputedStyle(document.documentElement),
    get = (n: string) => css.getPropertyValue(n).trim();
  scene?.colours(
    get('--stage'),
    get('--grid'),
    (document.documentElement.dataset.theme ?? (dark.matches ? 'dark' : 'light')) === 'dark',
  );
  looks?.theme();
  plots.redraw();
  linear?.redraw();
}
$('theme').addEventListener('click', () => {
  const now = document.documentElement.dataset.theme ?? (dark.matches ? 'dark' : 'light');
  document.documentElement.dataset.theme = now === 'dark' ? 'light' : 'dark';
  theme();
});
dark.addEventListener('change', theme);

wire();
if (scene) looks = new Looks(scene, show);
view = scene && !planar ? 5 : 0;
$<HTMLSelectElement>('camera').value = String(view);
press('follow', !!scene?.follow);
if (modes) {
  listModes();
  phase = Math.PI / 2;
} else listSensors();
showLinear();
if (!modes && !linear && !channels.length) $('side').hidden = true;
listTraces();
if (!modes && last > 0) setSpeed(fitting(axis[last] - axis[0]));
events.arrived = () => {
  if (!playing) show();
  looks?.renew();
};
events.lost = text => {
  $('note').textContent = text;
  $('note').hidden = false;
};
theme();
seek(0);
scene?.refree(); /* the time takes its room */

/* What the address asks for, each for itself: one that cannot be had keeps none of the others away. What is wrong. */
function heed(): string[] {
  const wrong: string[] = [],
    each = (names: string[], act: (name: string) => void) => {
      for (const name of names)
        try {
          act(name);
        } catch (e) {
          wrong.push((e as Error).message);
        }
    };
  each(wish.getAll('view'), name => look(viewOf(name)));
  each(wish.getAll('trace'), name => {
    const i = model.nodes.findIndex(n => n.name === name);
    if (i < 0) throw new Error(`there is no node '${name}'`);
    if (!scene?.traced(i)) toggleTrace(i);
  });
  each(wish.getAll('names'), what => setNames(what !== 'off', what === 'parts'));
  each(wish.getAll('colour'), name => looks?.wish(name));
  each(wish.getAll('range'), name => looks?.wishRange(name));
  each(wish.getAll('arrows'), name => looks?.wishArrows(name));
  if (wish.has('from') || wish.has('to')) each([''], () => linear?.choose(wish.get('from'), wish.get('to')));
  each([''], () => {
    const k = frameWished();
    if (k !== null) seek(k);
  });
  return wrong;
}

if (wish.has('shot'))
  shoot(() => {
    const s = scene;
    if (!s) throw new Error($('blank').textContent!);
    const [wrong] = heed();
    if (wrong) throw new Error(wrong);
    look(view); /* the legend takes its room */
    return {
      show: (f, p) => {
        frame = f;
        phase = p;
        show();
      },
      canvas: () => s.snapshot(),
      speed,
    };
  });
else {
  const wrong = heed();
  if (wrong.length) events.lost(wrong.map(text => `${text[0].toUpperCase()}${text.slice(1)}.`).join(' '));
}

/* For tests. */
declare global {
  interface Window {
    sinew: unknown;
  }
}
window.sinew = {
  frame: () => frame,
  time: () => axis[Math.round(frame)],
  drawn: () => scene?.drawn ?? 0,
  position: (i: number) => Array.from(position.slice(3 * i, 3 * i + 3)),
  point: (i: number, v: number[]) => point(i, v),
  pixel: (i: number) => scene?.pixel(i),
  pixelOf: (x: number[]) => scene?.pixelOf(x),
  supports: () => scene?.supports(),
  floor: () => scene?.floor,
  seek,
  header,
  model,
  axis,
  work: load,
  drawing: () => scene?.load,
  csv: () => plots.csv(),
  lines: (name: string) => plots.lines(name),
  range: () => plots.shownRange,
  scales: (name: string) => plots.scales(name),
  response: () => linear?.drawn,
  field: (name: string, k: number) => {
    const f = fieldOf(name);
    return f ? sample(f, frame)(k) : NaN;
  },
  painted: (element: number) => scene?.painted(element),
  swing: (element: number) => Array.from(swingOf(frame).elements.get(element) ?? []),
  reach: (element: number) => scene?.reach(element),
  looks: () => looks,
  sides: (element: number) => scene?.sides(element),
  mesh: (element: number) => scene?.meshOf(element),
  shape: (i: number) => scene?.solidBox(i),
  elsewhere: (ids: string, i: number) => within(ids, () => Array.from(position.slice(3 * i, 3 * i + 3))),
  layers: () => scene?.layers.map(l => ({name: l.name, visible: l.visible, tint: l.tint})),
  arrows: () => scene?.layers.flatMap(l => l.arrows.flatMap(a => a.shown)) ?? [],
};
