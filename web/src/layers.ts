/* The mechanisms of all results of a page, drawn over each other: each with its own colour where there are several. */
import * as THREE from 'three';
import {Arrows, groups} from './arrows';
import {palette} from './chart';
import {frameAt, timeOf} from './clock';
import {axis, current, header, result, together} from './data';
import {Parts} from './parts';
import {begin, ofFrame, widen} from './fields';
import {hasStates, model, pose, within} from './pose';
import {stripe} from './stripes';

export {palette as tints};
export const nameOf = (ids: string): string =>
  result(ids).header.source ?? result(ids).header.file.split('/').pop() ?? 'result';

export class Layer {
  readonly group = new THREE.Group();
  readonly parts: Parts;
  readonly arrows: Arrows[];
  readonly name: string;
  opacity = 1;

  /* Of the result that everything tells of. */
  constructor(
    readonly ids: string,
    size: number,
    readonly tint: string | null,
  ) {
    this.name = nameOf(ids);
    this.parts = new Parts(size, tint ? new THREE.Color(tint) : undefined);
    this.arrows = groups.map(g => new Arrows(g, size));
    this.group.add(this.parts.group, ...this.arrows.map(a => a.group));
  }
  get visible(): boolean {
    return this.group.visible;
  }
  set visible(on: boolean) {
    this.group.visible = on;
  }
  setOpacity(x: number): void {
    this.opacity = x;
    this.parts.opacity(x);
  }

  /* To where pose() has put the nodes. */
  update(frame: number, field: string): void {
    this.parts.update();
    this.parts.paint(field, frame);
    for (const a of this.arrows) a.update(frame);
  }
}

/* Layers of all results that can be drawn beside the first. */
export function makeLayers(size: number): Layer[] {
  const kindOf = header.analysis,
    all = together(),
    several = all.filter(p => result(p).header.nodes.length).length > 1;
  return all.flatMap((ids, i) =>
    within(ids, () => {
      if (header.analysis !== kindOf || !model.nodes.some(n => n.lies)) return [];
      const l = new Layer(ids, size, several ? palette[i % palette.length] : null);
      if (several) stripe(l.parts.group, i, all.length);
      return [l];
    }),
  );
}

/* All layers to a frame of the first result: the others to the same time. */
export function showLayers(layers: Layer[], frame: number, phase: number, field: string): void {
  const t = timeOf(axis, frame),
    own = (): number =>
      header.analysis === 'modes' ? Math.min(frame, header.frames - 1) : hasStates ? frameAt(axis, t) : 0;
  const leading = current();
  begin();
  if (field && ofFrame)
    for (const l of layers) if (l.visible) within(l.ids, () => widen(field, l.ids === leading ? frame : own()));
  for (const l of layers) {
    if (!l.visible) continue;
    if (l.ids === current()) {
      l.update(frame, field);
      continue;
    }
    within(l.ids, () => {
      pose(own(), phase);
      l.update(own(), field);
    });
  }
}
