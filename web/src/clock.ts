/* Time that runs over frames. */

export const speeds = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

/* A short run is slowed down, a long one hastened, so that it takes some seconds to watch. */
export function fitting(length: number): number {
  return length < 1
    ? ([...speeds].reverse().find(s => length / s >= 4) ?? 0.01)
    : length > 60
      ? (speeds.find(s => length / s <= 30) ?? 10)
      : 1;
}

/* The time of a frame, which may lie between two. Frames need not be equally far apart. */
export function timeOf(axis: Float64Array, frame: number): number {
  const k = Math.min(Math.floor(frame), Math.max(axis.length - 2, 0));
  return axis.length > 1 ? axis[k] + (frame - k) * (axis[k + 1] - axis[k]) : axis[0];
}
export function frameAt(axis: Float64Array, t: number): number {
  let a = 0,
    b = axis.length - 1;
  if (!(t > axis[0]) || b < 1) return 0;
  if (t >= axis[b]) return b;
  while (b - a > 1) {
    const m = (a + b) >> 1;
    if (axis[m] <= t) a = m;
    else b = m;
  }
  return a + (t - axis[a]) / (axis[b] - axis[a]);
}

export function nearest(x: ArrayLike<number>, t: number): number {
  let a = 0,
    b = x.length - 1;
  while (b - a > 1) {
    const m = (a + b) >> 1;
    if (x[m] <= t) a = m;
    else b = m;
  }
  return b > a && t - x[a] > x[b] - t ? b : a;
}

/* The frame that is dt later; past the last one the first or, without a loop, the last. */
export function advance(axis: Float64Array, frame: number, dt: number, loop: boolean): number {
  const last = axis.length - 1,
    t = timeOf(axis, frame) + dt;
  return t < axis[last] ? frameAt(axis, t) : loop ? 0 : last;
}
