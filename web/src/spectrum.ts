/* Amplitudes of a signal over the frequency: its mean taken off, Hann's window, divided by the sum of the window, so
   that a sine has its amplitude. Between the frequencies of the record the spectrum is interpolated by zeros behind
   the record. */

/* In place, of 2^k numbers: radix 2, decimation in time. */
function transform(re: Float64Array, im: Float64Array): void {
  const n = re.length;
  for (let i = 1, j = 0; i < n; i++) {
    let bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j |= bit;
    if (i < j) {
      [re[i], re[j]] = [re[j], re[i]];
      [im[i], im[j]] = [im[j], im[i]];
    }
  }
  for (let size = 2; size <= n; size <<= 1)
    for (let k = 0; k < size / 2; k++) {
      const c = Math.cos((2 * Math.PI * k) / size),
        s = -Math.sin((2 * Math.PI * k) / size);
      for (let a = k; a < n; a += size) {
        const b = a + size / 2,
          x = c * re[b] - s * im[b],
          y = c * im[b] + s * re[b];
        re[b] = re[a] - x;
        im[b] = im[a] - y;
        re[a] += x;
        im[a] += y;
      }
    }
}

/* At equal distances in time: as it is, or between the frames where these are not. */
function even(t: ArrayLike<number>, y: ArrayLike<number>, first: number, last: number): Float64Array {
  const n = last - first + 1,
    step = (t[last] - t[first]) / (n - 1),
    out = new Float64Array(n);
  for (let i = 0, k = first; i < n; i++) {
    const at = t[first] + i * step;
    while (k < last - 1 && t[k + 1] <= at) k++;
    const part = Math.min(Math.max((at - t[k]) / (t[k + 1] - t[k]), 0), 1);
    out[i] = y[k] + part * (y[k + 1] - y[k]);
  }
  return out;
}

/* Of the frames from `from` to `to`: frequencies in Hz, from the first above 0, and amplitudes; empty where there is
   nothing to be told. */
export function spectrum(
  t: ArrayLike<number>,
  y: ArrayLike<number>,
  from: number,
  to: number,
): [Float64Array, Float64Array] {
  let first = 0,
    last = t.length - 1;
  while (first < last && t[first] < from) first++;
  while (last > first && t[last] > to) last--;
  const n = last - first + 1;
  if (n < 8 || !(t[last] > t[first])) return [new Float64Array(0), new Float64Array(0)];
  const x = even(t, y, first, last),
    mean = x.reduce((a, b) => a + b, 0) / n,
    size = 2 ** Math.ceil(Math.log2(4 * n)),
    re = new Float64Array(size),
    im = new Float64Array(size);
  let weight = 0;
  for (let i = 0; i < n; i++) {
    const w = 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / n);
    re[i] = w * (x[i] - mean);
    weight += w;
  }
  transform(re, im);
  const rate = (n - 1) / (t[last] - t[first]),
    half = size / 2;
  return [
    Float64Array.from({length: half - 1}, (_, k) => ((k + 1) * rate) / size),
    Float64Array.from({length: half - 1}, (_, k) => (2 * Math.hypot(re[k + 1], im[k + 1])) / weight),
  ];
}
