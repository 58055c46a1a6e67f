/* Frequency responses of x' = A x + B u, y = C x + D u. A becomes an upper Hessenberg matrix once, by Householder
   reflections, H = Q'AQ; then each frequency takes n^2 operations. */
import {Linear} from './data';

export interface Value {
  re: number;
  im: number;
}

export class Response {
  private H: Float64Array;
  private Q: Float64Array;
  constructor(private s: Linear) {
    const n = s.n,
      balance = this.balanced();
    this.H = new Float64Array(n * n);
    this.Q = new Float64Array(n * n);
    for (let i = 0; i < n; i++) {
      this.Q[i * n + i] = 1;
      for (let j = 0; j < n; j++) this.H[i * n + j] = (s.A[i * n + j] * balance[j]) / balance[i];
    }
    this.scale = balance;
    for (let k = 0; k < n - 2; k++) this.reflect(k);
  }
  private scale: Float64Array;

  /* Powers of two by which rows and columns of A compare. */
  private balanced(): Float64Array {
    const {n, A} = this.s,
      d = new Float64Array(n).fill(1);
    for (let pass = 0; pass < 20; pass++) {
      let changed = false;
      for (let i = 0; i < n; i++) {
        let row = 0,
          col = 0;
        for (let j = 0; j < n; j++)
          if (j !== i) {
            row += Math.abs((A[i * n + j] * d[j]) / d[i]);
            col += Math.abs((A[j * n + i] * d[i]) / d[j]);
          }
        if (!(row > 0) || !(col > 0)) continue;
        const f = 2 ** Math.round(0.5 * Math.log2(row / col));
        if (f !== 1) {
          d[i] *= f;
          changed = true;
        }
      }
      if (!changed) break;
    }
    return d;
  }

  /* Below the subdiagonal of column k nothing is left. */
  private reflect(k: number): void {
    const {n} = this.s,
      {H, Q} = this,
      v = new Float64Array(n);
    let size = 0;
    for (let i = k + 1; i < n; i++) size = Math.hypot(size, (v[i] = H[i * n + k]));
    if (size === 0) return;
    v[k + 1] += v[k + 1] < 0 ? -size : size;
    let square = 0;
    for (let i = k + 1; i < n; i++) square += v[i] * v[i];
    for (let j = k; j < n; j++) {
      let sum = 0;
      for (let i = k + 1; i < n; i++) sum += v[i] * H[i * n + j];
      sum *= 2 / square;
      for (let i = k + 1; i < n; i++) H[i * n + j] -= sum * v[i];
    }
    for (const M of [H, Q])
      for (let i = 0; i < n; i++) {
        let sum = 0;
        for (let j = k + 1; j < n; j++) sum += M[i * n + j] * v[j];
        sum *= 2 / square;
        for (let j = k + 1; j < n; j++) M[i * n + j] -= sum * v[j];
      }
    for (let i = k + 2; i < n; i++) H[i * n + k] = 0;
  }

  /* From an input itself, whichever of its derivatives the system has, to an output, at circular frequencies. */
  at(input: number, output: number, omega: ArrayLike<number>): Value[] {
    const {n, B, C, D, order} = this.s,
      ni = this.s.inputs.length,
      b = new Float64Array(n),
      c = new Float64Array(n);
    for (let j = 0; j < n; j++)
      for (let i = 0; i < n; i++) {
        b[j] += (this.Q[i * n + j] * B[i * ni + input]) / this.scale[i];
        c[j] += this.Q[i * n + j] * C[output * n + i] * this.scale[i];
      }
    return Array.from(omega, w => {
      const x = this.solve(w, b),
        y = {re: D[output * ni + input], im: 0};
      for (let j = 0; j < n; j++) {
        y.re += c[j] * x.re[j];
        y.im += c[j] * x.im[j];
      }
      for (let k = 0; k < (order[input] ?? 0); k++) [y.re, y.im] = [-w * y.im, w * y.re];
      return y;
    });
  }

  /* (i w - H) x = b, H upper Hessenberg, by rows with pivots among neighbours. */
  private solve(w: number, b: Float64Array): {re: Float64Array; im: Float64Array} {
    const {n} = this.s,
      re = new Float64Array(n * n),
      im = new Float64Array(n * n),
      x = b.slice(),
      y = new Float64Array(n);
    for (let i = 0; i < n * n; i++) re[i] = -this.H[i];
    for (let i = 0; i < n; i++) im[i * n + i] = w;
    for (let k = 0; k + 1 < n; k++) {
      const p = k * n,
        q = p + n;
      if (Math.hypot(re[q + k], im[q + k]) > Math.hypot(re[p + k], im[p + k])) {
        for (let j = k; j < n; j++) {
          [re[p + j], re[q + j]] = [re[q + j], re[p + j]];
          [im[p + j], im[q + j]] = [im[q + j], im[p + j]];
        }
        [x[k], x[k + 1]] = [x[k + 1], x[k]];
        [y[k], y[k + 1]] = [y[k + 1], y[k]];
      }
      const d = re[p + k] ** 2 + im[p + k] ** 2;
      if (d === 0) continue;
      const f = (re[q + k] * re[p + k] + im[q + k] * im[p + k]) / d,
        g = (im[q + k] * re[p + k] - re[q + k] * im[p + k]) / d;
      if (f === 0 && g === 0) continue;
      for (let j = k; j < n; j++) {
        const a = re[p + j],
          c = im[p + j];
        re[q + j] -= f * a - g * c;
        im[q + j] -= f * c + g * a;
      }
      const a = x[k],
        c = y[k];
      x[k + 1] -= f * a - g * c;
      y[k + 1] -= f * c + g * a;
    }
    for (let i = n - 1; i >= 0; i--) {
      let a = x[i],
        c = y[i];
      for (let j = i + 1; j < n; j++) {
        a -= re[i * n + j] * x[j] - im[i * n + j] * y[j];
        c -= re[i * n + j] * y[j] + im[i * n + j] * x[j];
      }
      const p = re[i * n + i],
        q = im[i * n + i],
        d = p * p + q * q;
      x[i] = (a * p + c * q) / d;
      y[i] = (c * p - a * q) / d;
    }
    return {re: x, im: y};
  }
}

/* Frequencies in Hz that show a system: around all of its poles that are not zero, finer near those that are little
   damped. */
export function frequencies(poles: readonly number[]): number[] {
  const sizes: number[] = [],
    out = new Set<number>();
  for (let i = 0; i + 1 < poles.length; i += 2) {
    const w = Math.hypot(poles[i], poles[i + 1]);
    if (w > 0) sizes.push(w);
  }
  sizes.sort((a, b) => a - b);
  /* of many poles the slowest ones: what is far above them is seldom looked for */
  const low = (sizes[0] ?? 1) / 10,
    high = 10 * (sizes[Math.min(sizes.length - 1, 39)] ?? 1),
    count = 400;
  for (let i = 0; i <= count; i++) out.add(low * (high / low) ** (i / count));
  for (let i = 0; i + 1 < poles.length; i += 2) {
    const w = poles[i + 1],
      d = Math.abs(poles[i]);
    if (!(w > low) || w > high || d > 0.2 * w) continue;
    for (let k = -8; k <= 8; k++) out.add(w + Math.sign(k) * Math.max(d, 1e-5 * w) * (2 ** Math.abs(k) - 1) * 0.2);
  }
  return [...out]
    .filter(w => w >= low && w <= high)
    .sort((a, b) => a - b)
    .map(w => w / (2 * Math.PI));
}
