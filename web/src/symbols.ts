/* Joints as symbols where they sit, along their axes: cylinder or ring a hinge, ball a spherical joint, box a slider,
   cone a support. Results that do not say where joints sit have them at a node. */
import * as THREE from 'three';
import {header} from './data';
import {NOWHERE, kind, planar, position, turned} from './pose';

/* Place: `arm` from `node`; direction of the symbol: an axis of `rides`, or that node's own axes. */
interface Spot {
  node: number;
  arm: number[];
  rides: number;
  axis: number[] | null;
}
const shape: [RegExp, string][] = [
  [/^(revolute|universal|constant_velocity|rotation_drive)/, 'pin'],
  [/^spherical/, 'ball'],
  [/^fixed/, 'wall'],
  [/^(prismatic|cylindrical|translation_drive|screw)/, 'slide'],
  [/^(drive|coupling|gear|rigid_link|distance)/, ''],
];
const valid = (i: number) => i >= 0 && i < header.nodes.length && kind[i] !== NOWHERE;

export class Symbols {
  readonly group = new THREE.Group();
  private sets: {mesh: THREE.InstancedMesh; spots: Spot[]; along: THREE.Vector3; still: boolean}[] = [];

  constructor(s: number, only?: THREE.Color) {
    const z = new THREE.Vector3(0, 0, 1),
      x = new THREE.Vector3(1, 0, 0);
    const geometry: Record<string, [THREE.BufferGeometry, THREE.Vector3]> = {
      pin: [
        planar
          ? new THREE.CylinderGeometry(s, s, 2.2 * s, 20).rotateX(Math.PI / 2)
          : new THREE.TorusGeometry(s, 0.4 * s, 10, 24),
        z,
      ],
      ball: [new THREE.SphereGeometry(1.15 * s, 20, 14), z],
      wall: [
        new THREE.ConeGeometry(1.8 * s, 2.6 * s, 4).translate(0, -1.3 * s, 0).rotateX(planar ? 0 : Math.PI / 2),
        z,
      ],
      slide: [new THREE.BoxGeometry(3.2 * s, 1.7 * s, 1.7 * s), x],
      other: [new THREE.OctahedronGeometry(1.2 * s), z],
    };
    const where = new Map<string, Spot[]>();
    header.joints.forEach((j, i) => {
      const name = shape.find(([test]) => test.test(j.name))?.[1] ?? 'other';
      if (name) where.set(name, [...(where.get(name) ?? []), ...spots(i)]);
    });
    for (const [name, list] of where) {
      if (!list.length) continue;
      const mesh = new THREE.InstancedMesh(
        geometry[name][0],
        new THREE.MeshStandardMaterial({
          color: only ?? (name === 'wall' ? '#6b7480' : '#d9a441'),
          roughness: 0.4,
          metalness: 0.3,
        }),
        list.length,
      );
      mesh.frustumCulled = false;
      this.sets.push({mesh, spots: list, along: geometry[name][1], still: name === 'wall'});
      this.group.add(mesh);
    }
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
        turned(o.node, o.arm, v);
        at.set(v[0] + position[3 * o.node], v[1] + position[3 * o.node + 1], v[2] + position[3 * o.node + 2]);
        if (s.still) turn.identity();
        else if (o.axis) turn.setFromUnitVectors(s.along, to.fromArray(turned(o.rides, o.axis, v)));
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
}

/* Where joint i has its symbol: once, or for each of two axes. */
function spots(i: number): Spot[] {
  const [a, b] = header.joints[i].x,
    pin = header.pins[i],
    still = (n: number) => !valid(n) || header.nodes[n].v < 0;
  const node = pin ? pin[0] : valid(b) && !still(b) ? b : a;
  if (!valid(node)) return [];
  const arm = pin ? pin.slice(1, 4) : [0, 0, 0],
    axes = [pin?.slice(4, 7), pin?.slice(7, 10)],
    rides = [valid(a) ? a : node, valid(b) ? b : node];
  const list = axes.flatMap((axis, k) =>
    axis && Math.hypot(...axis) > 0 ? [{node, arm, rides: rides[k], axis}] : [],
  );
  return list.length ? list : [{node, arm, rides: node, axis: null}];
}
