/* Numbers for people. */

/* Nine digits; where this is written the exact number is in data-value. */
export const shown = (x: number): string =>
  Number.isFinite(x) ? String(Number(x.toPrecision(9))).replace('-', '−') : '–';

const digits = 5;

/* How numbers of a signal are written that goes from low to high: with as many decimals as five digits of the largest
   need, always the same, so that nothing moves while they change. What is below the floor is rounding, and 0. */
export class Reading {
  readonly width: number; /* letters */
  private exponent = 0;
  private decimals = 0;

  constructor(
    low: number,
    high: number,
    private floor = 0,
  ) {
    const most = Math.max(Math.abs(low), Math.abs(high)),
      size = most > floor && Number.isFinite(most) ? Math.floor(Math.log10(most)) : 0;
    if (size < -4 || size > 6) this.exponent = size;
    this.decimals = most > floor ? Math.max(digits - 1 - (size - this.exponent), 0) : 0;
    this.width = Math.max(this.text(low).length, this.text(high).length);
  }

  text(x: number | undefined): string {
    if (x === undefined || !Number.isFinite(x)) return '–';
    if (Math.abs(x) <= this.floor) return '0';
    const fixed = (x / 10 ** this.exponent).toFixed(this.decimals),
      text = Number(fixed) === 0 ? fixed.replace('-', '') : fixed;
    return `${text}${this.exponent ? `e${this.exponent}` : ''}`.replaceAll('-', '−');
  }
}

/* Of frames of this time: the decimals that tell them apart. */
export function clockReading(axis: ArrayLike<number>): (t: number) => string {
  const n = axis.length,
    step = n > 1 ? (axis[n - 1] - axis[0]) / (n - 1) : 0,
    decimals = step > 0 ? Math.min(Math.max(Math.ceil(-Math.log10(step) - 1e-9) + 1, 0), 12) : 0,
    whole = decimals > 0 && Array.from(axis).every(t => Math.abs(Number(t.toFixed(decimals - 1)) - t) < 1e-6 * step),
    used = whole ? decimals - 1 : decimals;
  return t => (step > 0 && Number.isFinite(t) ? t.toFixed(used).replace('-', '−') : shown(t));
}
