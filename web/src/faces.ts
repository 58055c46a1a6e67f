/* Faces of the elements that are surfaces, and how they hang together. */
import type {Model, Part} from './declarations';
import {cross, dot, minus, unit} from './vector';

/* corners: which of its element's nodes. knots: of each corner, the place where it meets its neighbours smoothly;
   sides: 1 or -1, whether its normal is that of the knot or the opposite. */
export interface Face {
  element: number;
  corners: number[];
  nodes: number[];
  thickness: number;
  knots: number[];
  sides: number[];
}

const corners: Record<string, number[]> = {triangle: [0, 1, 2], quadrilateral: [0, 1, 2, 3]};

export const isSurface = (m: Model, e: Part): boolean =>
  !e.symbol && !!corners[e.shape]?.every(k => m.nodes[e.nodes[k]]?.lies);

export const facesOf = (m: Model): Face[] =>
  m.elements.flatMap(e => {
    if (!isSurface(m, e)) return [];
    const c = corners[e.shape],
      thickness = m.thickness.get(e.row) ?? 0,
      nodes = c.map(k => e.nodes[k]);
    return [{element: e.row, corners: c, nodes, thickness, knots: [], sides: []}];
  });

/* The normal of a face, as long as its area is large (twice that, for a quadrilateral by its diagonals). */
export function normalOf(nodes: number[], x: Float64Array): number[] {
  const p = (k: number) => x.subarray(3 * nodes[k], 3 * nodes[k] + 3);
  return nodes.length === 3
    ? cross(minus(p(1), p(0)), minus(p(2), p(0)))
    : cross(minus(p(2), p(0)), minus(p(3), p(1)));
}

/* Gives all faces their knots; returns the node of each. Faces that meet at less than 40 degrees in the reference
   configuration go on smoothly in each other, whatever the order of their corners; others meet in a fold. */
const smooth = Math.cos((40 / 180) * Math.PI);
export function knot(faces: Face[], reference: Float64Array): number[] {
  const nodes: number[] = [],
    at = new Map<number, {knot: number; normal: number[]}[]>();
  for (const f of faces) {
    const n = unit(normalOf(f.nodes, reference));
    f.nodes.forEach((node, k) => {
      let list = at.get(node);
      if (!list) at.set(node, (list = []));
      let found = list.find(o => Math.abs(dot(o.normal, n)) > smooth);
      if (!found) list.push((found = {knot: nodes.push(node) - 1, normal: n}));
      f.knots[k] = found.knot;
      f.sides[k] = dot(found.normal, n) < 0 ? -1 : 1;
    });
  }
  return nodes;
}

/* Edges between knots, each once, as one of its faces goes along it; free: no other face goes on there. */
export interface Edge {
  face: number;
  from: number;
  to: number;
  free: boolean;
}
export function edgesOf(faces: Face[]): Edge[] {
  const found = new Map<string, Edge>();
  faces.forEach((f, face) =>
    f.knots.forEach((a, from) => {
      const to = (from + 1) % f.knots.length,
        b = f.knots[to],
        key = a < b ? `${a},${b}` : `${b},${a}`,
        old = found.get(key);
      if (old) old.free = false;
      else found.set(key, {face, from, to, free: true});
    }),
  );
  return [...found.values()];
}
