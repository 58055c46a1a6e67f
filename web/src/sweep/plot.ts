/* A plot as SVG: its frame, scales and ticks. */
export interface Frame {
  svg: SVGSVGElement;
  x: (v: number) => number;
  y: (v: number) => number;
  left: number;
  right: number;
  bottom: number;
  top: number;
  width: number;
  height: number;
}

export function put(host: Element, name: string, attributes: Record<string, string | number>): SVGElement {
  const e = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, String(v));
  host.append(e);
  return e;
}

/* Smallest and largest with a little room; a constant in the middle. */
function range(x: number[]): [number, number] {
  let a = Infinity,
    b = -Infinity;
  for (const v of x) ((a = Math.min(a, v)), (b = Math.max(b, v)));
  if (!Number.isFinite(a)) return [0, 1];
  const size = Math.max(Math.abs(a), Math.abs(b));
  if (b - a <= 1e-6 * size || b === a) return [a - (0.1 * size || 1), b + (0.1 * size || 1)];
  return [a - 0.03 * (b - a), b + 0.05 * (b - a)];
}

const room = {left: 56, right: 12, top: 10, bottom: 34};

export function frame(host: HTMLElement, all: [number, number][], height: number): Frame {
  const width = Math.max(280, host.clientWidth);
  host.replaceChildren();
  const svg = put(host, 'svg', {viewBox: `0 0 ${width} ${height}`, role: 'img'}) as SVGSVGElement;
  const [left, right] = range(all.map(p => p[0])),
    [bottom, top] = range(all.map(p => p[1]));
  const x = (v: number): number => room.left + ((v - left) / (right - left)) * (width - room.left - room.right);
  const y = (v: number): number =>
    height - room.bottom - ((v - bottom) / (top - bottom)) * (height - room.top - room.bottom);
  return {svg, x, y, left, right, bottom, top, width, height};
}

/* Round numbers, some n of them. */
function rounds(a: number, b: number, n: number): number[] {
  const raw = (b - a) / n,
    ten = 10 ** Math.floor(Math.log10(raw)),
    step = [1, 2, 5, 10].map(k => k * ten).find(s => s >= raw)!;
  const out = [];
  for (let k = Math.ceil(a / step); k * step <= b * (1 + 1e-12); k++) out.push(+(k * step).toPrecision(12));
  return out;
}

export function ticks(f: Frame, xName: string, yName: string): void {
  const under = f.height - room.bottom;
  for (const v of rounds(f.left, f.right, f.width / 90)) {
    put(f.svg, 'line', {class: v === 0 ? 'zero' : 'grid', x1: f.x(v), x2: f.x(v), y1: room.top, y2: under});
    put(f.svg, 'text', {x: f.x(v), y: under + 14, 'text-anchor': 'middle'}).textContent = String(v);
  }
  for (const v of rounds(f.bottom, f.top, f.height / 60)) {
    put(f.svg, 'line', {
      class: v === 0 ? 'zero' : 'grid',
      x1: room.left,
      x2: f.width - room.right,
      y1: f.y(v),
      y2: f.y(v),
    });
    put(f.svg, 'text', {x: room.left - 6, y: f.y(v) + 4, 'text-anchor': 'end'}).textContent = String(v);
  }
  put(f.svg, 'text', {x: f.width - room.right, y: f.height - 4, 'text-anchor': 'end'}).textContent = xName;
  put(f.svg, 'text', {x: 2, y: room.top + 2}).textContent = yName;
}
