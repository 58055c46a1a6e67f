/* How numbers are written, and where the ticks of an axis are. */
import {clamp} from './dom';

export const fin = (v: unknown): v is number => Number.isFinite(v);

export const minus = (s: string): string => s.replace(/^-(?=[0.]*$)/, '').replace('-', '\u2212');
export const power = (e: number): string =>
  e ? '\u202f×\u202f10' + String(e).replace(/./g, c => (c === '-' ? '⁻' : '⁰¹²³⁴⁵⁶⁷⁸⁹'[+c])) : '';

/* Power of ten to write beside a number: none for 0.001 ... 999999, else a multiple of three. */
function exponent(v: number): number {
  v = Math.abs(v);
  return !fin(v) || v === 0 || (v >= 1e-3 && v < 1e6) ? 0 : Math.floor(Math.log10(v) / 3 + 1e-12) * 3;
}
export function fmt(v: unknown, digits = 5): string {
  if (!fin(v)) return '–';
  const e = exponent(v),
    m = v / 10 ** e;
  const whole = Math.abs(m) >= 1 ? Math.floor(Math.log10(Math.abs(m))) + 1 : 1;
  return (
    minus(
      m.toFixed(
        clamp(
          m === 0 ? 0 : Math.abs(m) >= 1 ? digits - whole : digits - 1 - Math.floor(Math.log10(Math.abs(m))),
          0,
          12,
        ),
      ),
    ) + power(e)
  );
}
/* A power of ten as such, other numbers with one behind them where they are small or large: 10⁻⁴, 3.3 × 10⁻⁴, 0.5. */
export function scientific(v: unknown, digits = 3): string {
  if (!fin(v) || v === 0 || (Math.abs(v) >= 0.01 && Math.abs(v) < 1e3)) return brief(v, digits);
  const e = Math.floor(Math.log10(Math.abs(v)) + 1e-9),
    m = brief(v / 10 ** e, digits);
  return m === '1' ? power(e).split('\u202f').pop()! : m + power(e);
}
/* Of probabilities nobody needs more than one digit, or the exact power of very small ones. */
export function probability(p: unknown): string {
  if (!fin(p)) return '–';
  if (p >= 1e-3 || p <= 0) return p > 0 ? fmt(p, 2) : '0';
  const e = Math.floor(Math.log10(p));
  return e < -99 ? '< 10⁻⁹⁹' : `${Math.round(p / 10 ** e)}${power(e)}`;
}
/* Without zeros at the end. */
export const brief = (v: unknown, digits?: number): string =>
  fmt(v, digits).replace(/\.(\d*?)0+(?!\d)/, (_, d: string) => (d ? '.' + d : ''));
/* An estimate is written to two digits of its standard error; all numbers of a row share power and digits. */
export function style(estimate: unknown, error: unknown): {e: number; write: (v: unknown) => string} {
  const e = exponent(Math.max(Math.abs(fin(estimate) ? estimate : 0), fin(error) ? error : 0));
  if (!fin(error) || error <= 0) return {e: 0, write: v => fmt(v, 6)};
  const d = clamp(1 - Math.floor(Math.log10(error)) + e, 0, 12);
  return {e, write: v => (fin(v) ? minus((v / 10 ** e).toFixed(d)) : '–')};
}
export const plural = (n: number, word: string): string => `${n.toLocaleString('en')} ${word}${n === 1 ? '' : 's'}`;
export const duration = (s: number): string =>
  s < 120 ? `${fmt(s, 3)} s` : s < 7200 ? `${(s / 60).toFixed(1)} min` : `${(s / 3600).toFixed(1)} h`;

export interface Ticks {
  at: number[];
  write: (v: number) => string;
  power: string;
}

/* Round numbers in [lo, hi], about n of them; on a log axis 1, 2, 5 or powers of ten. */
export function ticks(lo: number, hi: number, n: number, log: boolean): Ticks {
  const out: number[] = [];
  if (log) {
    const a = Math.floor(Math.log10(lo)),
      b = Math.ceil(Math.log10(hi)),
      every = Math.max(1, Math.ceil((b - a) / n));
    for (let k = a; k <= b; k += every) for (const m of b - a <= 2 ? [1, 2, 5] : [1]) out.push(m * 10 ** k);
    return {at: out.filter(v => v >= lo * 0.9999 && v <= hi * 1.0001), write: v => fmt(v, 1), power: ''};
  }
  const raw = (hi - lo) / Math.max(n, 1),
    ten = 10 ** Math.floor(Math.log10(raw));
  const step = ten * [1, 2, 5, 10].find(m => m * ten >= raw * 0.85)!;
  if (!fin(step) || step <= 0) return {at: [], write: fmt, power: ''};
  for (let k = Math.ceil(lo / step - 1e-9); k * step <= hi + step * 1e-9; k++) out.push(k * step);
  const big = Math.max(Math.abs(lo), Math.abs(hi)),
    e = big >= 1e5 || big < 1e-2 ? Math.floor(Math.log10(big) / 3) * 3 : 0;
  const d = clamp(e - Math.floor(Math.log10(step) + 1e-9), 0, 12);
  return {at: out, write: v => minus((v / 10 ** e).toFixed(d)), power: power(e).trim()};
}
