/* Joints as symbols where they sit, along their axes, and what the model stands on. Results that do not
   say where joints sit have them at a node. */
import * as THREE from 'three';
import type {Part} from './declarations';
import {lies, model, moves, planar, point, turned} from './pose';
import {Stand, standOf, supports} from './supports';
import {length} from './vector';

/* The picture of each symbol, for a size s: what it looks like, which of its directions lies along the joint's axis
   (null: it stands upright). A symbol that is not here, and a joint without one, have no picture. */
interface Picture {
  geometry: (s: number) => THREE.BufferGeometry;
  along: THREE.Vector3 | null;
  colour: string;
}
const z = new THREE.Vector3(0, 0, 1),
  x = new THREE.Vector3(1, 0, 0),
  brass = '#cfa550';
const hinge: Picture = {
  geometry: s =>
    planar
      ? new THREE.CylinderGeometry(s, s, 2.2 * s, 20).rotateX(Math.PI / 2)
      : new THREE.TorusGeometry(s, 0.4 * s, 10, 24),
  along: z,
  colour: brass,
};
const pictures: Record<string, Picture> = {
  hinge,
  motor: hinge,
  ball: {geometry: s => new THREE.SphereGeometry(1.15 * s, 20, 14), along: z, colour: brass},
  slider: {geometry: s => new THREE.BoxGeometry(3.2 * s, 1.7 * s, 1.7 * s), along: x, colour: brass},
  joint: {geometry: s => new THREE.OctahedronGeometry(1.2 * s), along: z, colour: brass},
};

/* Place: `arm` from `node`; direction of the symbol: an axis of `rides` (-1: a global one), or that node's axes. */
interface Spot {
  node: number;
  arm: number[];
  rides: number;
  axis: number[] | null;
}

export class Symbols {
  readonly objects: THREE.Object3D[] = [];
  private sets: {mesh: THREE.InstancedMesh; spots: Spot[]; along: THREE.Vector3 | null}[] = [];

  constructor(s: number, only?: THREE.Color) {
    const where = new Map<string, Spot[]>();
    for (const j of model.joints)
      if (pictures[j.symbol]) where.set(j.symbol, [...(where.get(j.symbol) ?? []), ...spots(j)]);
    for (const [name, list] of where) {
      const {geometry, along, colour} = pictures[name];
      this.add(geometry(s), only ?? new THREE.Color(colour), list, along);
    }
    const stands = supports();
    for (const stand of ['clamp', 'pin', 'roller'] as Stand[]) {
      const some = stands.filter(o => o.stand === stand);
      this.add(
        standOf(stand, s),
        only ?? new THREE.Color('#7d8794'),
        some.map(o => ({node: o.node, arm: o.arm, rides: -1, axis: o.down})),
        new THREE.Vector3(0, -1, 0),
      );
    }
  }

  private add(shape: THREE.BufferGeometry, colour: THREE.Color, list: Spot[], along: THREE.Vector3 | null): void {
    if (!list.length) return;
    const paint = new THREE.MeshStandardMaterial({color: colour, roughness: 0.5, metalness: 0.15}),
      mesh = new THREE.InstancedMesh(shape, paint, list.length);
    if (planar) {
      /* seen from the front they are before the bodies that they join */
      paint.polygonOffset = true;
      paint.polygonOffsetUnits = -3e4;
    }
    mesh.frustumCulled = false;
    this.sets.push({mesh, spots: list, along});
    this.objects.push(mesh);
  }

  update(): void {
    const m = new THREE.Matrix4(),
      turn = new THREE.Quaternion(),
      v: number[] = [],
      one = new THREE.Vector3(1, 1, 1),
      at = new THREE.Vector3(),
      to = new THREE.Vector3();
    for (const s of this.sets) {
      s.spots.forEach((o, i) => {
        at.fromArray(point(o.node, o.arm, v));
        if (!s.along) turn.identity();
        else if (o.axis)
          turn.setFromUnitVectors(s.along, to.fromArray(o.rides < 0 ? o.axis : turned(o.rides, o.axis, v)));
        else
          turn.setFromRotationMatrix(
            m.makeBasis(
              new THREE.Vector3(...turned(o.rides, [1, 0, 0], [])),
              new THREE.Vector3(...turned(o.rides, [0, 1, 0], [])),
              new THREE.Vector3(...turned(o.rides, [0, 0, 1], [])),
            ),
          );
        s.mesh.setMatrixAt(i, m.compose(at, turn, one));
      });
      s.mesh.instanceMatrix.needsUpdate = true;
    }
  }
  /* Symbols keep their colours. */
  paint(): void {}
  painted(_element: number): number[][] | null {
    return null;
  }
}

/* Where a joint has its symbol: once, or for each of two axes. */
function spots(j: Part): Spot[] {
  const [a, b] = j.nodes.map(n => (lies(n) ? n : -1)),
    pin = model.pins[j.row],
    node = pin ? pin.node : b >= 0 && moves(b) ? b : a;
  if (!lies(node)) return [];
  const arm = pin?.arm ?? [0, 0, 0],
    rides = [a, b].map(n => (n >= 0 ? n : node)),
    list = (pin?.axes ?? []).flatMap((axis, k) => (length(axis) > 0 ? [{node, arm, rides: rides[k], axis}] : []));
  return list.length ? list : [{node, arm, rides: node, axis: null}];
}
