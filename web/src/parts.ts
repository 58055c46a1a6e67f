/* What is drawn of a model: lines with their sections, surfaces, meshes, springs, bodies, links of bodies to their
   joints, joints as symbols. */
import * as THREE from 'three';
import {Balls, isBall} from './balls';
import {colours} from './bodies';
import {isLine} from './chains';
import {isSurface} from './faces';
import {Painting} from './fields';
import {Lines} from './lines';
import {Meshes} from './meshes';
import {model, pose} from './pose';
import {Rods} from './rods';
import {Solids} from './solids';
import {Surfaces} from './surfaces';
import {Symbols} from './symbols';

/* One sort of what is drawn. update(): to where pose() has put the nodes. paint(): by a field, or (null) as it is.
   painted(): the colours an element has, if it is one of these. */
interface Sort {
  readonly objects: THREE.Object3D[];
  update(): void;
  paint(by: Painting | null): void;
  painted(element: number): number[][] | null;
}

export class Parts {
  readonly group = new THREE.Group();
  readonly bounds = new THREE.Box3(); /* of the reference configuration */
  readonly surfaces: Surfaces;
  readonly rods: Rods;
  readonly solids: Solids;
  readonly meshes: Meshes;
  private all: Sort[];
  private plain = true;

  /* only: everything in one colour. */
  constructor(size: number, only?: THREE.Color) {
    const colour = colours(model, only);
    const meshed = new Set(model.meshes.map(m => m.element));
    for (const e of model.elements)
      if (isLine(model, e) || isSurface(model, e) || isBall(e) || meshed.has(e.row)) colour(e.row);
    this.solids = new Solids(size, colour);
    const symbols = new Symbols(0.011 * size, only);
    this.rods = new Rods(size, colour, only);
    const lines = new Lines(size, colour);
    this.surfaces = new Surfaces(size, colour);
    this.meshes = new Meshes(size, colour);
    this.all = [this.solids, symbols, lines, this.surfaces, this.meshes, this.rods, new Balls(size, colour)];
    this.group.add(...this.all.flatMap(p => p.objects));
    pose(0);
    this.update();
    this.bounds.setFromObject(this.group);
  }

  /* Everything to where pose() has put the nodes. */
  update(): void {
    for (const p of this.all) p.update();
  }

  /* Colour elements by a field at a frame, the rest grey; '': everything as it is. */
  paint(field: string, frame: number): void {
    if (!field && this.plain) return;
    this.plain = !field;
    const by = field ? new Painting(field, frame) : null;
    for (const p of this.all) p.paint(by);
  }
  /* Colours of what an element is drawn as, linear: at both ends, or at the corners. */
  painted(element: number): number[][] | null {
    for (const p of this.all) {
      const c = p.painted(element);
      if (c) return c;
    }
    return null;
  }

  opacity(x: number): void {
    this.group.traverse(o => {
      const m = (o as THREE.Mesh).material as THREE.Material | undefined;
      if (m) {
        m.userData.full ??= m.opacity;
        m.opacity = x * m.userData.full;
        m.transparent = m.opacity < 1;
        m.depthWrite = x > 0.99;
      }
    });
  }
}
