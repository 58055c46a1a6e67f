/* The lines of a sensor over a range of frames: all frames where they are few, else the smallest and largest number of
   each pixel column. */
import {nearest} from './clock';
import {Sensor, axis, columnOf, gather, header, span} from './data';

export type Lines = [ArrayLike<number>, ...ArrayLike<number>[]];

/* Component k of rows, one number a frame. */
const pick = (rows: ArrayLike<number>, width: number, k: number, n: number): Float64Array => {
  const y = new Float64Array(n);
  for (let i = 0; i < n; i++) y[i] = rows[i * width + k];
  return y;
};

/* For a served page: what a plot of so many pixels needs of a range of time (null: all of it). */
export async function overview(
  s: Sensor,
  parts: number[],
  range: [number, number] | null,
  pixels: number,
): Promise<Lines> {
  const first = range ? Math.max(nearest(axis, range[0]) - 1, 0) : 0,
    last = range ? Math.min(nearest(axis, range[1]) + 1, header.frames - 1) : header.frames - 1;
  const count = last - first + 1,
    w = s.width;
  if (count < 1 || !w) return [[], ...parts.map(() => [])];
  if (count <= 4 * pixels) {
    const rows = await gather(columnOf(s), w, first, count, 1, false);
    return [axis.subarray(first, last + 1), ...parts.map(k => pick(rows, w, k, count))];
  }
  const bins = Math.max(pixels, 1),
    spans = await span(columnOf(s), first, count, bins),
    x = new Float64Array(2 * bins);
  const start = (b: number) => first + Math.floor((b * count) / bins);
  for (let b = 0; b < bins; b++) {
    x[2 * b] = axis[start(b)];
    x[2 * b + 1] = axis[start(b + 1) - 1];
  }
  return [
    x,
    ...parts.map(k => {
      const y = new Float64Array(2 * bins);
      for (let i = 0; i < 2 * bins; i++) y[i] = spans[((i >> 1) * w + k) * 2 + (i & 1)];
      return y;
    }),
  ];
}
