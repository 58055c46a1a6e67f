/* Wishes behind the # of the page's address, or what the page was written to begin with: t=0.5 (a time), mode=3,
   view=top (or 5), trace=NODE (again for others), colour=FIELD, arrows=load or reaction, theme=dark, bare (the scene
   alone). And pictures for `sinew export`:
   shot=png or gif with w, h, fps, speed, from, to. The page is then replaced by the picture as base64 behind a mark,
   all within the loading of the page. */
import {frameAt} from './clock';
import {axis, header, modes} from './data';
import {Gif, Palette} from './gif';

export const wish = new URLSearchParams(location.hash.slice(1) || header.begin || '');
export const number = (key: string): number | null => (wish.has(key) ? Number(wish.get(key)) : null);

/* Width and height of the picture. */
export const size: [number, number] = [number('w') ?? 800, number('h') ?? 600];

/* What the page lets a picture do. */
export interface Studio {
  show(frame: number, phase: number): void; /* may lie between two frames; phase of a mode */
  canvas(): HTMLCanvasElement; /* drawn just now */
  speed: number;
}

const last = header.frames - 1;

function timeOf(key: string, otherwise: number): number {
  const t = number(key) ?? otherwise,
    slack = 1e-9 * Math.abs(axis[last] - axis[0]);
  if (!(t >= axis[0] - slack && t <= axis[last] + slack))
    throw new Error(
      `time ${wish.get(key)} is outside the result, which has ${axis[0]} to ${axis[last]} ${header.unit ?? ''}`,
    );
  return t;
}

/* The frame that is wished for; null: none is. */
export function frameWished(): number | null {
  const mode = number('mode');
  if (modes && mode !== null && !(mode >= 1 && mode <= header.frames))
    throw new Error(`there is no mode ${wish.get('mode')}: the result has ${header.frames}`);
  if (modes) return mode === null ? null : mode - 1;
  if (mode !== null) throw new Error('this result has no modes: say a time');
  return wish.has('t') && header.frames ? Math.round(frameAt(axis, timeOf('t', 0))) : null;
}

const base64 = (bytes: Uint8Array): string => {
  let text = '';
  for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  return btoa(text);
};

function moving(studio: Studio, w: number, h: number): string {
  const fps = number('fps') ?? 20,
    from = modes ? 0 : timeOf('from', axis[0]),
    to = modes ? 1 : timeOf('to', axis[last]);
  const n = modes ? Math.round(fps) : Math.floor(((to - from) / (number('speed') ?? studio.speed)) * fps + 1e-6) + 1;
  if (!(to > from)) throw new Error('there is no time between the beginning and the end of the picture');
  if (n > 2000) throw new Error(`${n} pictures are too many: fewer a second, more speed, or a part of the time`);
  const flat = document.createElement('canvas'),
    mode = frameWished() ?? 0;
  flat.width = w;
  flat.height = h;
  const pen = flat.getContext('2d', {willReadFrequently: true})!;
  const pixels = (i: number): Uint8ClampedArray => {
    if (modes) studio.show(mode, (2 * Math.PI * i) / n);
    else studio.show(frameAt(axis, from + ((to - from) * i) / Math.max(n - 1, 1)), 0);
    pen.drawImage(studio.canvas(), 0, 0, w, h);
    return pen.getImageData(0, 0, w, h).data;
  };
  const palette = new Palette(),
    samples = Math.min(n, 8);
  for (let i = 0; i < samples; i++) palette.sample(pixels(Math.round((i * (n - 1)) / Math.max(samples - 1, 1))));
  palette.make();
  const gif = new Gif(w, h, palette, Math.max(Math.round(100 / fps), 2));
  for (let i = 0; i < n; i++) {
    gif.add(pixels(i));
    console.log(`sinew-progress ${(i + 1) / n} ${modes ? i / n : from + ((to - from) * i) / Math.max(n - 1, 1)}`);
  }
  return base64(gif.end());
}

/* Runs what is asked for and leaves it in the document, or says why not. */
export function shoot(make: () => Studio): void {
  let text: string;
  try {
    const studio = make();
    if (wish.get('shot') === 'gif') text = 'sinew-shot:' + moving(studio, ...size);
    else {
      studio.show(frameWished() ?? 0, Math.PI / 2);
      text = 'sinew-shot:' + studio.canvas().toDataURL('image/png').split(',')[1];
    }
  } catch (e) {
    text = `sinew-fail:${(e as Error).message}`;
  }
  document.body.textContent = text;
}
