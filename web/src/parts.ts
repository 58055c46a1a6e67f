/* What is drawn of a model: beams with their sections and bending, springs, bodies, links of bodies to their joints,
   joints as symbols. */
import * as THREE from 'three';
import {header, single} from './data';
import {at as fieldAt, fieldOf, missing, rangeOf, rowOf, scalars, table} from './fields';
import {FRAME2, FRAME3, NOWHERE, chordOf, factor, kind, planar, pose, position, reference, turned} from './pose';
import {Outline, Sweep, hollow, iShape, solid} from './sweep';
import {Symbols} from './symbols';

const palette = ['#3b7dd8', '#e07b39', '#3a9d6a', '#c2498f', '#8a6fd1', '#b59a2b', '#2b9fb5', '#cf5148'].map(
  c => new THREE.Color(c),
);
const steel = new THREE.Color('#8b95a3'),
  spring = new THREE.Color('#b08a3e');

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
  curved: boolean;
  rings: number;
  colour: THREE.Color;
  sweep: Sweep | null;
  bar: number;
}
interface Rod {
  element: number;
  a: number;
  from: number[];
  b: number;
  to: number[];
  half: number;
  coil: boolean;
  colour: THREE.Color;
}
interface Ball {
  node: number;
  at: number[];
  radius: number;
  colour: THREE.Color;
}

const kindOf = (name: string) => name.slice(0, name.indexOf(':'));
const nameOf = (name: string) => name.slice(name.indexOf(':') + 1);
const cross = (a: number[], b: number[]) => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
const unit = (a: number[]) => {
  const l = Math.hypot(a[0], a[1], a[2]) || 1;
  return [a[0] / l, a[1] / l, a[2] / l];
};
const ref = (i: number) => [reference[3 * i], reference[3 * i + 1], reference[3 * i + 2]];
const minus = (a: number[], b: number[]) => a.map((x, j) => x - b[j]);
const zero = [0, 0, 0];
/* Scratch of drawLine: thousands of beams are drawn again for every frame. */
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
function crossUnit(a: number[], b: number[], out: number[]): void {
  const x = a[1] * b[2] - a[2] * b[1],
    y = a[2] * b[0] - a[0] * b[2],
    z = a[0] * b[1] - a[1] * b[0],
    l = 1 / (Math.sqrt(x * x + y * y + z * z) || 1);
  out[0] = x * l;
  out[1] = y * l;
  out[2] = z * l;
}
const valid = (i: number) => i >= 0 && i < header.nodes.length && kind[i] !== NOWHERE;

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

/* Triangles of an STL file. */
function facets(x: Float32Array, scale: number): THREE.BufferGeometry {
  const g = new THREE.BufferGeometry().setAttribute(
    'position',
    new THREE.BufferAttribute(
      x.map(v => v * scale),
      3,
    ),
  );
  g.computeVertexNormals();
  return g;
}

export class Parts {
  readonly group = new THREE.Group();
  readonly bounds = new THREE.Box3(); /* of the reference configuration */
  private section = new Map(header.sections.map(s => [s[0], s]));
  private points = new Map(header.points.map(p => [p.slice(0, 3).join(), p.slice(3, 6)]));
  private linked = new Set<string>();
  private lines: Line[] = [];
  private rods: Rod[] = [];
  private balls: Ball[] = [];
  private sweeps: Sweep[]; /* of beams by their outline, and the thin one */
  private thin: Sweep;
  private solids: {mesh: THREE.Mesh; node: number; at: number[]; own: THREE.Matrix4; colour: THREE.Color}[] = [];
  private ballMesh: THREE.InstancedMesh;
  private symbols: Symbols;
  private field = ''; /* what bodies are painted as; '': as they are */

  /* only: everything in one colour. */
  constructor(
    readonly size: number,
    only?: THREE.Color,
  ) {
    const colours = new Map<string, THREE.Color>();
    const colour = (name: string) => {
      if (only) return only;
      if (!colours.has(name)) colours.set(name, palette[colours.size % palette.length]);
      return colours.get(name)!;
    };
    const body = new Map(header.bodies.map(b => [b.x[0], b])),
      shaped = new Set(header.shapes.map(s => s.x[0]));
    const beams = header.elements.filter(e => kindOf(e.name).startsWith('beam')).length;
    header.elements.forEach((e, i) => {
      const k = kindOf(e.name),
        [a, b] = e.x;
      if (k.startsWith('beam') && valid(a) && valid(b))
        this.addBeam(nameOf(e.name), i, a, b, body.get(i), beams, colour(nameOf(e.name)));
      else if (k.startsWith('mass') && valid(a) && !shaped.has(i))
        this.addMass(a, body.get(i), colour(nameOf(e.name)));
      else if (/^(spring|bushing|stop|torsion)/.test(k) && valid(a) && valid(b)) this.addCoil(i, a, b, only);
    });
    this.taper();
    header.shapes.forEach((s, i) => this.addShape(s.name, i, s.x, colour(s.name.split(':')[1])));
    this.addLinks(only);
    this.symbols = new Symbols(0.011 * size, only);
    this.group.add(this.symbols.group);
    this.thin = new Sweep(
      this.rods.map(r => this.ringsOf(r)),
      solid(6, true),
      this.rods.map(r => r.colour),
    );
    this.sweeps = [...this.makeSweeps(beams > 1000 ? 6 : 12), this.thin];
    this.ballMesh = new THREE.InstancedMesh(
      marked(new THREE.SphereGeometry(1, 32, 20)),
      new THREE.MeshStandardMaterial({roughness: 0.5, vertexColors: true}),
      Math.max(this.balls.length, 1),
    );
    this.ballMesh.count = this.balls.length;
    this.balls.forEach((b, i) => this.ballMesh.setColorAt(i, b.colour));
    this.ballMesh.frustumCulled = false;
    for (const s of this.sweeps) if (!s.empty) this.group.add(s.mesh);
    if (this.balls.length) this.group.add(this.ballMesh);
    pose(0);
    this.update();
    this.bounds.setFromObject(this.group);
  }

  private addBeam(
    name: string,
    element: number,
    a: number,
    b: number,
    row: {name: string; x: number[]} | undefined,
    beams: number,
    colour: THREE.Color,
  ): void {
    const o1 = row ? row.x.slice(6, 9) : zero,
      o2 = row ? row.x.slice(9, 12) : zero;
    const d = minus(ref(b), ref(a)).map((x, j) => x + o2[j] - o1[j]),
      length = Math.hypot(...d),
      e = unit(d);
    let o =
      row && Math.hypot(row.x[3], row.x[4], row.x[5]) > 0 ? row.x.slice(3, 6) : planar ? [-e[1], e[0], 0] : [0, 0, 1];
    let z = cross(e, o);
    if (Math.hypot(...z) < 1e-6) z = cross(e, (o = Math.abs(e[2]) > 0.9 ? [0, 1, 0] : [0, 0, 1]));
    const y = unit(cross(unit(z), e)),
      least = 0.0035 * this.size; /* thin strips stay visible */
    const [, form, holeY, holeZ] = this.section.get(element) ?? [element, 0, 0, 0];
    const round = form ? form === 2 : row ? /^(circle|tube):/.test(row.name) : true,
      open = holeY > 0 && holeZ > 0;
    const hy = Math.max(row ? row.x[1] / 2 : 0.008 * this.size, least),
      hz = Math.max(row ? row.x[2] / 2 : 0.008 * this.size, least);
    const curved = (kind[a] === FRAME2 || kind[a] === FRAME3) && (kind[b] === FRAME2 || kind[b] === FRAME3);
    const outline = form === 3 ? 'i' : (round ? 'round' : 'flat') + (open ? 'Hole' : '');
    this.lines.push({
      name,
      element,
      a,
      b,
      outline,
      hy: [hy, hy],
      hz: [hz, hz],
      iy: open ? holeY / row!.x[1] : 0,
      iz: open ? holeZ / row!.x[2] : 0,
      y,
      o1,
      o2,
      e,
      length,
      curved,
      rings: curved ? (beams > 1000 ? 3 : beams > 200 ? 5 : 13) : 2,
      colour,
      sweep: null,
      bar: 0,
    });
  }

  /* Beams of the same outline are drawn together; each learns which bar it is. */
  private makeSweeps(sides: number): Sweep[] {
    const ends = this.ends(),
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

  /* Which ends of a beam's pieces are closed: not those where the next piece goes on. */
  private ends(): Map<Line, number> {
    const on = (a: Line | undefined, b: Line | undefined) =>
      a !== undefined && b !== undefined && a.name === b.name && a.b === b.a;
    return new Map(
      this.lines.map((l, i) => [l, (on(this.lines[i - 1], l) ? 0 : 1) | (on(l, this.lines[i + 1]) ? 0 : 2)]),
    );
  }

  /* Sizes of the pieces of a beam belong to their middles: they are joined in between, and carried on to its ends. */
  private taper(): void {
    const next = (i: number) =>
      this.lines[i + 1]?.name === this.lines[i].name && this.lines[i + 1].a === this.lines[i].b;
    for (const key of ['hy', 'hz'] as const) {
      const size = this.lines.map(l => l[key][0]);
      this.lines.forEach((l, i) => {
        const last = i > 0 && next(i - 1),
          more = next(i);
        if (last) l[key][0] = (size[i - 1] + size[i]) / 2;
        if (more) l[key][1] = (size[i] + size[i + 1]) / 2;
        if (!last && more) l[key][0] = Math.max(1.5 * size[i] - 0.5 * size[i + 1], 0.2 * size[i]);
        if (last && !more) l[key][1] = Math.max(1.5 * size[i] - 0.5 * size[i - 1], 0.2 * size[i]);
      });
    }
  }

  private addMass(node: number, row: {x: number[]} | undefined, colour: THREE.Color): void {
    const at = row ? row.x.slice(3, 6) : zero,
      radius = Math.min(
        Math.max(row ? row.x[1] : 0, 0.016 * this.size),
        (header.elements.length > 2 ? 0.035 : 0.1) * this.size,
      ); /* among other things it hides them */
    this.balls.push({node, at, radius, colour});
    if (Math.hypot(...at) > 1e-9)
      this.rods.push({
        element: -1,
        a: node,
        from: zero,
        b: node,
        to: at,
        half: 0.006 * this.size,
        coil: false,
        colour,
      });
  }

  /* Where element or joint i is fastened to its first or second node, from there. */
  private point(joint: boolean, i: number, end: number): number[] {
    return this.points.get([joint ? 1 : 0, i, end].join()) ?? zero;
  }

  /* A coil between the points where an element is fastened; a sleeve where these are one in the reference
     configuration. */
  private addCoil(element: number, a: number, b: number, only?: THREE.Color): void {
    const from = this.point(false, element, 0),
      to = this.point(false, element, 1),
      colour = only ?? spring;
    const apart = Math.hypot(...ref(b).map((x, j) => x + to[j] - ref(a)[j] - from[j])),
      s = 0.012 * this.size;
    this.link(a, from, only);
    this.link(b, to, only);
    if (apart > 1e-6 * this.size) {
      this.rods.push({element, a, from, b, to, half: 0.003 * this.size, coil: true, colour});
      return;
    }
    const [node, at] = header.nodes[b].v < 0 ? [a, from] : [b, to],
      way = planar ? [0, 0, s] : [s, 0, 0];
    this.rods.push({
      element,
      a: node,
      from: minus(at, way),
      b: node,
      to: at.map((x, j) => x + way[j]),
      half: s,
      coil: false,
      colour,
    });
  }

  /* A body reaches from its node to what is fastened to it. */
  private link(node: number, to: number[], only?: THREE.Color): void {
    const key = `${node}:${to.map(x => x.toPrecision(6)).join()}`;
    if (!valid(node) || header.nodes[node].v < 0 || Math.hypot(...to) < 1e-9 || this.linked.has(key)) return;
    this.linked.add(key);
    this.rods.push({
      element: -1,
      a: node,
      from: zero,
      b: node,
      to,
      half: 0.006 * this.size,
      coil: false,
      colour: only ?? steel,
    });
  }

  private addShape(name: string, row: number, x: number[], colour: THREE.Color): void {
    const node = header.elements[x[0]]?.x[0],
      [s0, s1, s2] = x.slice(13, 16),
      what = kindOf(name);
    if (node === undefined || !valid(node)) return;
    let g: THREE.BufferGeometry;
    if (what === 'box') g = new THREE.BoxGeometry(s0, s1, s2);
    else if (what === 'sphere') g = new THREE.SphereGeometry(s0, 32, 20);
    else if (what === 'cylinder' && s2 > 0) {
      const ring = new THREE.Shape().absarc(0, 0, s0, 0, 2 * Math.PI),
        hole = new THREE.Path().absarc(0, 0, s2, 0, 2 * Math.PI, true);
      ring.holes.push(hole);
      g = new THREE.ExtrudeGeometry(ring, {depth: s1, bevelEnabled: false, curveSegments: 32}).translate(
        0,
        0,
        -s1 / 2,
      );
    } else if (what === 'cylinder') g = new THREE.CylinderGeometry(s0, s0, s1, 40).rotateX(Math.PI / 2);
    else if (header.triangles.includes(row)) g = facets(single(`t${row}`), s0);
    else g = new THREE.IcosahedronGeometry(0.04 * this.size, 0);
    const t = x.slice(4, 13),
      own = new THREE.Matrix4().set(
        t[0],
        t[1],
        t[2],
        x[1],
        t[3],
        t[4],
        t[5],
        x[2],
        t[6],
        t[7],
        t[8],
        x[3],
        0,
        0,
        0,
        1,
      );
    const mesh = new THREE.Mesh(
      g,
      new THREE.MeshStandardMaterial({
        color: colour,
        roughness: 0.55,
        metalness: 0.1,
        transparent: true,
        opacity: 0.85,
      }),
    );
    mesh.matrixAutoUpdate = false;
    this.group.add(mesh);
    this.solids.push({mesh, node, at: x.slice(1, 4), own, colour});
  }

  /* Pins of bodies sit where the joint is; where that is not known, at the second node. */
  private addLinks(only?: THREE.Color): void {
    header.joints.forEach((j, i) => {
      const k = kindOf(j.name),
        [a, b] = j.x,
        pin = header.pins[i];
      if (/^(revolute|spherical|universal|constant_velocity|rigid_link|fixed)/.test(k) && valid(a) && valid(b)) {
        const at = pin && valid(pin[0]) ? ref(pin[0]).map((x, c) => x + pin[1 + c]) : ref(b);
        for (const node of [a, b]) this.link(node, minus(at, ref(node)), only);
      } else if (k === 'distance' && valid(a) && valid(b))
        this.rods.push({
          element: -1,
          a,
          from: this.point(true, i, 0),
          b,
          to: this.point(true, i, 1),
          half: 0.005 * this.size,
          coil: false,
          colour: only ?? steel,
        });
    });
  }

  private coils(r: Rod): boolean {
    return r.coil && this.rods.length < 300;
  }
  private ringsOf(r: Rod): number {
    return this.coils(r) ? 97 : 2;
  }

  private drawLine(l: Line): void {
    const s = l.sweep!,
      L = l.length,
      a = 3 * l.a,
      b = 3 * l.b,
      way = chordOf(l.element);
    turned(l.a, l.o1, p1);
    turned(l.b, l.o2, p2);
    turned(l.a, l.e, t1);
    turned(l.b, l.e, t2);
    turned(l.a, l.y, y1);
    turned(l.b, l.y, y2);
    for (let j = 0; j < 3; j++) {
      p1[j] += position[a + j];
      p2[j] += position[b + j];
      chord[j] = p2[j] - p1[j];
    }
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
        third[j] = p1[j] + (l.curved ? h2 * chord[j] + g1 * t1[j] + g2 * t2[j] : x * chord[j]);
        along[j] = l.curved ? d1 * chord[j] + m1 * t1[j] + m2 * t2[j] : chord[j];
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

  private drawRod(r: Rod): void {
    const p1 = turned(r.a, r.from, []),
      p2 = turned(r.b, r.to, []);
    for (let j = 0; j < 3; j++) {
      p1[j] += position[3 * r.a + j];
      p2[j] += position[3 * r.b + j];
    }
    const d = minus(p2, p1),
      e = unit(d),
      y = unit(cross(Math.abs(e[2]) > 0.9 ? [0, 1, 0] : [0, 0, 1], e)),
      z = cross(e, y),
      n = this.ringsOf(r);
    if (!this.coils(r)) {
      this.thin.ring(p1[0], p1[1], p1[2], y, z, r.half, r.half);
      this.thin.ring(p2[0], p2[1], p2[2], y, z, r.half, r.half);
      return;
    }
    const R = 0.013 * this.size; /* six turns between short straight ends */
    for (let i = 0; i < n; i++) {
      const x = i / (n - 1),
        u = Math.min(Math.max((x - 0.12) / 0.76, 0), 1),
        a = 12 * Math.PI * u,
        w = R * Math.min(1, 8 * u, 8 * (1 - u));
      const c = Math.cos(a),
        s = Math.sin(a),
        out = [0, 1, 2].map(j => c * y[j] + s * z[j]);
      this.thin.ring(
        p1[0] + x * d[0] + w * out[0],
        p1[1] + x * d[1] + w * out[1],
        p1[2] + x * d[2] + w * out[2],
        out,
        e,
        r.half,
        r.half,
      );
    }
  }

  private matrix = new THREE.Matrix4();
  private nodeMatrix(i: number): THREE.Matrix4 {
    const x = turned(i, [1, 0, 0], []),
      y = turned(i, [0, 1, 0], []),
      z = turned(i, [0, 0, 1], []);
    return this.matrix.set(
      x[0],
      y[0],
      z[0],
      position[3 * i],
      x[1],
      y[1],
      z[1],
      position[3 * i + 1],
      x[2],
      y[2],
      z[2],
      position[3 * i + 2],
      0,
      0,
      0,
      1,
    );
  }

  /* Everything to where pose() has put the nodes. */
  update(): void {
    for (const s of this.sweeps) s.begin();
    for (const l of this.lines) this.drawLine(l);
    for (const r of this.rods) this.drawRod(r);
    for (const s of this.sweeps) s.end();
    for (const s of this.solids) {
      s.mesh.matrix.multiplyMatrices(this.nodeMatrix(s.node), s.own);
      s.mesh.matrixWorldNeedsUpdate = true;
    }
    const m = new THREE.Matrix4(),
      size = new THREE.Vector3(),
      v: number[] = [];
    this.balls.forEach((b, i) => {
      turned(b.node, b.at, v);
      this.ballMesh.setMatrixAt(
        i,
        m
          .copy(this.nodeMatrix(b.node))
          .scale(size.setScalar(b.radius))
          .setPosition(v[0] + position[3 * b.node], v[1] + position[3 * b.node + 1], v[2] + position[3 * b.node + 2]),
      );
    });
    this.ballMesh.instanceMatrix.needsUpdate = true;
    this.symbols.update();
  }

  /* Colour beams, springs and bushings by a field at a frame, the rest grey; '': everything as it is. */
  paint(name: string, frame: number): void {
    if (!name && !this.field) return;
    const f = name ? fieldOf(name) : undefined,
      [low, high] = name ? rangeOf(name, planar) : [0, 1],
      colours = name ? table(scalars[name].signed(planar)) : null;
    const scale = 1 / (high - low || 1);
    const one = (s: Sweep, bar: number, element: number) => {
      const i = f ? rowOf(f, element) : undefined;
      const a = i === undefined ? NaN : fieldAt(f!, frame, f!.per * i),
        b = i === undefined || f!.per < 2 ? a : fieldAt(f!, frame, f!.per * i + 1);
      s.paint(bar, (a - low) * scale, (b - low) * scale, colours);
    };
    for (const l of this.lines) one(l.sweep!, l.bar, l.element);
    for (let i = 0; i < this.rods.length; i++) one(this.thin, i, this.rods[i].element);
    for (const s of this.sweeps) s.painting();
    const grey = new THREE.Color(missing());
    const key = name && missing();
    if (key !== this.field) for (const m of this.tinted()) m.plain(name ? grey : null);
    this.field = key;
  }
  private tinted(): {plain(c: THREE.Color | null): void}[] {
    return [
      ...this.solids.map(s => ({
        plain: (c: THREE.Color | null) => {
          (s.mesh.material as THREE.MeshStandardMaterial).color.copy(c ?? s.colour);
        },
      })),
      {
        plain: c => {
          this.balls.forEach((b, i) => this.ballMesh.setColorAt(i, c ?? b.colour));
          if (this.ballMesh.instanceColor) this.ballMesh.instanceColor.needsUpdate = true;
        },
      },
    ];
  }
  /* Colours at both ends of what an element is drawn as, linear. */
  painted(element: number): number[][] | null {
    const l = this.lines.find(o => o.element === element),
      r = this.rods.findIndex(o => o.element === element);
    if (l) return l.sweep!.painted(l.bar);
    return r < 0 ? null : this.thin.painted(r);
  }

  /* Both ends of what an element that is no beam is drawn as. */
  reach(element: number): number[][] | null {
    const r = this.rods.findIndex(o => o.element === element);
    return r < 0 ? null : this.thin.ends(r);
  }

  /* Lowest and highest corner of a shape in its own axes. */
  shapeBox(i: number): number[][] {
    const g = this.solids[i].mesh.geometry;
    g.computeBoundingBox();
    return [g.boundingBox!.min.toArray(), g.boundingBox!.max.toArray()];
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
