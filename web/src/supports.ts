/* What a model stands on, as drawings have it: a plate with hatching where everything is held, a triangle on it where
   a point is, rollers below the triangle where a single direction is; likewise below hinges to the ground and where
   springs and beams end at it. */
import * as THREE from 'three';
import {mergeGeometries} from 'three/examples/jsm/utils/BufferGeometryUtils.js';
import type {Part} from './declarations';
import {lies, model, planar, ref} from './pose';
import {length, minus, plus, unit, zero} from './vector';

export type Stand = 'clamp' | 'pin' | 'roller';
/* A stand at a place of a node, towards what it stands on, in global axes. */
export interface Support {
  stand: Stand;
  node: number;
  arm: number[];
  down: number[];
}

/* Hatching below y = top: short strokes from a plate. */
function plate(s: number, top: number, half: number): THREE.BufferGeometry[] {
  const deep = planar ? 0.3 * s : 2 * half,
    n = Math.max(Math.round(half / (0.42 * s)), 2),
    strokes = Array.from({length: planar ? n : 0}, (_, i) =>
      new THREE.BoxGeometry(0.13 * s, 0.95 * s, deep)
        .rotateZ(-Math.PI / 4)
        .translate(-half + ((i + 0.62) * 2 * half) / n - 0.1 * s, top - 0.52 * s, 0),
    );
  return [
    new THREE.BoxGeometry(2 * half, (planar ? 0.26 : 0.5) * s, deep).translate(0, top - 0.13 * s, 0),
    ...strokes,
  ];
}
function wedge(s: number): THREE.BufferGeometry {
  if (!planar) return new THREE.ConeGeometry(1.15 * s, 1.9 * s, 20).translate(0, -0.95 * s, 0);
  const outline = new THREE.Shape([
    new THREE.Vector2(0, 0),
    new THREE.Vector2(-1.15 * s, -1.9 * s),
    new THREE.Vector2(1.15 * s, -1.9 * s),
  ]);
  return new THREE.ExtrudeGeometry(outline, {depth: 0.3 * s, bevelEnabled: false}).translate(0, 0, -0.15 * s);
}
const ball = (s: number, x: number): THREE.BufferGeometry =>
  new THREE.SphereGeometry(0.36 * s, 14, 10).translate(x, -2.26 * s, 0);

/* It stands on -y, and holds the origin. */
export function standOf(stand: Stand, s: number): THREE.BufferGeometry {
  const parts =
    stand === 'clamp'
      ? plate(s, 0, 2.1 * s)
      : stand === 'pin'
        ? [wedge(s), ...plate(s, -1.9 * s, 1.75 * s)]
        : [wedge(s), ball(s, -0.6 * s), ball(s, 0.6 * s), ...plate(s, -2.62 * s, 1.75 * s)];
  return mergeGeometries(parts.map(g => (g.index ? g.toNonIndexed() : g)).map(g => g.deleteAttribute('uv')))!;
}

/* Down: where gravity pulls, or the lower edge of the picture. */
const down = (): number[] => (length(model.gravity) > 0 ? unit(model.gravity) : planar ? [0, -1, 0] : [0, 0, -1]);
const still = (n: number): boolean => lies(n) && model.nodes[n].still;

/* Away from the beam that ends at a node; without one, down. */
function behind(node: number): number[] {
  const lines = model.elements.filter(e => e.shape === 'line' && !e.symbol && e.nodes.includes(node)),
    [e] = lines,
    other = e?.nodes.slice(0, 2).find(n => n !== node);
  if (lines.length !== 1 || other === undefined || !lies(other)) return down();
  const d = minus(ref(node), ref(other));
  return length(d) > 0 ? unit(d) : down();
}

/* How many of the directions and rotations a joint holds that holds coordinates by their names. */
function ofHeld(j: Part): Support | null {
  const [node] = j.nodes,
    ways = ['x', 'y', 'z'].filter(n => j.equations.includes(n)),
    turns = j.equations.filter(n => n === 'theta' || /^r[xyz]$/.test(n)).length,
    most = planar ? 2 : 3,
    arm = zero;
  if (!lies(node) || (!ways.length && j.equations.length)) return null;
  if (!j.equations.length || (ways.length === most && turns === (planar ? 1 : 3)))
    return {stand: 'clamp', node, arm, down: behind(node)};
  if (ways.length === most || (!planar && ways.length > 1)) return {stand: 'pin', node, arm, down: down()};
  const axis = ways[0] === 'x' ? [-1, 0, 0] : ways[0] === 'y' ? [0, -1, 0] : [0, 0, -1];
  return {stand: 'roller', node, arm, down: axis};
}

function ofJoint(j: Part): Support | null {
  if (j.symbol === 'clamp') return ofHeld(j);
  if (!['hinge', 'motor', 'ball'].includes(j.symbol) || !j.nodes.slice(0, 2).some(still)) return null;
  const pin = model.pins[j.row];
  return pin && lies(pin.node) ? {stand: 'pin', node: pin.node, arm: pin.arm, down: down()} : null;
}

/* Elements between two points that end at the ground. */
function ofElement(e: Part): Support | null {
  const [a, b] = e.nodes,
    k = still(a) ? 0 : still(b) ? 1 : -1;
  if (e.shape !== 'line' || k < 0 || e.nodes.length < 2 || !lies(a) || !lies(b) || still(e.nodes[1 - k])) return null;
  const [from, to] = [k, 1 - k].map(i => plus(ref(e.nodes[i]), e.arms[i] ?? zero)),
    d = minus(from, to);
  return length(d) > 0 ? {stand: 'clamp', node: e.nodes[k], arm: e.arms[k] ?? zero, down: unit(d)} : null;
}

/* One at each place: what holds most. */
export function supports(): Support[] {
  const at = new Map<string, Support>(),
    rank: Stand[] = ['roller', 'pin', 'clamp'];
  for (const s of [...model.joints.map(ofJoint), ...model.elements.map(ofElement)]) {
    if (!s) continue;
    const key = `${s.node} ${plus(ref(s.node), s.arm).map(x => x.toPrecision(6))}`,
      old = at.get(key);
    if (!old || rank.indexOf(s.stand) > rank.indexOf(old.stand)) at.set(key, s);
  }
  return [...at.values()];
}
