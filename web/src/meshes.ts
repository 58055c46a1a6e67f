/* Bodies as their meshes, moved by a node and deformed by the numbers of another one: smooth surfaces with the edges
   of the mesh, and rods where it is made of lines. */
import * as THREE from 'three';
import type {Mesh} from './declarations';
import {Painting, STEPS, entry} from './fields';
import {Skin, deform, skinOf} from './skins';
import {amplitudes, factor, model} from './pose';
import {nodeMatrix} from './solids';
import {Row, textureOf} from './surfaces';
import {Sweep, solid} from './sweep';
import {across, cross, dot, minus, unit} from './vector';

const moving = (x: Float32Array, k: number) => new THREE.BufferAttribute(x, k).setUsage(THREE.DynamicDrawUsage);
const mostRods = 5000; /* more lines are drawn thin */

/* Where a number from 0 to 1 is in the picture of colours. */
const place = (y: number): number => (Math.min(Math.max(y, 0), 1) * (STEPS - 1) + 0.5) / STEPS;

/* Of each end of a bar: the end of the only other bar that meets it there, at less than 60 degrees; -1: there is none,
   or there are several. */
function neighbours({bars, X}: Skin): number[] {
  const ends = new Map<number, number[]>(),
    way = (k: number) => {
      const [a, b] = [bars[k], bars[k ^ 1]];
      return unit(minus(X.subarray(3 * b, 3 * b + 3), X.subarray(3 * a, 3 * a + 3)));
    };
  bars.forEach((node, k) => ends.set(node, [...(ends.get(node) ?? []), k]));
  return Array.from(bars, (node, k) => {
    const [other, ...more] = ends.get(node)!.filter(e => e !== k);
    return other === undefined || more.length || dot(way(k), way(other)) > -0.5 ? -1 : other;
  });
}

class Body {
  readonly objects: THREE.Object3D[] = [];
  readonly at: Float64Array; /* nodes in the mesh's axes */
  readonly matrix = new THREE.Matrix4();
  private own = new THREE.Matrix4();
  private d: Float64Array;
  private faces: THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial> | null = null;
  private net: THREE.LineSegments<THREE.BufferGeometry, THREE.LineBasicMaterial> | null = null;
  private thin: THREE.LineSegments<THREE.BufferGeometry, THREE.LineBasicMaterial> | null = null;
  private rods: Sweep | null = null;
  private goesOn: number[] = []; /* of each end of the rods */
  private x: Float32Array;
  private normal: Float32Array;
  private where: Float32Array; /* in the picture of colours */
  private half: number;
  private by: Float32Array | null = null;

  constructor(
    readonly mesh: Mesh,
    private skin: Skin,
    size: number,
    private colour: THREE.Color,
  ) {
    const [a, b, c, d, e, f, g, h, i] = mesh.turn,
      [x, y, z] = mesh.at,
      n = skin.node.length;
    this.own.set(a, b, c, x, d, e, f, y, g, h, i, z, 0, 0, 0, 1);
    this.at = new Float64Array(3 * skin.n);
    this.d = new Float64Array(mesh.modes);
    this.x = new Float32Array(3 * n);
    this.normal = new Float32Array(3 * n);
    this.where = new Float32Array(2 * n);
    this.half = 0.005 * size;
    if (skin.triangles.length) this.surface(size);
    if (skin.bars.length) this.lines();
    for (const o of this.objects) {
      o.matrixAutoUpdate = false;
      o.frustumCulled = false;
    }
    this.paint(null);
  }

  private surface(size: number): void {
    const {skin} = this,
      g = new THREE.BufferGeometry();
    g.setAttribute('position', moving(this.x, 3));
    g.setAttribute('normal', moving(this.normal, 3));
    g.setAttribute('uv', moving(this.where, 2));
    g.setIndex(new THREE.BufferAttribute(skin.triangles, 1));
    this.faces = new THREE.Mesh(
      g,
      new THREE.MeshStandardMaterial({
        map: textureOf(null),
        roughness: 0.55,
        metalness: 0.1,
        side: THREE.DoubleSide,
        polygonOffset: true /* edges lie on it */,
        polygonOffsetFactor: 1,
        polygonOffsetUnits: 1,
      }),
    );
    this.net = new THREE.LineSegments(
      new THREE.BufferGeometry().setAttribute('position', g.attributes.position),
      new THREE.LineBasicMaterial({color: '#000000', transparent: true, opacity: 0.4 * this.fineness(size)}),
    );
    this.net.geometry.setIndex(new THREE.BufferAttribute(skin.edges, 1));
    this.objects.push(this.faces, this.net);
  }

  /* Edges of a fine mesh are faint, or one would see nothing else: from 1 down to a tenth. */
  private fineness(size: number): number {
    const {X, node, edges} = this.skin;
    let long = 0;
    for (let k = 0; k < edges.length; k += 2) {
      const a = 3 * node[edges[k]],
        b = 3 * node[edges[k + 1]];
      long += Math.hypot(X[b] - X[a], X[b + 1] - X[a + 1], X[b + 2] - X[a + 2]);
    }
    return Math.min(Math.max((2 * long) / edges.length / (0.03 * size), 0.1), 1);
  }

  private lines(): void {
    const n = this.skin.bars.length / 2;
    if (n > mostRods) {
      this.thin = new THREE.LineSegments(
        new THREE.BufferGeometry().setAttribute('position', moving(new Float32Array(6 * n), 3)),
        new THREE.LineBasicMaterial({color: this.colour}),
      );
      this.objects.push(this.thin);
      return;
    }
    const all = Array.from({length: n}, () => 2);
    this.goesOn = neighbours(this.skin);
    this.rods = new Sweep(
      all,
      solid(n > 500 ? 4 : 8, true),
      all.map(() => this.colour),
      all.map((_, k) => (this.goesOn[2 * k] < 0 ? 1 : 0) | (this.goesOn[2 * k + 1] < 0 ? 2 : 0)),
    );
    this.objects.push(this.rods.mesh);
  }

  update(): void {
    const {skin, at} = this;
    this.matrix.multiplyMatrices(nodeMatrix(this.mesh.node, this.matrix), this.own);
    for (const o of this.objects) {
      o.matrix.copy(this.matrix);
      o.matrixWorldNeedsUpdate = true;
    }
    deform(skin, amplitudes(this.mesh, this.d), at);
    if (this.faces) this.bend();
    if (this.rods) this.turn(this.rods);
    if (this.thin) {
      const p = this.thin.geometry.attributes.position;
      skin.bars.forEach((k, i) => p.setXYZ(i, at[3 * k], at[3 * k + 1], at[3 * k + 2]));
      p.needsUpdate = true;
    }
  }

  /* Vertices and their normals, the means of those of their triangles by the areas. */
  private bend(): void {
    const {x, normal, at} = this,
      {node, triangles} = this.skin;
    for (let v = 0, k = 0; v < node.length; v++, k += 3) {
      const i = 3 * node[v];
      x[k] = at[i];
      x[k + 1] = at[i + 1];
      x[k + 2] = at[i + 2];
    }
    normal.fill(0);
    for (let t = 0; t < triangles.length; t += 3) {
      const a = 3 * triangles[t],
        b = 3 * triangles[t + 1],
        c = 3 * triangles[t + 2],
        u0 = x[b] - x[a],
        u1 = x[b + 1] - x[a + 1],
        u2 = x[b + 2] - x[a + 2],
        v0 = x[c] - x[a],
        v1 = x[c + 1] - x[a + 1],
        v2 = x[c + 2] - x[a + 2],
        n0 = u1 * v2 - u2 * v1,
        n1 = u2 * v0 - u0 * v2,
        n2 = u0 * v1 - u1 * v0;
      normal[a] += n0;
      normal[a + 1] += n1;
      normal[a + 2] += n2;
      normal[b] += n0;
      normal[b + 1] += n1;
      normal[b + 2] += n2;
      normal[c] += n0;
      normal[c + 1] += n1;
      normal[c + 2] += n2;
    }
    for (let k = 0; k < normal.length; k += 3) {
      const l = 1 / (Math.sqrt(normal[k] ** 2 + normal[k + 1] ** 2 + normal[k + 2] ** 2) || 1);
      normal[k] *= l;
      normal[k + 1] *= l;
      normal[k + 2] *= l;
    }
    const {position, normal: n} = this.faces!.geometry.attributes;
    position.needsUpdate = n.needsUpdate = true;
  }

  /* Rings lie across the mean direction of the rods that go on in each other. */
  private turn(rods: Sweep): void {
    const {at, half, goesOn} = this,
      {bars} = this.skin,
      way = (k: number) => unit(minus(this.nodeAt(bars[k + 1]), this.nodeAt(bars[k])));
    rods.begin();
    for (let k = 0; k < bars.length; k++) {
      const own = way(k - (k % 2)),
        [side] = across(own) /* of both its rings, or it would be wrung */,
        other = goesOn[k],
        e = other < 0 ? own : way(other - (other % 2)),
        same = k % 2 !== other % 2 ? 1 : -1 /* one ends where the other begins */,
        along = other < 0 ? own : unit(own.map((x, j) => x + same * e[j])),
        z = unit(cross(along, side)),
        i = 3 * bars[k];
      rods.ring(at[i], at[i + 1], at[i + 2], cross(z, along), z, half, half);
    }
    rods.end();
  }
  private nodeAt(i: number): Float64Array {
    return this.at.subarray(3 * i, 3 * i + 3);
  }

  /* How far a node has gone from the form that the mesh keeps without its modes. */
  private way(i: number): number {
    const {at} = this,
      {X} = this.skin,
      k = 3 * i;
    return Math.sqrt((at[k] - X[k]) ** 2 + (at[k + 1] - X[k + 1]) ** 2 + (at[k + 2] - X[k + 2]) ** 2) / factor;
  }
  /* Numbers from 0 to 1 at the nodes. */
  private numbers(by: Painting): (i: number) => number {
    const swing = by.swing?.meshes.get(this.mesh.element);
    if (swing) return i => swing[i];
    if (by.deformation) return i => by.scaled(this.way(i));
    const one = by.read(this.mesh.element)?.[0] ?? NaN;
    return () => one;
  }

  paint(by: Painting | null): void {
    const {where, skin, faces} = this,
      x = by ? this.numbers(by) : () => NaN;
    this.by = by?.colours ?? null;
    if (faces) {
      faces.material.map = textureOf(this.by);
      faces.material.color.set(by ? '#ffffff' : this.colour);
      for (let v = 0; v < skin.node.length; v++) {
        const y = x(skin.node[v]);
        where[2 * v] = y === y ? place(y) : 0.5;
        where[2 * v + 1] = ((by ? (y === y ? Row.map : Row.missing) : Row.own) + 0.5) / 3;
      }
      faces.geometry.attributes.uv.needsUpdate = true;
    }
    if (this.rods) {
      for (let k = 0; k < skin.bars.length; k += 2)
        this.rods.paint(k / 2, x(skin.bars[k]), x(skin.bars[k + 1]), this.by);
      this.rods.painting();
    }
    if (this.thin) {
      const c = this.thin.material.color;
      if (this.by) c.fromArray(this.by, entry(by!.deformation || by!.swing ? NaN : x(0)));
      else c.copy(this.colour);
    }
  }
  /* Colours of the nodes, linear. */
  painted(): number[][] {
    const {skin, where} = this,
      out: number[][] = Array.from({length: skin.n}, () => this.colour.toArray());
    for (let v = 0; this.by && v < skin.node.length; v++) {
      const row = where[2 * v + 1] * 3 - 0.5,
        at = entry(row > 0.5 ? NaN : (where[2 * v] * STEPS - 0.5) / (STEPS - 1));
      out[skin.node[v]] = Array.from(this.by.slice(at, at + 3));
    }
    return out;
  }
  mark(on: boolean): void {
    if (this.net) this.net.visible = on;
  }
  get hasEdges(): boolean {
    return this.net !== null;
  }
  /* Places of all nodes. */
  places(): number[][] {
    const v = new THREE.Vector3();
    return Array.from({length: this.skin.n}, (_, i) =>
      v
        .fromArray(this.at, 3 * i)
        .applyMatrix4(this.matrix)
        .toArray(),
    );
  }
  /* Normals of the vertices, with the node that each is at. */
  normals(): {node: number; normal: number[]}[] {
    const v = new THREE.Vector3();
    return Array.from(this.skin.node, (node, i) => ({
      node,
      normal: v
        .fromArray(this.normal, 3 * i)
        .transformDirection(this.matrix)
        .toArray(),
    }));
  }
}

export class Meshes {
  readonly objects: THREE.Object3D[];
  private bodies: Body[];

  constructor(size: number, colour: (element: number) => THREE.Color) {
    this.bodies = model.meshes.flatMap(m => {
      const skin = skinOf(m.mesh);
      return skin ? [new Body(m, skin, size, colour(m.element))] : [];
    });
    this.objects = this.bodies.flatMap(b => b.objects);
  }

  update(): void {
    for (const b of this.bodies) b.update();
  }
  paint(by: Painting | null): void {
    for (const b of this.bodies) b.paint(by);
  }
  painted(element: number): number[][] | null {
    return this.of(element)?.painted() ?? null;
  }
  /* With the edges of the mesh or without. */
  mark(on: boolean): void {
    for (const b of this.bodies) b.mark(on);
  }
  get edged(): boolean {
    return this.bodies.some(b => b.hasEdges);
  }
  private of(element: number): Body | undefined {
    return this.bodies.find(b => b.mesh.element === element);
  }
  /* Places of an element's mesh nodes, and the normals of its vertices. */
  shown(element: number): {places: number[][]; normals: {node: number; normal: number[]}[]} | null {
    const b = this.of(element);
    return b ? {places: b.places(), normals: b.normals()} : null;
  }
  places(): number[] {
    return this.bodies.flatMap(b => b.places().flat());
  }
}
