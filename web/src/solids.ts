/* Solids of their own: boxes, cylinders, spheres, triangles of STL files. */
import * as THREE from 'three';
import {single} from './data';
import type {Solid} from './declarations';
import {Painting, missing} from './fields';
import {lies, model, position, turned} from './pose';

/* A node's axes and place. */
export function nodeMatrix(i: number, out: THREE.Matrix4): THREE.Matrix4 {
  const [a, b, c] = turned(i, [1, 0, 0], []),
    [d, e, f] = turned(i, [0, 1, 0], []),
    [g, h, k] = turned(i, [0, 0, 1], []),
    p = 3 * i;
  return out.set(a, d, g, position[p], b, e, h, position[p + 1], c, f, k, position[p + 2], 0, 0, 0, 1);
}

/* Triangles of an STL file. */
function facets(x: Float32Array, scale: number): THREE.BufferGeometry {
  const corners = x.map(v => v * scale),
    g = new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(corners, 3));
  g.computeVertexNormals();
  return g;
}

function tube(radius: number, long: number, hole: number): THREE.BufferGeometry {
  const ring = new THREE.Shape().absarc(0, 0, radius, 0, 2 * Math.PI);
  ring.holes.push(new THREE.Path().absarc(0, 0, hole, 0, 2 * Math.PI, true));
  return new THREE.ExtrudeGeometry(ring, {depth: long, bevelEnabled: false, curveSegments: 32}).translate(
    0,
    0,
    -long / 2,
  );
}

function geometryOf(s: Solid, size: number): THREE.BufferGeometry {
  const [a, b, c] = s.size;
  switch (s.form) {
    case 'box':
      return new THREE.BoxGeometry(a, b, c);
    case 'sphere':
      return new THREE.SphereGeometry(a, 32, 20);
    case 'cylinder':
      return c > 0 ? tube(a, b, c) : new THREE.CylinderGeometry(a, a, b, 40).rotateX(Math.PI / 2);
    case 'triangles':
      return facets(single(`t${s.row}`), a);
    default:
      return new THREE.IcosahedronGeometry(0.04 * size, 0);
  }
}

interface Body {
  mesh: THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>;
  node: number;
  own: THREE.Matrix4;
  colour: THREE.Color;
}

export class Solids {
  readonly objects: THREE.Object3D[];
  private bodies: Body[];

  constructor(size: number, colour: (element: number) => THREE.Color) {
    this.bodies = model.solids.filter(s => lies(s.node)).map(s => this.body(s, size, colour(s.element)));
    this.objects = this.bodies.map(b => b.mesh);
  }

  private body(s: Solid, size: number, colour: THREE.Color): Body {
    const [a, b, c, d, e, f, g, h, i] = s.turn,
      own = new THREE.Matrix4().set(a, b, c, s.at[0], d, e, f, s.at[1], g, h, i, s.at[2], 0, 0, 0, 1),
      look = {color: colour, roughness: 0.55, metalness: 0.1},
      mesh = new THREE.Mesh(geometryOf(s, size), new THREE.MeshStandardMaterial(look));
    mesh.matrixAutoUpdate = false;
    return {mesh, node: s.node, own, colour};
  }

  private at = new THREE.Matrix4();
  update(): void {
    for (const b of this.bodies) {
      b.mesh.matrix.multiplyMatrices(nodeMatrix(b.node, this.at), b.own);
      b.mesh.matrixWorldNeedsUpdate = true;
    }
  }
  /* Fields are not about bodies: they are grey where others are coloured. */
  paint(by: Painting | null): void {
    for (const b of this.bodies)
      if (by) b.mesh.material.color.set(missing());
      else b.mesh.material.color.copy(b.colour);
  }
  painted(_element: number): number[][] | null {
    return null;
  }

  /* Lowest and highest corner of a solid in its own axes. */
  box(i: number): number[][] {
    const g = this.bodies[i].mesh.geometry;
    g.computeBoundingBox();
    return [g.boundingBox!.min.toArray(), g.boundingBox!.max.toArray()];
  }
}
