/* Surfaces that hang together: the deformation of a run is exaggerated from the rigid motion that fits all their nodes
   best (Horn, Closed-form solution of absolute orientation using unit quaternions, J. Opt. Soc. Am. A 4, 1987). */
import type {Model} from './declarations';
import {isSurface} from './faces';

interface Sheet {
  nodes: number[];
  middle: number[];
}

export class Sheets {
  private all: Sheet[];

  constructor(
    model: Model,
    private reference: Float64Array,
  ) {
    const root = model.nodes.map((_, i) => i),
      find = (i: number): number => {
        while (root[i] !== i) i = root[i] = root[root[i]];
        return i;
      },
      used = new Set<number>();
    for (const e of model.elements)
      if (isSurface(model, e))
        for (const i of e.nodes) {
          if (!model.nodes[i]?.lies) continue;
          used.add(i);
          root[find(i)] = find(e.nodes[0]);
        }
    const sheets = new Map<number, number[]>();
    for (const i of used) sheets.set(find(i), [...(sheets.get(find(i)) ?? []), i]);
    this.all = [...sheets.values()].map(nodes => ({nodes, middle: mean(nodes, reference)}));
  }
  get empty(): boolean {
    return !this.all.length;
  }

  bend(was: Float64Array, now: Float64Array, f: number): void {
    for (const s of this.all) {
      const to = mean(s.nodes, was),
        R = rotation(s, this.reference, was, to),
        d = [0, 0, 0];
      for (const i of s.nodes) {
        for (let j = 0; j < 3; j++) d[j] = this.reference[3 * i + j] - s.middle[j];
        for (let j = 0; j < 3; j++) {
          const on = to[j] + R[3 * j] * d[0] + R[3 * j + 1] * d[1] + R[3 * j + 2] * d[2];
          now[3 * i + j] = on + f * (was[3 * i + j] - on);
        }
      }
    }
  }
}

function mean(nodes: number[], x: Float64Array): number[] {
  const m = [0, 0, 0];
  for (const i of nodes) for (let j = 0; j < 3; j++) m[j] += x[3 * i + j] / nodes.length;
  return m;
}

/* The rotation about the middles that brings the nodes of the reference nearest to where they are, row by row: of the
   quaternion that belongs to the largest eigenvalue of Horn's matrix. */
function rotation(s: Sheet, reference: Float64Array, x: Float64Array, to: number[]): number[] {
  const S = new Float64Array(9);
  for (const i of s.nodes)
    for (let a = 0; a < 3; a++)
      for (let b = 0; b < 3; b++) S[3 * a + b] += (reference[3 * i + a] - s.middle[a]) * (x[3 * i + b] - to[b]);
  const [xx, xy, xz, yx, yy, yz, zx, zy, zz] = S,
    [w, i, j, k] = largest([
      [xx + yy + zz, yz - zy, zx - xz, xy - yx],
      [yz - zy, xx - yy - zz, xy + yx, zx + xz],
      [zx - xz, xy + yx, yy - xx - zz, yz + zy],
      [xy - yx, zx + xz, yz + zy, zz - xx - yy],
    ]);
  return [
    1 - 2 * (j * j + k * k),
    2 * (i * j - w * k),
    2 * (i * k + w * j),
    2 * (i * j + w * k),
    1 - 2 * (i * i + k * k),
    2 * (j * k - w * i),
    2 * (i * k - w * j),
    2 * (j * k + w * i),
    1 - 2 * (i * i + j * j),
  ];
}

/* The unit eigenvector of the largest eigenvalue of a symmetric matrix, by Jacobi's rotations. */
function largest(A: number[][]): number[] {
  const n = A.length,
    V = A.map((_, i) => A.map((_, j) => Number(i === j)));
  for (let sweep = 0; sweep < 30; sweep++) {
    let off = 0,
      all = 0;
    for (let p = 0; p < n; p++)
      for (let r = 0; r < n; r++) {
        all += A[p][r] ** 2;
        if (p !== r) off += A[p][r] ** 2;
      }
    if (off <= 1e-30 * all) break;
    for (let p = 0; p < n; p++)
      for (let r = p + 1; r < n; r++) {
        if (A[p][r] === 0) continue;
        const h = (A[r][r] - A[p][p]) / (2 * A[p][r]),
          t = (h < 0 ? -1 : 1) / (Math.abs(h) + Math.sqrt(h * h + 1)),
          c = 1 / Math.sqrt(t * t + 1),
          s = t * c;
        for (let k = 0; k < n; k++) [A[k][p], A[k][r]] = [c * A[k][p] - s * A[k][r], s * A[k][p] + c * A[k][r]];
        for (let k = 0; k < n; k++) [A[p][k], A[r][k]] = [c * A[p][k] - s * A[r][k], s * A[p][k] + c * A[r][k]];
        for (let k = 0; k < n; k++) [V[k][p], V[k][r]] = [c * V[k][p] - s * V[k][r], s * V[k][p] + c * V[k][r]];
      }
  }
  let best = 0;
  for (let k = 1; k < n; k++) if (A[k][k] > A[best][best]) best = k;
  return V.map(row => row[best]);
}
