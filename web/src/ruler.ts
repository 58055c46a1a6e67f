/* How long things are in the picture: a bar of a round length, and the pitch of the grid. */
import {round} from './arrows';

const prefix: [number, string][] = [
  [1e3, 'km'],
  [1, 'm'],
  [1e-2, 'cm'],
  [1e-3, 'mm'],
  [1e-6, 'µm'],
];
/* 0.2 m, 5 cm, 20 µm. */
export function lengthText(x: number): string {
  const [by, unit] = x >= 0.1 && x < 1e3 ? prefix[1] : (prefix.find(([p]) => x >= 0.999 * p) ?? prefix[4]);
  return `${Number((x / by).toPrecision(3))} ${unit}`;
}

export class Ruler {
  readonly host = document.createElement('div');
  private bar = document.createElement('span');
  private text = document.createElement('output');

  constructor(private pitch: number) {
    this.host.className = 'ruler';
    this.bar.className = 'length';
    this.host.append(this.bar, this.text);
  }
  /* pixels: of a meter in the middle of the picture; room: of the picture. */
  show(pixels: number, room: number): void {
    const most = Math.min(120, 0.25 * room),
      own = this.pitch * pixels,
      x = own > 0.35 * most && own <= most ? this.pitch : round(most / pixels);
    if (!(x > 0)) return;
    this.bar.style.width = `${x * pixels}px`;
    const text = x === this.pitch ? `${lengthText(x)} grid` : `${lengthText(x)} · grid ${lengthText(this.pitch)}`;
    if (this.text.textContent !== text) this.text.textContent = text;
    this.text.dataset.value = String(x);
    this.host.dataset.pitch = String(this.pitch);
  }
}
