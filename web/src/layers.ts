/* The mechanisms of all results of a page, drawn over each other: each with its own colour where there are several. */
import * as THREE from 'three';
import {Arrows, groups} from './arrows';
import {axis, current, header, prefixes, result} from './data';
import {Parts} from './parts';
import {NOWHERE, hasStates, kind, pose, within} from './pose';

export const tints = ['#3b7dd8', '#e0702a', '#2f9e68', '#b8459b', '#8a6fd1', '#a8902a', '#2b9fb5', '#cf5148'];
export const nameOf = (ids: string): string => result(ids).header.source ?? result(ids).header.file.split('/').pop() ?? 'result';

export class Layer {
  readonly group = new THREE.Group();
  readonly parts: Parts;
  readonly arrows: Arrows[];
  readonly name: string;
  opacity = 1;

  /* Of the result that everything tells of. */
  constructor(readonly ids: string, size: number, readonly tint: string | null) {
    this.name = nameOf(ids);
    this.parts = new Parts(size, tint ? new THREE.Color(tint) : undefined);
    this.arrows = groups.map(g => new Arrows(g, size));
    this.group.add(this.parts.group, ...this.arrows.map(a => a.group));
  }
  get visible(): boolean { return this.group.visible; }
  set visible(on: boolean) { this.group.visible = on; }
  setOpacity(x: number): void { this.opacity = x; this.parts.opacity(x); }

  /* To where pose() has put the nodes. */
  update(frame: number, field: string): void {
    this.parts.update();
    this.parts.paint(field, frame);
    for (const a of this.arrows) a.update(frame);
  }
}

/* The frame of the result at hand at a time, between two where need be. */
export function frameAt(t: number): number {
  const last = axis.length - 1;
  let a = 0, b = last;
  if (!(t > axis[0])) return 0;
  if (t >= axis[last]) return last;
  while (b - a > 1) { const m = (a + b) >> 1; if (axis[m] <= t) a = m; else b = m; }
  return a + (t - axis[a]) / (axis[b] - axis[a]);
}

/* Layers of all results that can be drawn beside the first. */
export function makeLayers(size: number): Layer[] {
  const kindOf = header.analysis, several = prefixes.filter(p => result(p).header.nodes.length).length > 1;
  return prefixes.flatMap((ids, i) => within(ids, () => {
    if (header.analysis !== kindOf || !kind.some(k => k !== NOWHERE)) return [];
    const l = new Layer(ids, size, several ? tints[i % tints.length] : null);
    if (i) l.setOpacity(0.55);
    return [l];
  }));
}

/* All layers to a frame of the first result: the others to the same time. */
export function showLayers(layers: Layer[], frame: number, phase: number, field: string): void {
  const k = Math.min(Math.floor(frame), Math.max(axis.length - 2, 0)), t = axis.length > 1 ? axis[k] + (frame - k) * (axis[k + 1] - axis[k]) : axis[0];
  for (const l of layers) {
    if (!l.visible) continue;
    if (l.ids === current()) { l.update(frame, field); continue; }
    within(l.ids, () => {
      const own = header.analysis === 'modes' ? Math.min(frame, header.frames - 1) : hasStates ? frameAt(t) : 0;
      pose(own, phase);
      l.update(own, field);
    });
  }
}
