/* Masses as balls at their centres. */
import * as THREE from 'three';
import type {Part} from './declarations';
import {Painting, missing} from './fields';
import {lies, model, planar, point} from './pose';
import {nodeMatrix} from './solids';
import {zero} from './vector';

interface Ball {
  node: number;
  at: number[];
  radius: number;
  colour: THREE.Color;
}

/* Points without a solid of their own. */
export const isBall = (e: Part): boolean => e.shape === 'point' && lies(e.nodes[0]) && !model.shaped.has(e.row);

/* Quarters of a ball in two shades, so that one sees it turn. */
function marked(ball: THREE.SphereGeometry): THREE.BufferGeometry {
  const g = ball.toNonIndexed(),
    p = g.attributes.position,
    c = new Float32Array(3 * p.count);
  for (let i = 0; i < p.count; i += 3) {
    const mid = (get: (k: number) => number) => get(i) + get(i + 1) + get(i + 2);
    c.fill(
      mid(k => p.getX(k)) * mid(k => p.getY(k)) * (planar ? 1 : mid(k => p.getZ(k))) > 0 ? 1 : 0.62,
      3 * i,
      3 * i + 9,
    );
  }
  return g.setAttribute('color', new THREE.BufferAttribute(c, 3));
}

export class Balls {
  readonly objects: THREE.Object3D[];
  private balls: Ball[];
  private mesh: THREE.InstancedMesh;
  private grey = ''; /* what they are painted in; '': as they are */

  constructor(size: number, colour: (element: number) => THREE.Color) {
    const most = (model.elements.length > 2 ? 0.035 : 0.1) * size; /* among other things it hides them */
    this.balls = model.elements.filter(isBall).map(e => {
      const m = model.masses.get(e.row),
        radius = Math.min(Math.max(m?.radius ?? 0, 0.016 * size), most);
      return {node: e.nodes[0], at: m?.centre ?? zero, radius, colour: colour(e.row)};
    });
    this.mesh = new THREE.InstancedMesh(
      marked(new THREE.SphereGeometry(1, 32, 20)),
      new THREE.MeshStandardMaterial({roughness: 0.5, vertexColors: true}),
      Math.max(this.balls.length, 1),
    );
    this.mesh.count = this.balls.length;
    this.mesh.frustumCulled = false;
    this.tint(null);
    this.objects = this.balls.length ? [this.mesh] : [];
  }

  update(): void {
    const m = new THREE.Matrix4(),
      size = new THREE.Vector3(),
      v: number[] = [];
    this.balls.forEach((b, i) => {
      point(b.node, b.at, v);
      nodeMatrix(b.node, m).scale(size.setScalar(b.radius)).setPosition(v[0], v[1], v[2]);
      this.mesh.setMatrixAt(i, m);
    });
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  /* Fields are not about bodies: they are grey where others are coloured. */
  paint(by: Painting | null): void {
    const grey = by ? missing() : '';
    if (grey !== this.grey) this.tint(by ? new THREE.Color(grey) : null);
    this.grey = grey;
  }
  private tint(c: THREE.Color | null): void {
    this.balls.forEach((b, i) => this.mesh.setColorAt(i, c ?? b.colour));
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }
  painted(_element: number): number[][] | null {
    return null;
  }
}
