/* What the model declares, and all that draws goes by: nodes by the places of their position and rotation among the
   coordinates, elements and joints by their geometry, fields (fields.ts) by points and components. The layout of the
   tables is that of docs/results.md; nothing else reads them. */
import type {Header, Thing} from './data';
import {zero} from './vector';

/* A node. place, turn: where its position and its rotation (an angle in the plane, a quaternion in space) begin
   among all coordinates q, and in v; -1: it has none. What is still, as the ground, lies where it was written. */
export interface Node {
  name: string;
  at: number[];
  flat: boolean;
  lies: boolean;
  still: boolean;
  place: number;
  turn: number;
  placeV: number;
  turnV: number;
  first: number; /* of all its numbers, among q and in v; -1: it is still */
  firstV: number;
  numbers: number;
}
export type Shape = 'none' | 'point' | 'line' | 'triangle' | 'quadrilateral' | 'solid';
/* An element or a joint. row: in its table. bent: a line that follows the axes of its frames. symbol: the picture that
   it is drawn as ('': by its shape). arms: where it is fastened to its nodes, from there in their axes. colour: that
   the model asks for. equations: names of a joint's. */
export interface Part {
  row: number;
  name: string;
  nodes: number[];
  shape: Shape;
  bent: boolean;
  symbol: string;
  arms: number[][];
  colour: string | null;
  equations: string[];
}
/* A line's section: sizes along its local y and z, a vector in its local x-y plane, from the nodes to its ends;
   outline and its hole. */
export interface Bar {
  size: number[];
  up: number[];
  ends: number[][];
  outline: 'flat' | 'round' | 'i';
  hole: number[];
}
export interface Mass {
  radius: number;
  centre: number[];
}
/* A solid of its own that belongs to an element's first node. */
export interface Solid {
  row: number;
  element: number;
  name: string;
  node: number;
  form: 'box' | 'cylinder' | 'sphere' | 'triangles' | 'unknown';
  at: number[];
  turn: number[];
  size: number[];
}
/* What an element is drawn as instead: a mesh in axes of its own, at a place of a node. Its modes have the numbers of
   the node `modal`, as amplitudes, which begin at d among all coordinates. */
export interface Mesh {
  element: number;
  name: string;
  mesh: number;
  node: number;
  modal: number;
  modes: number;
  d: number;
  at: number[];
  turn: number[];
}
/* Where a joint sits: from a node; its axes in those of its first and second node. */
export interface Pin {
  node: number;
  arm: number[];
  axes: number[][];
}
/* Where a load acts: at a node, or between two. */
export interface Load {
  element: number;
  nodes: number[];
  arm: number[];
}
export interface Model {
  nodes: Node[];
  elements: Part[];
  joints: Part[];
  bars: Map<number, Bar>;
  masses: Map<number, Mass>;
  thickness: Map<number, number>;
  solids: Solid[];
  meshes: Mesh[];
  shaped: Set<number>; /* elements with a solid or a mesh */
  pins: (Pin | undefined)[];
  loads: Load[];
  planar: boolean;
  gravity: number[];
}

/* Pictures that there are, of elements and of joints; what asks for another one is drawn by its shape. */
const symbols = {
  elements: ['mass', 'spring', 'bushing', 'stop'],
  joints: ['hinge', 'ball', 'clamp', 'weld', 'slider', 'motor', 'joint'],
};
const shapes: Shape[] = ['none', 'point', 'line', 'triangle', 'quadrilateral', 'solid'];
const outlines = ['flat', 'flat', 'round', 'i'] as const; /* not known: the rectangle that is as stiff */
const forms = ['unknown', 'box', 'cylinder', 'sphere', 'triangles'] as const;

const known = new WeakMap<Header, Model>();
export function declared(h: Header): Model {
  let m = known.get(h);
  if (!m) known.set(h, (m = read(h)));
  return m;
}

function readNode(n: Header['nodes'][number]): Node {
  const still = n.v < 0,
    from = (first: number, own: number) => (still || own < 0 ? -1 : first + own);
  return {
    name: n.name,
    at: n.at,
    flat: n.dim === 2,
    lies: n.x[0] >= 0 || still,
    still,
    place: from(n.q, n.x[0]),
    placeV: from(n.v, n.x[1]),
    turn: from(n.q, n.R[0]),
    turnV: from(n.v, n.R[1]),
    first: still ? -1 : n.q,
    firstV: n.v,
    numbers: n.nq === n.nv ? n.nq : 0,
  };
}

function readParts(h: Header, of: 'elements' | 'joints'): Part[] {
  const arms = new Map(
    h.points.filter(p => p[0] === (of === 'joints' ? 1 : 0)).map(p => [`${p[1]},${p[2]}`, p.slice(3, 6)]),
  );
  const colours = new Map(
    of === 'elements' ? h.colours.map(([row, ...rgb]): [number, string] => [row, `rgb(${rgb.join()})`]) : [],
  );
  return h[of].map((o: Thing, row) => {
    const {name, x} = h.geometry[o.geometry] ?? {name: '', x: [0, 0]};
    return {
      row,
      name: o.name.slice(o.name.indexOf(':') + 1),
      nodes: o.nodes,
      shape: shapes[x[0]] ?? 'none',
      bent: x[1] === 1,
      symbol: symbols[of].includes(name) ? name : '',
      arms: o.nodes.map((_, k) => arms.get(`${row},${k}`) ?? zero),
      colour: colours.get(row) ?? null,
      equations: o.equations ?? [],
    };
  });
}

const readBar = (x: number[]): [number, Bar] => [
  x[0],
  {
    size: x.slice(1, 3),
    up: x.slice(3, 6),
    ends: [x.slice(6, 9), x.slice(9, 12)],
    outline: outlines[x[12]] ?? 'flat',
    hole: x.slice(13, 15),
  },
];

/* What makes no sense is not drawn. */
function readMeshes(h: Header, nodes: Node[], elements: Part[]): Mesh[] {
  return h.meshes.flatMap(([element, mesh, node, modal, ...x]) => {
    const [n, modes] = h.meshSizes[mesh] ?? [0, 0],
      own = modal < 0 ? 0 : modes;
    if (!n || !elements[element] || !nodes[node]?.lies || x.length !== 12) return [];
    if (own && (nodes[modal]?.numbers !== own || nodes[modal].first < 0)) return [];
    return [
      {
        element,
        name: elements[element].name,
        mesh,
        node,
        modal,
        modes: own,
        d: own ? nodes[modal].first : 0,
        at: x.slice(0, 3),
        turn: x.slice(3, 12),
      },
    ];
  });
}

function read(h: Header): Model {
  const nodes = h.nodes.map(readNode),
    elements = readParts(h, 'elements'),
    meshes = readMeshes(h, nodes, elements);
  return {
    nodes,
    elements,
    joints: readParts(h, 'joints'),
    bars: new Map(h.lines.map(readBar)),
    masses: new Map(h.bodies.map(x => [x[0], {radius: x[1], centre: x.slice(2, 5)}])),
    thickness: new Map(h.surfaces.map(x => [x[0], x[1]])),
    solids: h.shapes.map(({name, x}, row) => ({
      row,
      element: x[0],
      name: name.split(':')[1],
      node: elements[x[0]]?.nodes[0] ?? -1,
      form: x[1] === 4 && !h.triangles.includes(row) ? 'unknown' : (forms[x[1]] ?? 'unknown'),
      at: x.slice(2, 5),
      turn: x.slice(5, 14),
      size: x.slice(14, 17),
    })),
    meshes,
    shaped: new Set([...h.shapes.map(s => s.x[0]), ...meshes.map(m => m.element)]),
    pins: h.joints.map((_, i) => {
      const p = h.pins[i];
      return p && {node: p[0], arm: p.slice(1, 4), axes: [p.slice(4, 7), p.slice(7, 10)]};
    }),
    loads: h.loads.map(x => ({element: x[0], nodes: elements[x[0]]?.nodes ?? [], arm: x.slice(1, 4)})),
    gravity: h.gravity[0]?.length === 3 ? h.gravity[0] : zero,
    planar: nodes.every(n => (n.flat || n.still || !n.lies) && n.at[2] === 0),
  };
}
