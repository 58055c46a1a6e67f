/* The scene: camera, light, ground, traces, names of nodes. */
import * as THREE from 'three';
import {OrbitControls} from 'three/examples/jsm/controls/OrbitControls.js';
import {Chosen, arrows} from './arrows';
import {header, modes} from './data';
import {Extent, extent} from './extent';
import {setDark} from './fields';
import {Layer, makeLayers, showLayers} from './layers';
import type {Parts} from './parts';
import {middle, model, path, planar, pose, position, within} from './pose';
import {Ground} from './ground';
import {Ruler} from './ruler';
import {stamp} from './stamp';
import {Support, supports} from './supports';
import {Triad} from './triad';

export const views = ['front', 'back', 'left', 'right', 'top', 'oblique'];
/* Its place, by its name or by its key. */
export function viewOf(name: string): number {
  const i = views.findIndex((v, k) => v === name || String(k + 1) === name);
  if (i < 0) throw new Error(`there is no view '${name}': there are ${views.join(', ')}`);
  return i;
}
const directions = (): [number, number, number][] =>
  planar
    ? [
        [0, 0, 1],
        [0, 0, -1],
        [-1, 0, 0],
        [1, 0, 0],
        [0, 1, 0],
        [0.5, 0.4, 0.8],
      ]
    : [
        [0, -1, 0],
        [0, 1, 0],
        [-1, 0, 0],
        [1, 0, 0],
        [0, 0, 1],
        [0.55, -0.75, 0.42],
      ];

export class Scene {
  private renderer: THREE.WebGLRenderer;
  private scene = new THREE.Scene();
  private camera: THREE.PerspectiveCamera | THREE.OrthographicCamera;
  private controls: OrbitControls;
  readonly layers: Layer[];
  private parts: Parts; /* of the first result */
  private ground: Ground;
  private triad = new Triad();
  private ruler: Ruler;
  private box = new THREE.Box3();
  floor = Infinity; /* where the ground of space lies */
  private cloud: number[] = []; /* points to be kept in sight */
  private traces = new Map<number, THREE.Line>();
  private labels: HTMLElement[] = [];
  private middle = new THREE.Vector3();
  private sized = new ResizeObserver(() => this.resize());
  readonly size: number;
  follow = false;
  drawn = 0;
  field = ''; /* that colours the elements */
  rendered = () => {};

  constructor(private host: HTMLElement) {
    const e = extent();
    this.size = Math.max(e.own, 1e-9);
    this.follow = e.travel > 2 * e.own && !modes;
    this.renderer = new THREE.WebGLRenderer({antialias: true});
    this.renderer.debug.checkShaderErrors = false; /* asking would wait for each of them */
    this.sharpness(1);
    this.renderer.info.autoReset = false; /* a frame is drawn in several passes */
    host.prepend(this.renderer.domElement);
    this.layers = makeLayers(this.size);
    this.parts = this.layers[0].parts;
    this.measure(e);
    this.scene.add(...this.layers.map(l => l.group), new THREE.HemisphereLight('#ffffff', '#8c8c94', 1.9));
    const sun = new THREE.DirectionalLight('#ffffff', 2.2);
    sun.position.set(planar ? 0.4 : 0.6, planar ? 0.8 : -0.9, 1.4);
    this.scene.add(sun);
    this.camera = planar
      ? new THREE.OrthographicCamera(-1, 1, 1, -1, -100 * this.size, 100 * this.size)
      : new THREE.PerspectiveCamera(35, 1, 0.005 * this.size, 200 * this.size);
    this.camera.up.set(0, planar ? 1 : 0, planar ? 0 : 1);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.zoomToCursor = true;
    this.controls.addEventListener('change', () => this.draw());
    this.controls.addEventListener('start', () => (this.fitted = false));
    this.ground = new Ground(this.size);
    this.scene.add(this.ground.group);
    for (const l of this.layers)
      l.parts.group.traverse(o => {
        o.castShadow = (o as THREE.Mesh).isMesh;
      });
    this.renderer.shadowMap.enabled = !planar;
    this.ruler = new Ruler(this.ground.pitch);
    host.append(this.ruler.host);
    this.sized.observe(host);
    this.resize();
    this.start.copy(this.centre());
    this.look(planar ? 0 : 5);
  }

  colours(back: string, line: string, dark = false): void {
    setDark(dark);
    for (const l of this.layers) for (const a of l.arrows) a.theme(dark);
    this.scene.background = new THREE.Color(back);
    this.ground.theme(line, dark);
    this.triad.theme(dark);
    this.draw();
  }

  resize(): void {
    const w = Math.max(this.host.clientWidth, 1),
      h = Math.max(this.host.clientHeight, 1);
    this.ruler.host.hidden = h < 240; /* in small pictures it would be in the way */
    this.renderer.setSize(w, h, false);
    if (this.camera instanceof THREE.PerspectiveCamera) this.camera.aspect = w / h;
    else {
      const half = (this.camera.top - this.camera.bottom) / 2;
      this.camera.left = (-half * w) / h;
      this.camera.right = (half * w) / h;
    }
    this.shift();
    this.draw();
  }

  /* What lies over the upper and the lower edge of the picture, as parts of its height: buttons; legend, time. */
  private room(): [number, number] {
    const h = Math.max(this.host.clientHeight, 1),
      there = (id: string) => [...this.host.querySelectorAll<HTMLElement>(id)].filter(e => e.offsetHeight),
      part = (px: number, most: number) => (px > 0 ? Math.min((px + 8) / h, most) : 0);
    return [
      part(Math.max(...there('#tools').map(e => e.offsetTop + e.offsetHeight), 0), 0.25),
      part(Math.max(...there('#legend, .ruler, #clock, .clock').map(e => h - e.offsetTop), 0), 0.35),
    ];
  }
  private free: [number, number] = [0, 0];
  /* The middle of what is free is the middle of the picture. */
  private shift(): void {
    const w = Math.max(this.host.clientWidth, 1),
      h = Math.max(this.host.clientHeight, 1),
      [above, below] = this.free;
    this.camera.setViewOffset(w, h, 0, (h * (below - above)) / 2, w, h);
    this.camera.updateProjectionMatrix();
  }
  /* What lies over the picture has changed: nothing is below it as long as nobody has moved the camera. */
  private fitted = true;
  refree(): void {
    const [a, b] = this.room();
    if (this.fitted && Math.hypot(a - this.free[0], b - this.free[1]) > 0.01) this.look(this.view);
  }

  /* Pixels of the picture for one of the screen; fewer are drawn faster. */
  sharpness(x: number): void {
    this.renderer.setPixelRatio(x * Math.min(devicePixelRatio, 2));
    this.ground?.shadow(x === 1);
    this.renderer.shadowMap.autoUpdate = x === 1;
    this.renderer.shadowMap.needsUpdate = x === 1;
  }

  /* All in sight along view number i. */
  private view = planar ? 0 : 5;
  look(i: number): void {
    this.view = i;
    const d = new THREE.Vector3(...directions()[i]).normalize(),
      centre = this.box.getCenter(new THREE.Vector3());
    if (this.follow) centre.add(this.centre()).sub(this.start);
    this.free = this.room();
    this.fitted = true;
    const radius = Math.max(this.box.getSize(new THREE.Vector3()).length() / 2, 0.3 * this.size),
      part = 1 - this.free[0] - this.free[1],
      aspect = this.host.clientWidth / Math.max(part * this.host.clientHeight, 1);
    this.controls.enableRotate = !planar || i === 5;
    this.controls.mouseButtons.LEFT = this.controls.enableRotate ? THREE.MOUSE.ROTATE : THREE.MOUSE.PAN;
    this.controls.touches.ONE = this.controls.enableRotate ? THREE.TOUCH.ROTATE : THREE.TOUCH.PAN;
    if (this.camera instanceof THREE.OrthographicCamera) {
      const s = this.box.getSize(new THREE.Vector3()),
        flat = i < 2;
      const half =
        1.12 * (flat ? Math.max(s.y / 2, s.x / 2 / aspect, 0.15 * this.size) : radius / Math.min(1, aspect));
      this.camera.top = half / part;
      this.camera.bottom = -half / part;
      this.camera.left = -half * aspect;
      this.camera.right = half * aspect;
      this.camera.zoom = 1;
      this.camera.position.copy(centre).addScaledVector(d, 10 * this.size);
    } else {
      const far = this.frame(d, centre, aspect, part); /* moves the centre */
      this.camera.position.copy(centre).addScaledVector(d, far);
    }
    if (!planar && i === 4) this.camera.position.y -= 1e-3 * this.size;
    this.shift();
    this.controls.target.copy(centre);
    this.controls.update();
    this.ground.under(centre.x, centre.y, this.floor);
    this.draw();
  }

  /* What all results shown come to; the first one's extent is known. */
  private measure(first: Extent): void {
    this.box.makeEmpty();
    this.cloud = [];
    this.floor = Infinity;
    for (const [i, l] of this.layers.entries()) {
      const e = i ? within(l.ids, extent) : first;
      this.box.union(l.parts.bounds);
      if (!this.follow) for (const c of [e.low, e.high]) this.box.expandByPoint(new THREE.Vector3(c[0], c[1], c[2]));
      this.cloud = this.cloud.concat(this.follow ? e.carried : e.cloud);
    }
    for (let k = 0; k < this.cloud.length; k += 4)
      this.floor = Math.min(this.floor, this.cloud[k + 2] - this.cloud[k + 3]);
    this.floor = Math.min(this.floor, this.box.min.z) - 0.05 * this.size;
  }
  /* What there is has grown. */
  refit(): void {
    this.measure(extent());
    this.look(this.view);
  }

  /* A perspective camera along d that has the cloud fill the view, with some room around it; moves the centre to the
     middle of what is seen; part: of its height that is free. The distance. */
  private frame(d: THREE.Vector3, centre: THREE.Vector3, aspect: number, part: number): number {
    const right = new THREE.Vector3().crossVectors(this.camera.up, d),
      tan = (part * Math.tan(((this.camera as THREE.PerspectiveCamera).fov / 360) * Math.PI)) / 1.15,
      c = new THREE.Vector3();
    if (right.lengthSq() < 1e-9) right.set(1, 0, 0);
    right.normalize();
    const up = new THREE.Vector3().crossVectors(d, right),
      shift = this.follow ? this.centre().sub(this.start) : new THREE.Vector3();
    let far = 0;
    for (let round = 0; round < 6; round++) {
      const low = [Infinity, Infinity],
        high = [-Infinity, -Infinity],
        before = far;
      far = 0.5 * this.size;
      for (let k = 0; k < this.cloud.length; k += 4) {
        c.set(this.cloud[k], this.cloud[k + 1], this.cloud[k + 2])
          .add(shift)
          .sub(centre);
        const at = [c.dot(right), c.dot(up)],
          r = this.cloud[k + 3],
          deep = c.dot(d) + r;
        far = Math.max(far, deep + (Math.abs(at[1]) + r) / tan, deep + (Math.abs(at[0]) + r) / tan / aspect);
        at.forEach((x, j) => {
          const z = Math.max(before - deep, 0.1 * this.size) / (before || 1);
          low[j] = Math.min(low[j], (x - r) / z);
          high[j] = Math.max(high[j], (x + r) / z);
        });
      }
      if (round === 0 || round === 5 || !this.cloud.length)
        continue; /* the distance is known from the first round on */
      centre.addScaledVector(right, (low[0] + high[0]) / 2).addScaledVector(up, (low[1] + high[1]) / 2);
    }
    return far;
  }

  private start = new THREE.Vector3();
  private centre(): THREE.Vector3 {
    return new THREE.Vector3(...middle([]));
  }

  show(frame: number, phase: number, later = 0): void {
    pose(frame, phase, later);
    const now = this.centre();
    if (this.drawn === 0 || !this.middle.lengthSq()) {
      pose(0, 0);
      this.start.copy(this.centre());
      pose(frame, phase, later);
      this.middle.copy(this.start);
    }
    if (this.follow) {
      const move = now.clone().sub(this.middle);
      this.camera.position.add(move);
      this.controls.target.add(move);
      this.ground.under(this.controls.target.x, this.controls.target.y, this.floor);
      this.controls.update();
    }
    this.middle.copy(now);
    this.ground.light(now.x, now.y, now.z);
    showLayers(this.layers, frame, phase, this.field);
    const upTo = Math.floor(frame / header.stride) + 1;
    for (const l of this.traces.values()) l.geometry.setDrawRange(0, modes ? 0 : upTo);
    this.drawn++;
    this.draw();
  }

  trace(node: number, on: boolean, colour: string): void {
    const old = this.traces.get(node);
    if (old) {
      this.scene.remove(old);
      this.traces.delete(node);
    }
    if (on) {
      const l = new THREE.Line(
        new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(path(node), 3)),
        new THREE.LineBasicMaterial({color: colour}),
      );
      l.frustumCulled = false;
      this.traces.set(node, l);
      this.scene.add(l);
    }
  }
  traced(node: number): boolean {
    return this.traces.has(node);
  }

  /* parts: with the joints and elements that meet there. */
  names(on: boolean, parts = false): void {
    const inner = new Set(
      model.elements.flatMap(e => e.nodes.filter(i => model.nodes[i]?.name.startsWith(`${e.name}.`))),
    ); /* of a mesh: they are called after their element */
    for (const l of this.labels) l.remove();
    this.labels = !on
      ? []
      : model.nodes.map((n, i) => {
          const l = document.createElement('span');
          l.className = 'name';
          l.textContent = parts ? `${n.name}${this.meeting(i)}` : n.name;
          l.hidden = !n.lies || inner.has(i);
          this.host.append(l);
          return l;
        });
    this.draw();
  }

  private meeting(node: number): string {
    const names = (of: typeof model.joints): string =>
      [...new Set(of.filter(p => p.nodes.includes(node)).map(p => p.name))].join(', ');
    return [names(model.joints), names(model.elements)]
      .map((text, k) => (text ? (k ? ` (${text})` : `: ${text}`) : ''))
      .join('');
  }

  /* Pixels of a node in the view. */
  pixel(node: number): [number, number] {
    return this.pixelOf([position[3 * node], position[3 * node + 1], position[3 * node + 2]]);
  }
  pixelOf(x: number[]): [number, number] {
    const v = new THREE.Vector3(x[0], x[1], x[2]).project(this.camera);
    return [((v.x + 1) / 2) * this.host.clientWidth, ((1 - v.y) / 2) * this.host.clientHeight];
  }

  private waiting = false;
  draw(): void {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.render();
    });
  }
  private render(): void {
    this.renderer.info.reset();
    this.renderer.render(this.scene, this.camera);
    const {clientWidth: w, clientHeight: h} = this.host;
    if (!this.ruler.host.hidden) {
      this.ruler.show(this.pixels, w);
      this.triad.draw(this.renderer, this.camera, h - this.ruler.host.offsetTop + 2, Math.min(w, h));
    }
    this.rendered();
    const taken = new Map<string, number>(); /* nodes at one place are named one below the other */
    this.labels.forEach((l, i) => {
      const [x, y] = this.pixel(i),
        place = `${Math.round(x)},${Math.round(y)}`,
        before = l.hidden ? 0 : (taken.get(place) ?? 0);
      if (!l.hidden) taken.set(place, before + 1);
      l.style.transform = `translate(${x + 6}px, ${y - 18 + 15 * before}px)`;
    });
  }

  /* Drawn now, for who reads it at once; with the legend where there is one. */
  snapshot(): HTMLCanvasElement {
    this.render();
    const over = [...this.host.querySelectorAll('#legend, .ruler')].filter(e => e.childNodes.length);
    return over.length ? stamp(this.renderer.domElement, over) : this.renderer.domElement;
  }

  /* More to draw, moved by whoever adds it, and places it comes to. */
  add(more: THREE.Object3D, places: number[][] = []): void {
    this.scene.add(more);
    for (const p of places) this.box.expandByPoint(new THREE.Vector3(p[0], p[1], p[2]));
    if (places.length) this.look(planar ? 0 : 5);
  }
  /* In a page that scrolls, wheel and touch belong to the page unless the scene was chosen. */
  within(on: boolean): void {
    this.controls.enableZoom = on;
    this.renderer.domElement.style.touchAction = on ? 'none' : 'pan-y';
  }
  end(): void {
    this.sized.disconnect();
    this.controls.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
    this.renderer.domElement.remove();
    this.ruler.host.remove();
  }

  arrows(what: string, on: boolean): void {
    for (const l of this.layers) for (const a of l.arrows) if (a.what === what) a.group.visible = on;
  }
  /* Of a group some alone, with a scale of their own; null: all of them. */
  chooseArrows(what: string, chosen: Chosen | null): void {
    for (const l of this.layers) for (const a of l.arrows) if (a.what === what) a.chosen = chosen;
  }
  /* Room for the arrows of a group, as they are over the whole run. */
  makeRoom(what: string): void {
    const [own] = this.layers[0].arrows.filter(a => a.what === what),
      n = Math.min(header.frames, 60);
    for (let k = 0; own && k < n; k++) {
      const frame = (k * (header.frames - 1)) / Math.max(n - 1, 1);
      pose(frame, 0);
      const shift = this.follow ? this.centre().sub(this.start) : new THREE.Vector3();
      for (const a of arrows(what, frame, this.size, own.chosen)) {
        const tip = new THREE.Vector3(...a.vector)
          .setLength(a.length)
          .add(new THREE.Vector3(...a.point))
          .sub(shift);
        this.box.expandByPoint(tip);
        this.cloud.push(tip.x, tip.y, tip.z, 0);
      }
    }
    this.look(this.view);
  }
  /* The same, as long as nobody has moved the camera. */
  private held = new Set<string>();
  holds(what: string): void {
    if (!this.fitted || this.held.has(what)) return;
    this.held.add(what);
    this.makeRoom(what);
  }
  arrowsOn(what: string): boolean {
    return this.layers[0].arrows.some(a => a.what === what && a.group.visible);
  }
  /* Length of the longest arrow, and pixels of a length in the middle of the picture. */
  get longest(): number {
    return this.layers[0].arrows[0].most;
  }
  get pixels(): number {
    const c = this.camera,
      h = this.host.clientHeight;
    return c instanceof THREE.OrthographicCamera
      ? (h * c.zoom) / (c.top - c.bottom)
      : h / (2 * Math.tan((c.fov / 360) * Math.PI) * c.position.distanceTo(this.controls.target));
  }
  painted(element: number): number[][] | null {
    return this.parts.painted(element);
  }
  reach(element: number): number[][] | null {
    return this.parts.rods.ends(element);
  }
  solidBox(i: number): number[][] {
    return this.parts.solids.box(i);
  }
  /* What an element is drawn as that has a mesh, and places of all meshes. */
  meshOf(element: number): ReturnType<Parts['meshes']['shown']> {
    return this.parts.meshes.shown(element);
  }
  meshPlaces(): number[] {
    return this.parts.meshes.places();
  }
  /* What the last frame asked of the graphics card. */
  get load(): {calls: number; triangles: number} {
    const {calls, triangles} = this.renderer.info.render;
    return {calls, triangles};
  }
  supports(): Support[] {
    return supports();
  }
  sides(element: number): ReturnType<Parts['surfaces']['sides']> {
    return this.parts.surfaces.sides(element);
  }

  picture(done: (b: Blob | null) => void): void {
    this.snapshot().toBlob(done);
  }
}
