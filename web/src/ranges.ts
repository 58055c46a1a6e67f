/* From where to where signals go, over all frames: what their numbers are written by, and which of them are
   constant. */
import {Sensor, prefixes, result, sensor, served, unit} from './data';

export interface Range {
  low: number;
  high: number;
}
const known = new Map<string, Range>();
const keyOf = (s: Sensor, k: number, ids: string): string => `${ids}${s.block}.${k}`;

function over(y: ArrayLike<number>, first: number, step: number): Range {
  let low = Infinity,
    high = -Infinity;
  for (let i = first; i < y.length; i += step) {
    if (y[i] < low) low = y[i];
    if (y[i] > high) high = y[i];
  }
  return low <= high ? {low, high} : {low: 0, high: 0};
}

/* Of component k; null: a server has not given it yet. */
export function rangeOf(s: Sensor, k: number, ids = ''): Range | null {
  const key = keyOf(s, k, ids);
  let r = known.get(key) ?? null;
  if (!r && !served) known.set(key, (r = over(sensor(s, ids).data, k, s.width)));
  return r;
}
/* Numbers that have come from a server. */
export function learn(s: Sensor, k: number, y: ArrayLike<number>): void {
  const key = keyOf(s, k, ''),
    more = over(y, 0, 1),
    old = known.get(key) ?? more;
  known.set(key, {low: Math.min(old.low, more.low), high: Math.max(old.high, more.high)});
}

/* The largest number of a unit that any sensor of the page has. */
function largestOf(of: string): number {
  let most = 0;
  for (const ids of prefixes)
    for (const s of result(ids).header.sensors)
      for (let k = 0; k < s.width; k++) {
        const r = unit(s, k) === of ? rangeOf(s, k, ids) : null;
        if (r) most = Math.max(most, Math.abs(r.low), Math.abs(r.high));
      }
  return most;
}
/* How far the model reaches as it was written, m. */
function sizeOf(): number {
  const at = result('').header.nodes.map(n => n.at),
    wide = [0, 1, 2].map(j => Math.max(...at.map(x => x[j])) - Math.min(...at.map(x => x[j])));
  return at.length ? Math.hypot(...wide) : 0;
}

/* Below this a number of that unit is rounding: 1e-12 of the largest one; of an angle 1e-12, of its rates what those
   of lengths come to over the size of the model. */
const floors = new Map<string, number>();
export function floorOf(of: string): number {
  if (floors.has(of) && !served) return floors.get(of)!;
  const size = of.startsWith('rad/') ? sizeOf() : 0,
    like = of === 'rad' ? 1 : size > 0 ? largestOf(of.replace('rad', 'm')) / size : 0,
    floor = 1e-12 * Math.max(largestOf(of), like);
  floors.set(of, floor);
  return floor;
}

/* It never changes, but for rounding. */
export function constant(s: Sensor, k: number, ids = ''): boolean {
  const r = rangeOf(s, k, ids);
  if (!r || result(ids).header.frames < 2) return false;
  return r.high - r.low <= 1e-9 * Math.max(Math.abs(r.low), Math.abs(r.high)) + floorOf(unit(s, k));
}
