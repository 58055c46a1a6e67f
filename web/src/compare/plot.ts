/* A plot with two logarithmic scales as SVG. */
export interface Frame {
  svg: SVGSVGElement;
  x: (v: number) => number;
  y: (v: number) => number;
}

export function put(host: Element, name: string, attributes: Record<string, string | number>): SVGElement {
  const e = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, String(v));
  host.append(e);
  return e;
}

const room = {left: 62, right: 14, top: 16, bottom: 36};

/* Powers of ten of the smallest and largest, with a little room; a constant in the middle. */
function range(x: number[]): [number, number] {
  const l = x.map(Math.log10).filter(Number.isFinite);
  if (!l.length) return [-1, 1];
  const a = Math.min(...l),
    b = Math.max(...l),
    more = Math.max(0.04 * (b - a), 0.15);
  return [a - more, b + more];
}

/* Where ticks stand: each power of ten, or each second or fifth; in short ranges 1, 2 and 5 of each. */
function rounds(a: number, b: number, most: number): number[] {
  const out: number[] = [],
    each = Math.max(1, Math.ceil((b - a) / most));
  for (let k = Math.ceil(a / each) * each; k <= b; k += each) out.push(10 ** k);
  if (out.length > 2) return out;
  for (let k = Math.floor(a); k <= b; k++)
    for (const m of [2, 5]) if (k + Math.log10(m) >= a && k + Math.log10(m) <= b) out.push(m * 10 ** k);
  return out;
}

const superscript = (n: number): string =>
  [...String(n)].map(c => (c === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(c)])).join('');

export function tick(v: number): string {
  const k = Math.floor(Math.log10(v) + 1e-9),
    m = Math.round(v / 10 ** k);
  if (k >= -2 && k <= 3) return String(+v.toPrecision(3));
  return (m === 1 ? '' : m + '·') + '10' + superscript(k);
}

export function frame(host: HTMLElement, all: [number, number][], xName: string, yName: string): Frame {
  const width = Math.max(300, host.clientWidth),
    height = 360;
  host.replaceChildren();
  const svg = put(host, 'svg', {viewBox: `0 0 ${width} ${height}`, role: 'img'}) as SVGSVGElement;
  const [left, right] = range(all.map(p => p[0])),
    [low, high] = range(all.map(p => p[1]));
  const across = width - room.left - room.right,
    up = height - room.top - room.bottom;
  const x = (v: number): number => room.left + ((Math.log10(v) - left) / (right - left)) * across;
  const y = (v: number): number => height - room.bottom - ((Math.log10(v) - low) / (high - low)) * up;
  for (const v of rounds(left, right, width / 80)) {
    put(svg, 'line', {class: 'grid', x1: x(v), x2: x(v), y1: room.top, y2: height - room.bottom});
    put(svg, 'text', {x: x(v), y: height - room.bottom + 14, 'text-anchor': 'middle'}).textContent = tick(v);
  }
  for (const v of rounds(low, high, height / 40)) {
    put(svg, 'line', {class: 'grid', x1: room.left, x2: width - room.right, y1: y(v), y2: y(v)});
    put(svg, 'text', {x: room.left - 6, y: y(v) + 4, 'text-anchor': 'end'}).textContent = tick(v);
  }
  put(svg, 'text', {x: width - room.right, y: height - 4, 'text-anchor': 'end'}).textContent = xName;
  put(svg, 'text', {x: 2, y: 11}).textContent = yName;
  return {svg, x, y};
}
