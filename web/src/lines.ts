/* Lines with a section: beams, bent as their ends turn. */
import * as THREE from 'three';
import {isLine} from './chains';
import type {Part} from './declarations';
import type {Painting} from './fields';
import {chordOf, factor, model, planar, point, ref, turned} from './pose';
import {Outline, Sweep, hollow, iShape, solid} from './sweep';
import {cross, crossUnit, length, minus, unit, zero} from './vector';

interface Line {
  name: string;
  element: number;
  a: number;
  b: number;
  outline: string;
  hy: number[];
  hz: number[];
  iy: number;
  iz: number;
  y: number[];
  o1: number[];
  o2: number[];
  e: number[];
  length: number;
  bent: boolean;
  rings: number;
  colour: THREE.Color;
  sweep: Sweep | null;
  bar: number;
}

/* Scratch of draw(): thousands of beams are drawn again for every frame. */
const p1 = [0, 0, 0],
  p2 = [0, 0, 0],
  t1 = [0, 0, 0],
  t2 = [0, 0, 0],
  y1 = [0, 0, 0],
  y2 = [0, 0, 0],
  chord = [0, 0, 0],
  along = [0, 0, 0],
  across = [0, 0, 0],
  third = [0, 0, 0];

export class Lines {
  readonly objects: THREE.Object3D[];
  private lines: Line[];
  private sweeps: Sweep[];
  private at: Map<number, Line>;

  constructor(
    private size: number,
    colour: (element: number) => THREE.Color,
  ) {
    const all = model.elements.filter(e => isLine(model, e));
    this.lines = all.map(e => this.line(e, all.length, colour(e.row)));
    this.at = new Map(this.lines.map(l => [l.element, l]));
    this.taper();
    this.sweeps = this.makeSweeps(all.length > 1000 ? 6 : 12);
    this.objects = this.sweeps.map(s => s.mesh);
  }

  private line(part: Part, many: number, colour: THREE.Color): Line {
    const [a, b] = part.nodes,
      bar = model.bars.get(part.row),
      [o1, o2] = bar?.ends ?? [zero, zero],
      d = minus(ref(b), ref(a)).map((x, j) => x + o2[j] - o1[j]),
      e = unit(d);
    let up = bar && length(bar.up) > 0 ? bar.up : planar ? [-e[1], e[0], 0] : [0, 0, 1],
      z = cross(e, up);
    if (length(z) < 1e-6) z = cross(e, (up = Math.abs(e[2]) > 0.9 ? [0, 1, 0] : [0, 0, 1]));
    const least = 0.0035 * this.size /* thin strips stay visible */,
      half = (k: number) => Math.max(bar ? bar.size[k] / 2 : 0.008 * this.size, least),
      open = !!bar && bar.hole[0] > 0 && bar.hole[1] > 0,
      bent = part.bent && [a, b].every(n => model.nodes[n].turn >= 0);
    return {
      name: part.name,
      element: part.row,
      a,
      b,
      outline: bar?.outline === 'i' ? 'i' : (bar?.outline ?? 'round') + (open ? 'Hole' : ''),
      hy: [half(0), half(0)],
      hz: [half(1), half(1)],
      iy: open ? bar.hole[0] / bar.size[0] : 0,
      iz: open ? bar.hole[1] / bar.size[1] : 0,
      y: unit(cross(unit(z), e)),
      o1,
      o2,
      e,
      length: length(d),
      bent,
      rings: bent ? (many > 1000 ? 3 : many > 200 ? 5 : 13) : 2,
      colour,
      sweep: null,
      bar: 0,
    };
  }

  /* Line i goes on in the next one. */
  private next(i: number): boolean {
    const [l, m] = [this.lines[i], this.lines[i + 1]];
    return l !== undefined && m !== undefined && l.name === m.name && l.b === m.a;
  }

  /* Beams of the same outline are drawn together; each learns which bar it is. Ends are closed where no piece goes
     on. */
  private makeSweeps(sides: number): Sweep[] {
    const ends = new Map(this.lines.map((l, i) => [l, (this.next(i - 1) ? 0 : 1) | (this.next(i) ? 0 : 2)])),
      outlines: Record<string, Outline> = {
        flat: solid(4, false),
        round: solid(sides, true),
        flatHole: hollow(4, false),
        roundHole: hollow(sides, true),
        i: iShape,
      };
    return Object.entries(outlines).flatMap(([name, outline]) => {
      const some = this.lines.filter(l => l.outline === name);
      if (!some.length) return [];
      const sweep = new Sweep(
        some.map(l => l.rings),
        outline,
        some.map(l => l.colour),
        some.map(l => ends.get(l)!),
      );
      some.forEach((l, bar) => {
        l.sweep = sweep;
        l.bar = bar;
      });
      return [sweep];
    });
  }

  /* Sizes of the pieces of a beam belong to their middles: they are joined in between, and carried on to its ends. */
  private taper(): void {
    for (const key of ['hy', 'hz'] as const) {
      const size = this.lines.map(l => l[key][0]);
      this.lines.forEach((l, i) => {
        const last = this.next(i - 1),
          more = this.next(i);
        if (last) l[key][0] = (size[i - 1] + size[i]) / 2;
        if (more) l[key][1] = (size[i] + size[i + 1]) / 2;
        if (!last && more) l[key][0] = Math.max(1.5 * size[i] - 0.5 * size[i + 1], 0.2 * size[i]);
        if (last && !more) l[key][1] = Math.max(1.5 * size[i] - 0.5 * size[i - 1], 0.2 * size[i]);
      });
    }
  }

  private draw(l: Line): void {
    const s = l.sweep!,
      L = l.length,
      way = chordOf(l.element);
    point(l.a, l.o1, p1);
    point(l.b, l.o2, p2);
    turned(l.a, l.e, t1);
    turned(l.b, l.e, t2);
    turned(l.a, l.y, y1);
    turned(l.b, l.y, y2);
    for (let j = 0; j < 3; j++) chord[j] = p2[j] - p1[j];
    if (way)
      for (let j = 0; j < 3; j++) {
        t1[j] = way[j] + factor * (t1[j] - way[j]);
        t2[j] = way[j] + factor * (t2[j] - way[j]);
      }
    for (let r = 0; r < l.rings; r++) {
      const x = r / (l.rings - 1),
        h2 = x * x * (3 - 2 * x),
        g1 = L * x * (1 - x) * (1 - x),
        g2 = -L * x * x * (1 - x);
      const d1 = (6 * x * (1 - x)) / L,
        m1 = (1 - x) * (1 - 3 * x),
        m2 = x * (3 * x - 2);
      for (let j = 0; j < 3; j++) {
        third[j] = p1[j] + (l.bent ? h2 * chord[j] + g1 * t1[j] + g2 * t2[j] : x * chord[j]);
        along[j] = l.bent ? d1 * chord[j] + m1 * t1[j] + m2 * t2[j] : chord[j];
        across[j] = (1 - x) * y1[j] + x * y2[j];
      }
      const c0 = third[0],
        c1 = third[1],
        c2 = third[2];
      crossUnit(along, across, third);
      crossUnit(third, along, across);
      const hy = l.hy[0] + x * (l.hy[1] - l.hy[0]),
        hz = l.hz[0] + x * (l.hz[1] - l.hz[0]);
      s.ring(c0, c1, c2, across, third, hy, hz, l.iy * hy, l.iz * hz);
    }
  }

  update(): void {
    for (const s of this.sweeps) s.begin();
    for (const l of this.lines) this.draw(l);
    for (const s of this.sweeps) s.end();
  }
  paint(by: Painting | null): void {
    for (const l of this.lines) {
      const x = by?.read(l.element);
      l.sweep!.paint(l.bar, x ? x[0] : NaN, x ? x[Math.min(1, by!.points - 1)] : NaN, by?.colours ?? null);
    }
    for (const s of this.sweeps) s.painting();
  }
  painted(element: number): number[][] | null {
    const l = this.at.get(element);
    return l ? l.sweep!.painted(l.bar) : null;
  }
}
