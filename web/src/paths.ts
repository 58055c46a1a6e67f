/* Lines of a plot whose abscissa does not ascend: one quantity over another. */
import type uPlot from 'uplot';

export interface Path {
  x: ArrayLike<number>;
  y: ArrayLike<number>;
  colour: string;
  scale: string;
  points: boolean;
  dash: number[];
}

export function drawPaths(u: uPlot, paths: Path[]): void {
  const c = u.ctx,
    ratio = devicePixelRatio;
  c.save();
  c.beginPath();
  c.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
  c.clip();
  c.lineWidth = 1.5 * ratio;
  c.lineJoin = 'round';
  for (const p of paths) {
    c.strokeStyle = c.fillStyle = p.colour;
    c.setLineDash(p.dash.map(x => x * ratio));
    c.beginPath();
    for (let i = 0; i < p.x.length; i++) {
      const x = u.valToPos(p.x[i], 'x', true),
        y = u.valToPos(p.y[i], p.scale, true);
      if (p.points) c.fillRect(x - 2 * ratio, y - 2 * ratio, 4 * ratio, 4 * ratio);
      else c.lineTo(x, y);
    }
    if (!p.points) c.stroke();
  }
  c.restore();
}

/* The number whose point is nearest to a place on the plot, in its pixels. */
export function nearestOn(u: uPlot, p: Path, left: number, top: number): number {
  let best = 0,
    least = Infinity;
  for (let i = 0; i < p.x.length; i++) {
    const d = Math.hypot(u.valToPos(p.x[i], 'x') - left, u.valToPos(p.y[i], p.scale) - top);
    if (d < least) [least, best] = [d, i];
  }
  return best;
}

/* A dot on the plot, where a line is now. */
export function addDot(plot: uPlot, colour: string): HTMLElement {
  const dot = document.createElement('div');
  dot.className = 'dot';
  dot.style.setProperty('--c', colour);
  plot.over.append(dot);
  return dot;
}
export function moveDot(plot: uPlot, dot: HTMLElement, p: Path, i: number): void {
  const x = plot.valToPos(p.x[i], 'x'),
    y = plot.valToPos(p.y[i], p.scale),
    [w, h] = [plot.bbox.width / devicePixelRatio, plot.bbox.height / devicePixelRatio];
  dot.hidden = !(x >= 0 && x <= w && y >= 0 && y <= h);
  dot.style.transform = `translate(${x}px, ${y}px)`;
}
