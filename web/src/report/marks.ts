/* Measured numbers in the scene. Of a point of a body whose coordinates are all measured: a ball where it was
   measured; where some are missing, lines along the directions nobody measured, through the model's point. Of an
   angle: a line along the body as it was measured. From the model to the measured a bar, the residual, which may be
   exaggerated. */
import * as THREE from 'three';
import {isLine} from '../chains';
import {isSurface} from '../faces';
import {model, planar, point, position, ref} from '../pose';
import {Sweep, solid} from '../sweep';
import {across, length, minus, unit, zero} from '../vector';

/* What a channel measures, see src/identify/motion.c. */
export interface Place {
  node: string;
  axis: number;
  angle: number;
  base: number;
  offset: number[];
}
export interface Measured {
  place: Place;
  name: string;
  data: Float64Array;
  fit: Float64Array;
}
/* What is shown of one point or angle: places in space, of the model and as measured, without exaggeration. */
export interface Mark {
  node: string;
  names: string[];
  kind: 'point' | 'lines' | 'angle';
  model: number[];
  measured: number[];
  shown: number[];
}

interface Group {
  node: number;
  angle: boolean;
  offset: number[];
  parts: Measured[];
  free: number[];
  arm: number[];
}

const toward = (a: number[], b: number[], s: number) => a.map((x, j) => x + s * (b[j] - x));

/* From the node along its body, as far as that reaches: to its centre of mass, its pins, the other end of its beam. */
function armOf(node: number, size: number): number[] {
  const to = (i: number) => minus(ref(i), ref(node)),
    all = [
      ...[...model.masses].filter(([e]) => model.elements[e].nodes[0] === node).map(([, m]) => m.centre),
      ...model.joints.filter(j => j.nodes.length > 1 && j.nodes[0] === node).map(j => to(j.nodes[1])),
      ...model.elements
        .filter(e => (isLine(model, e) || isSurface(model, e)) && e.nodes.includes(node))
        .flatMap(e => e.nodes.map(to)),
    ],
    arm = all.reduce((a, b) => (length(b) > length(a) ? b : a), zero);
  return length(arm) > 1e-9 * size ? arm : [0.15 * size, 0, 0];
}

export class Marks {
  readonly group = new THREE.Group();
  now: Mark[] = [];
  private groups: Group[] = [];
  private bars: Sweep;
  private balls: THREE.InstancedMesh;
  private ball = 0;

  constructor(
    private size: number,
    channels: Measured[],
    measured: string,
    residual: string,
  ) {
    const found = new Map<string, Group>();
    for (const c of channels) {
      const node = model.nodes.findIndex(n => n.name === c.place.node),
        key = JSON.stringify([node, c.place.angle, c.place.offset]);
      if (node < 0) continue;
      let g = found.get(key);
      if (!g)
        found.set(
          key,
          (g = {
            node,
            angle: !!c.place.angle,
            offset: [0, 1, 2].map(j => c.place.offset[j] ?? 0),
            parts: [],
            free: [],
            arm: armOf(node, size),
          }),
        );
      g.parts.push(c);
    }
    this.groups = [...found.values()];
    for (const g of this.groups)
      g.free = g.angle ? [] : [0, 1, 2].filter(j => (j < 2 || !planar) && !g.parts.some(p => p.place.axis === j));
    const tint: THREE.Color[] = [],
      seen = new THREE.Color(measured),
      far = new THREE.Color(residual);
    for (const g of this.groups) tint.push(far, ...(g.angle ? [seen] : g.free.map(() => seen)));
    this.bars = new Sweep(
      tint.map(() => 2),
      solid(6, true),
      tint,
    );
    this.balls = new THREE.InstancedMesh(
      new THREE.SphereGeometry(1, 20, 14),
      new THREE.MeshBasicMaterial({color: seen}),
      Math.max(this.groups.length, 1),
    );
    for (const m of [this.bars.mesh, this.balls]) {
      m.frustumCulled = false;
      m.renderOrder = 10;
      const material = m.material as THREE.Material;
      material.depthTest = false;
      material.transparent = true;
    }
    if (tint.length) this.group.add(this.bars.mesh, this.balls);
  }
  get empty(): boolean {
    return !this.groups.length;
  }

  /* Corners of where the fit takes the points, of those that are measured in all directions. */
  get places(): number[][] {
    return this.groups
      .filter(g => !g.angle && !g.free.length)
      .flatMap(g => {
        const low = [0, 0, 0],
          high = [0, 0, 0];
        for (const p of g.parts) {
          const y = p.fit.filter(Number.isFinite);
          low[p.place.axis] = y.reduce((a, b) => Math.min(a, b), Infinity) + p.place.base;
          high[p.place.axis] = y.reduce((a, b) => Math.max(a, b), -Infinity) + p.place.base;
        }
        return [low, high].every(c => c.every(Number.isFinite)) ? [low, high] : [];
      });
  }

  private bar(a: number[], b: number[], half: number): void {
    const [y, z] = across(unit(minus(b, a)));
    this.bars.ring(a[0], a[1], a[2], y, z, half, half);
    this.bars.ring(b[0], b[1], b[2], y, z, half, half);
  }

  /* Of sample i, beside the mechanism as pose() has put it; residuals times `factor`. */
  update(i: number, factor: number): void {
    this.now = [];
    this.ball = 0;
    this.bars.begin();
    for (const g of this.groups) (g.angle ? this.putAngle : this.putPoint).call(this, g, i, factor);
    this.bars.end();
    this.balls.count = this.ball;
    this.balls.instanceMatrix.needsUpdate = true;
  }

  private tell(g: Group, mark: Omit<Mark, 'node' | 'names'>): void {
    this.now.push({node: model.nodes[g.node].name, names: g.parts.map(p => p.name), ...mark});
  }

  private putPoint(g: Group, i: number, factor: number): void {
    const at = point(g.node, g.offset),
      model = [...at],
      measured = [...at];
    const there = g.parts.filter(p => Number.isFinite(p.data[i]) && Number.isFinite(p.fit[i])),
      gap = there.length < g.parts.length;
    for (const p of there) {
      model[p.place.axis] = p.fit[i] + p.place.base;
      measured[p.place.axis] = p.data[i] + p.place.base;
    }
    const shown = toward(model, measured, factor),
      half = 0.004 * this.size,
      long = 0.055 * this.size;
    this.bar(model, shown, gap ? 0 : half);
    for (const j of g.free)
      this.bar(
        shown.map((x, k) => (k === j ? x - long : x)),
        shown.map((x, k) => (k === j ? x + long : x)),
        gap ? 0 : half,
      );
    if (gap) return;
    if (!g.free.length)
      this.balls.setMatrixAt(
        this.ball++,
        new THREE.Matrix4()
          .makeScale(...([0, 0, 0].map(() => 0.013 * this.size) as [number, number, number]))
          .setPosition(shown[0], shown[1], shown[2]),
      );
    this.tell(g, {kind: g.free.length ? 'lines' : 'point', model, measured, shown});
  }

  private putAngle(g: Group, i: number, factor: number): void {
    const p = g.parts[0],
      data = p.data[i] + p.place.base,
      fit = p.fit[i] + p.place.base,
      gap = !Number.isFinite(data) || !Number.isFinite(fit);
    const tip = (angle: number) => {
      const c = Math.cos(angle),
        s = Math.sin(angle),
        a = g.arm;
      return [c * a[0] - s * a[1], s * a[0] + c * a[1], a[2]].map((x, j) => x + position[3 * g.node + j]);
    };
    const model = tip(gap ? 0 : fit),
      measured = tip(gap ? 0 : data),
      shown = tip(gap ? 0 : fit + factor * (data - fit)),
      half = 0.0032 * this.size;
    this.bar(model, shown, gap ? 0 : half);
    this.bar(
      [0, 1, 2].map(j => position[3 * g.node + j]),
      shown,
      gap ? 0 : half,
    );
    if (!gap) this.tell(g, {kind: 'angle', model, measured, shown});
  }
}
