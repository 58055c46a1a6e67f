/* Vectors of three numbers. */

export const zero = [0, 0, 0];
export const minus = (a: ArrayLike<number>, b: ArrayLike<number>): number[] => [
  a[0] - b[0],
  a[1] - b[1],
  a[2] - b[2],
];
export const plus = (a: ArrayLike<number>, b: ArrayLike<number>): number[] => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const cross = (a: ArrayLike<number>, b: ArrayLike<number>): number[] => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
export const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const length = (a: ArrayLike<number>): number => Math.hypot(a[0], a[1], a[2]);
export const unit = (a: ArrayLike<number>): number[] => {
  const l = length(a) || 1;
  return [a[0] / l, a[1] / l, a[2] / l];
};
/* Two vectors across a direction, and each other. */
export function across(e: number[]): [number[], number[]] {
  const y = unit(cross(Math.abs(e[2]) > 0.9 ? [0, 1, 0] : [0, 0, 1], e));
  return [y, cross(e, y)];
}
/* a x b, of length 1. */
export function crossUnit(a: ArrayLike<number>, b: ArrayLike<number>, out: number[]): void {
  const x = a[1] * b[2] - a[2] * b[1],
    y = a[2] * b[0] - a[0] * b[2],
    z = a[0] * b[1] - a[1] * b[0],
    l = 1 / (Math.sqrt(x * x + y * y + z * z) || 1);
  out[0] = x * l;
  out[1] = y * l;
  out[2] = z * l;
}
