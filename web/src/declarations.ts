/* What the model declares, and all that draws goes by: nodes by the places of their position and rotation among the
   coordinates, elements and joints by their geometry, fields by points and components. The layout of the tables is
   that of docs/results.md; nothing else reads them. */
import type {Header} from './data';

/* A node. place, turn: where its position and its rotation (an angle in the plane, a quaternion in space) begin
   among all coordinates q, and in v; -1: it lies nowhere, it does not turn. The ground has none of them and lies. */
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
}
export type Shape = 'none' | 'point' | 'line' | 'triangle' | 'quadrilateral' | 'solid';
/* An element or a joint. row: in its table. bent: a line that follows the axes of its frames. symbol: what it is drawn
   as instead of its shape. arms: where it is fastened to its nodes, from there in their axes. */
export interface Part {
  row: number;
  name: string;
  nodes: number[];
  shape: Shape;
  bent: boolean;
  symbol: string;
  arms: number[][];
}
/* A line's section: sizes along its local y and z, a vector in its local x-y plane, from the nodes to its ends; outline
   ('': not known) and its hole. */
export interface Bar {
  size: number[];
  up: number[];
  ends: number[][];
  outline: '' | 'flat' | 'round' | 'i';
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
  shaped: Set<number>; /* elements with a solid */
  pins: (Pin | undefined)[];
  loads: Load[];
  planar: boolean;
}

const known = new WeakMap<Header, Model>();
export function declared(h: Header): Model {
  let m = known.get(h);
  if (!m) known.set(h, (m = read(h)));
  return m;
}

function readNode(n: Header['nodes'][number]): Node {
  const still = n.v < 0,
    space = n.size === 6 || (n.size === 3 && !n.theta),
    lies = still || n.size === 2 || n.size === 3 || n.size === 6,
    turns = !still && (n.size === 6 || (n.size === 3 && !!n.theta)),
    place = lies && !still;
  return {
    name: n.name,
    at: n.at,
    flat: !still && !space,
    lies,
    still,
    place: place ? n.q : -1,
    placeV: place ? n.v : -1,
    turn: turns ? n.q + (space ? 3 : 2) : -1,
    turnV: turns ? n.v + (space ? 3 : 2) : -1,
  };
}

const elementsOfBefore: [RegExp, Shape, string][] = [
  [/^beam/, 'line', ''],
  [/^mass/, 'point', 'mass'],
  [/^(spring|bushing|stop|torsion)/, 'line', 'spring'],
];
const jointsOfBefore: [RegExp, Shape, string][] = [
  [/^(revolute|universal|constant_velocity)/, 'point', 'hinge'],
  [/^rotation_drive/, 'none', 'motor'],
  [/^spherical/, 'point', 'ball'],
  [/^fixed/, 'point', 'clamp'],
  [/^rigid_link/, 'point', ''],
  [/^(prismatic|cylindrical|translation_drive|screw)/, 'none', 'slider'],
  [/^(drive|coupling|gear)/, 'none', ''],
  [/^distance/, 'line', ''],
  [/./, 'none', 'joint'],
];

function readParts(h: Header, joints: boolean): Part[] {
  const arms = new Map(h.points.filter(p => !!p[0] === joints).map(p => [`${p[1]},${p[2]}`, p.slice(3, 6)]));
  return (joints ? h.joints : h.elements).map((o, row) => {
    const kind = o.name.slice(0, o.name.indexOf(':')),
      [, shape, symbol] = (joints ? jointsOfBefore : elementsOfBefore).find(([test]) => test.test(kind)) ?? [
        0,
        'none' as Shape,
        '',
      ],
      nodes = o.x.slice(0, 2).filter(n => n >= 0);
    return {
      row,
      name: o.name.slice(o.name.indexOf(':') + 1),
      nodes,
      shape,
      bent: shape === 'line' && !symbol && !joints,
      symbol,
      arms: nodes.map((_, k) => arms.get(`${row},${k}`) ?? [0, 0, 0]),
    };
  });
}

function read(h: Header): Model {
  const nodes = h.nodes.map(readNode),
    elements = readParts(h, false),
    section = new Map(h.sections.map(s => [s[0], s])),
    bars = new Map<number, Bar>(),
    masses = new Map<number, Mass>();
  for (const b of h.bodies) {
    const row = b.x[0],
      [, form, ...hole] = section.get(row) ?? [row, 0, 0, 0];
    if (elements[row].shape === 'point') masses.set(row, {radius: b.x[1], centre: b.x.slice(3, 6)});
    else
      bars.set(row, {
        size: b.x.slice(1, 3),
        up: b.x.slice(3, 6),
        ends: [b.x.slice(6, 9), b.x.slice(9, 12)],
        outline: form === 3 ? 'i' : (form ? form === 2 : /^(circle|tube):/.test(b.name)) ? 'round' : 'flat',
        hole,
      });
  }
  return {
    nodes,
    elements,
    joints: readParts(h, true),
    bars,
    masses,
    thickness: new Map(),
    solids: h.shapes.map((s, row) => {
      const [form, name] = s.name.split(':');
      return {
        row,
        element: s.x[0],
        name,
        node: elements[s.x[0]]?.nodes[0] ?? -1,
        form:
          form === 'box' || form === 'cylinder' || form === 'sphere'
            ? form
            : h.triangles.includes(row)
              ? 'triangles'
              : 'unknown',
        at: s.x.slice(1, 4),
        turn: s.x.slice(4, 13),
        size: s.x.slice(13, 16),
      };
    }),
    shaped: new Set(h.shapes.map(s => s.x[0])),
    pins: h.joints.map((_, i) => {
      const p = h.pins[i];
      return p && {node: p[0], arm: p.slice(1, 4), axes: [p.slice(4, 7), p.slice(7, 10)]};
    }),
    loads: h.loads.map(l => ({element: l[0], nodes: l[2] >= 0 ? [l[1], l[2]] : [l[1]], arm: l.slice(3, 6)})),
    planar: nodes.every(n => (n.still || !n.lies || n.flat) && n.at[2] === 0),
  };
}
