/* Results of sinew path: sensors over the factor of the loads (or the parameter), which goes to and fro. A plot whose
   abscissa does not ascend is drawn here; solid where the equilibrium is stable, dashed where it is not, special
   points as rings. */
import type uPlot from 'uplot';
import {axis, component, header, sensor, served} from './data';
import {comparing} from './compare';
import {Lines} from './overview';

interface Equilibria {
  name: string;
  x: Float64Array;
  unstable: Float64Array;
  branch: Float64Array;
  special: Float64Array;
}

function read(): Equilibria | null {
  const s =
    header.analysis === 'path' ? header.sensors.find(o => /^path_?$/.test(o.name) && o.width === 4) : undefined;
  if (!s || served || comparing) return null;
  const data = sensor(s).data,
    column = (k: number) => Float64Array.from({length: header.frames}, (_, i) => data[4 * i + k]);
  return {name: component(s, 0), x: column(0), unstable: column(1), branch: column(2), special: column(3)};
}
export const equilibria = read();

/* What the frames are drawn over. */
export const abscissa: Float64Array = equilibria ? equilibria.x : axis;

export function reach(x: ArrayLike<number>): [number, number] {
  let a = Infinity,
    b = -Infinity;
  for (let i = 0; i < x.length; i++) {
    a = Math.min(a, x[i]);
    b = Math.max(b, x[i]);
  }
  return a < b ? [a, b] : [a - 0.5, b + 0.5];
}

/* The two points that span all lines: what the scales are made of. */
export function corners(lines: Lines): Lines {
  const [x, ...y] = lines;
  return [reach(x), ...y.map(reach)];
}

/* Lines through all frames, [x, ...y], in their colours. */
export function drawLines(u: uPlot, lines: Lines, colours: string[]): void {
  const e = equilibria!,
    c = u.ctx,
    ratio = devicePixelRatio,
    at = (line: number, i: number): [number, number] => [
      u.valToPos(lines[0][i] as number, 'x', true),
      u.valToPos(lines[line][i] as number, 'y', true),
    ];
  c.save();
  c.beginPath();
  c.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
  c.clip();
  c.lineWidth = 1.5 * ratio;
  for (let l = 1; l < lines.length; l++) {
    c.strokeStyle = c.fillStyle = colours[l - 1];
    /* pieces that are stable or unstable as a whole, of one branch */
    for (let i = 1, fresh = true; i < e.x.length; i++) {
      const joined = e.branch[i] === e.branch[i - 1],
        on = i + 1 < e.x.length && e.branch[i + 1] === e.branch[i] && e.unstable[i + 1] > 0 === e.unstable[i] > 0;
      if (joined && fresh) {
        c.setLineDash(e.unstable[i] > 0 ? [5 * ratio, 4 * ratio] : []);
        c.beginPath();
        c.moveTo(...at(l, i - 1));
      }
      if (joined) c.lineTo(...at(l, i));
      if (joined && !on) c.stroke();
      fresh = !joined || !on;
    }
    c.setLineDash([]);
    for (let i = 0; i < e.x.length; i++) {
      if (!e.special[i]) continue;
      c.beginPath();
      c.arc(...at(l, i), 3.5 * ratio, 0, 2 * Math.PI);
      c.stroke();
    }
  }
  c.restore();
}

/* The frame whose point is nearest to a place on the plot, in its pixels. */
export function frameNear(u: uPlot, lines: Lines, left: number, top: number): number {
  let best = 0,
    least = Infinity;
  for (let i = 0; i < equilibria!.x.length; i++)
    for (let l = 1; l < lines.length; l++) {
      const d = Math.hypot(
        u.valToPos(lines[0][i] as number, 'x') - left,
        u.valToPos(lines[l][i] as number, 'y') - top,
      );
      if (d < least) [least, best] = [d, i];
    }
  return best;
}
