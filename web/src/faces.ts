/* Faces of the elements that are surfaces, and how they hang together. */
import type {Model, Part} from './declarations';
import {dot, unit} from './vector';

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

/* Faces of the shapes by their corners, seen from outside counterclockwise. */
const triangle = [[0, 1, 2]],
  quadrilateral = [[0, 1, 2, 3]],
  tetrahedron = [
    [0, 2, 1],
    [0, 1, 3],
    [1, 2, 3],
    [2, 0, 3],
  ],
  hexahedron = [
    [0, 3, 2, 1],
    [4, 5, 6, 7],
    [0, 1, 5, 4],
    [1, 2, 6, 5],
    [2, 3, 7, 6],
    [3, 0, 4, 7],
  ];
const cornersOf = ({shape, nodes}: Part): number[][] =>
  shape === 'triangle'
    ? triangle
    : shape === 'quadrilateral'
      ? quadrilateral
      : shape !== 'solid'
        ? []
        : nodes.length === 4
          ? tetrahedron
          : nodes.length === 8
            ? hexahedron
            : [];

/* What has faces, all of whose corners lie somewhere. */
export const isSurface = (m: Model, e: Part): boolean => {
  const c = e.symbol ? [] : cornersOf(e);
  return c.length > 0 && c.flat().every(k => m.nodes[e.nodes[k]]?.lies);
};

/* All faces but those between two solids. */
export function facesOf(m: Model): Face[] {
  const found = new Map<string, Face[]>();
  for (const e of m.elements) {
    if (!isSurface(m, e)) continue;
    const solid = e.shape === 'solid',
      thickness = solid ? 0 : (m.thickness.get(e.row) ?? 0);
    for (const corners of cornersOf(e)) {
      const nodes = corners.map(k => e.nodes[k]),
        key = solid ? [...nodes].sort((a, b) => a - b).join() : `${e.row}:`,
        face = {element: e.row, corners, nodes, thickness, knots: [], sides: []};
      found.set(key, [...(found.get(key) ?? []), face]);
    }
  }
  return [...found.values()].flatMap(list => (list.length === 1 ? list : []));
}

/* The normal of a face, as long as twice its area (of a quadrilateral by its diagonals). */
export function normalOf(nodes: number[], x: Float64Array, out: number[]): number[] {
  const n = nodes.length,
    a = 3 * nodes[0],
    b = 3 * nodes[n - 2],
    c = 3 * nodes[n - 3],
    d = 3 * nodes[n - 1],
    u0 = x[b] - x[a],
    u1 = x[b + 1] - x[a + 1],
    u2 = x[b + 2] - x[a + 2],
    v0 = x[d] - x[c],
    v1 = x[d + 1] - x[c + 1],
    v2 = x[d + 2] - x[c + 2];
  out[0] = u1 * v2 - u2 * v1;
  out[1] = u2 * v0 - u0 * v2;
  out[2] = u0 * v1 - u1 * v0;
  return out;
}

/* Gives all faces their knots; returns the node of each. Faces that meet at less than 40 degrees in the reference
   configuration go on smoothly in each other, whatever the order of their corners; others meet in a fold. */
const smooth = Math.cos((40 / 180) * Math.PI);
export function knot(faces: Face[], reference: Float64Array): number[] {
  const nodes: number[] = [],
    at = new Map<number, {knot: number; normal: number[]}[]>();
  for (const f of faces) {
    const n = unit(normalOf(f.nodes, reference, []));
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
