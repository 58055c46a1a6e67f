/* The legend on a picture that leaves the page: what stands over the scene is painted onto a copy of it, at the same
   place. */

type Box = {x: number; y: number; w: number; h: number};

function box(e: {getBoundingClientRect(): DOMRect}, from: DOMRect): Box {
  const r = e.getBoundingClientRect();
  return {x: r.left - from.left, y: r.top - from.top, w: r.width, h: r.height};
}

/* A line with a head, with two, or three quarters of a circle, as style.css has them. */
function scale(g: CanvasRenderingContext2D, e: Element, b: Box): void {
  const head = (x: number) => {
    g.beginPath();
    g.moveTo(x, b.y + b.h / 2);
    g.lineTo(x - 7, b.y + b.h / 2 - 4.5);
    g.lineTo(x - 7, b.y + b.h / 2 + 4.5);
    g.fill();
  };
  if (e.classList.contains('arc')) {
    g.lineWidth = 2;
    g.beginPath();
    g.arc(b.x + b.w / 2, b.y + b.h / 2, (e as HTMLElement).offsetWidth / 2 - 1, Math.PI / 2, 2 * Math.PI);
    g.stroke();
    return;
  }
  g.fillRect(b.x, b.y, b.w, b.h);
  head(b.x + b.w + 1);
  if (e.classList.contains('moment')) head(b.x + b.w - 5);
}

/* A text as it stands in the page, line by line. */
function lines(n: Node, from: DOMRect): {text: string; at: Box}[] {
  const all: {text: string; at: Box}[] = [],
    range = document.createRange();
  for (const word of (n.textContent ?? '').matchAll(/\S+/g)) {
    range.setStart(n, word.index);
    range.setEnd(n, word.index + word[0].length);
    const at = box(range, from),
      last = all[all.length - 1];
    if (last && Math.abs(last.at.y - at.y) < at.h / 2) last.text += ` ${word[0]}`;
    else all.push({text: word[0], at});
  }
  return all;
}

/* A bar with upright ends. */
function bar(g: CanvasRenderingContext2D, b: Box): void {
  g.lineWidth = 1.5;
  g.beginPath();
  g.moveTo(b.x, b.y);
  g.lineTo(b.x, b.y + b.h);
  g.lineTo(b.x + b.w, b.y + b.h);
  g.lineTo(b.x + b.w, b.y);
  g.stroke();
}

function paint(g: CanvasRenderingContext2D, e: Element, from: DOMRect): void {
  const css = getComputedStyle(e),
    b = box(e, from);
  g.fillStyle = g.strokeStyle = css.color;
  if (e.classList.contains('scale')) return scale(g, e, b);
  if (e.classList.contains('length')) return bar(g, b);
  const stops = css.backgroundImage.match(/rgba?\([^)]*\)/g);
  if (stops && stops.length > 1) {
    const line = g.createLinearGradient(b.x, 0, b.x + b.w, 0);
    stops.forEach((s, i) => line.addColorStop(i / (stops.length - 1), s));
    g.fillStyle = line;
    g.fillRect(b.x, b.y, b.w, b.h);
  } else if (css.backgroundColor !== 'rgba(0, 0, 0, 0)') {
    g.fillStyle = css.backgroundColor;
    g.beginPath();
    g.roundRect(b.x, b.y, b.w, b.h, Math.min(parseFloat(css.borderTopLeftRadius) || 0, b.h / 2));
    g.fill();
  }
  for (const n of e.childNodes) {
    if (n instanceof Element) {
      paint(g, n, from);
      continue;
    }
    g.font = `${css.fontWeight} ${css.fontSize} ${css.fontFamily}`;
    g.fillStyle = css.color;
    g.textBaseline = 'middle';
    for (const {text, at} of lines(n, from)) g.fillText(text, at.x, at.y + at.h / 2);
  }
}

/* A copy of the scene's picture with the elements of its page that stand over it. */
export function stamp(scene: HTMLCanvasElement, over: Element[]): HTMLCanvasElement {
  const out = document.createElement('canvas'),
    from = scene.getBoundingClientRect(),
    g = out.getContext('2d')!;
  out.width = scene.width;
  out.height = scene.height;
  g.drawImage(scene, 0, 0);
  g.scale(scene.width / from.width, scene.height / from.height);
  for (const e of over) if (e.childNodes.length && getComputedStyle(e).display !== 'none') paint(g, e, from);
  return out;
}
