/* The scene: camera, light, grid, traces, names of nodes. */
import * as THREE from 'three';
import {OrbitControls} from 'three/examples/jsm/controls/OrbitControls.js';
import {header, modes} from './data';
import {setDark} from './fields';
import {Layer, makeLayers, showLayers} from './layers';
import type {Parts} from './parts';
import {NOWHERE, extent, kind, path, planar, pose, position} from './pose';
import {stamp} from './stamp';

export const views = ['front', 'back', 'left', 'right', 'top', 'oblique'];
const direction: [number, number, number][] = planar
  ? [[0, 0, 1], [0, 0, -1], [-1, 0, 0], [1, 0, 0], [0, 1, 0], [0.5, 0.4, 0.8]]
  : [[0, -1, 0], [0, 1, 0], [-1, 0, 0], [1, 0, 0], [0, 0, 1], [0.55, -0.75, 0.42]];

export class Scene {
  private renderer: THREE.WebGLRenderer;
  private scene = new THREE.Scene();
  private camera: THREE.PerspectiveCamera | THREE.OrthographicCamera;
  private controls: OrbitControls;
  readonly layers: Layer[];
  private parts: Parts; /* of the first result */
  private grid: THREE.LineSegments;
  private spacing: number;
  private box = new THREE.Box3();
  private traces = new Map<number, THREE.Line>();
  private labels: HTMLElement[] = [];
  private middle = new THREE.Vector3();
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
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    host.prepend(this.renderer.domElement);
    this.layers = makeLayers(this.size);
    this.parts = this.layers[0].parts;
    for (const l of this.layers) this.box.union(l.parts.bounds);
    if (!this.follow) for (const c of [e.low, e.high]) this.box.expandByPoint(new THREE.Vector3(c[0], c[1], c[2]));
    this.scene.add(...this.layers.map(l => l.group), new THREE.HemisphereLight('#ffffff', '#8c8c94', 1.9));
    const sun = new THREE.DirectionalLight('#ffffff', 2.2);
    sun.position.set(planar ? 0.4 : 0.6, planar ? 0.8 : -0.9, 1.4);
    this.scene.add(sun);
    this.camera = planar ? new THREE.OrthographicCamera(-1, 1, 1, -1, -100 * this.size, 100 * this.size) : new THREE.PerspectiveCamera(35, 1, 0.005 * this.size, 200 * this.size);
    this.camera.up.set(0, planar ? 1 : 0, planar ? 0 : 1);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.zoomToCursor = true;
    this.controls.addEventListener('change', () => this.draw());
    const raw = this.size / 8, ten = 10 ** Math.floor(Math.log10(raw));
    this.spacing = ten * [1, 2, 5, 10].find(k => k * ten >= raw)!;
    this.grid = this.makeGrid();
    this.scene.add(this.grid);
    new ResizeObserver(() => this.resize()).observe(host);
    this.resize();
    this.look(planar ? 0 : 5);
  }

  private makeGrid(): THREE.LineSegments {
    /* in short pieces: long lines that pass behind the camera are lost on some machines */
    const n = 20, d = this.spacing, p: number[] = [];
    for (let i = -n; i <= n; i++) for (let k = -n; k < n; k++)
      p.push(i * d, k * d, 0, i * d, (k + 1) * d, 0, k * d, i * d, 0, (k + 1) * d, i * d, 0);
    const g = new THREE.BufferGeometry().setAttribute('position', new THREE.Float32BufferAttribute(p, 3));
    return new THREE.LineSegments(g, new THREE.LineBasicMaterial({transparent: true}));
  }

  colours(back: string, line: string, dark: boolean): void {
    setDark(dark);
    for (const l of this.layers) for (const a of l.arrows) a.theme(dark);
    this.scene.background = new THREE.Color(back);
    (this.grid.material as THREE.LineBasicMaterial).color.set(line);
    this.draw();
  }

  private resize(): void {
    const w = Math.max(this.host.clientWidth, 1), h = Math.max(this.host.clientHeight, 1);
    this.renderer.setSize(w, h, false);
    if (this.camera instanceof THREE.PerspectiveCamera) this.camera.aspect = w / h;
    else { const half = (this.camera.top - this.camera.bottom) / 2; this.camera.left = -half * w / h; this.camera.right = half * w / h; }
    this.camera.updateProjectionMatrix();
    this.draw();
  }

  /* All in sight along view number i. */
  private view = planar ? 0 : 5;
  look(i: number): void {
    this.view = i;
    const d = new THREE.Vector3(...direction[i]).normalize(), centre = this.box.getCenter(new THREE.Vector3());
    if (this.follow) centre.add(this.centre()).sub(this.start);
    const radius = Math.max(this.box.getSize(new THREE.Vector3()).length() / 2, 0.3 * this.size), aspect = this.host.clientWidth / Math.max(this.host.clientHeight, 1);
    this.controls.enableRotate = !planar || i === 5;
    this.controls.mouseButtons.LEFT = this.controls.enableRotate ? THREE.MOUSE.ROTATE : THREE.MOUSE.PAN;
    this.controls.touches.ONE = this.controls.enableRotate ? THREE.TOUCH.ROTATE : THREE.TOUCH.PAN;
    if (this.camera instanceof THREE.OrthographicCamera) {
      const s = this.box.getSize(new THREE.Vector3()), flat = i < 2;
      const half = 1.12 * (flat ? Math.max(s.y / 2, s.x / 2 / aspect, 0.15 * this.size) : radius / Math.min(1, aspect));
      this.camera.top = half; this.camera.bottom = -half; this.camera.left = -half * aspect; this.camera.right = half * aspect; this.camera.zoom = 1;
      this.camera.position.copy(centre).addScaledVector(d, 10 * this.size);
    } else this.camera.position.copy(centre).addScaledVector(d, 0.9 * radius / Math.sin(this.camera.fov / 360 * Math.PI) / Math.min(1, aspect));
    if (!planar && i === 4) this.camera.position.y -= 1e-3 * this.size;
    this.camera.updateProjectionMatrix();
    if (planar && i < 2) this.clearTools(centre);
    this.controls.target.copy(centre);
    this.controls.update();
    this.grid.position.set(this.snap(centre.x), this.snap(centre.y), planar ? -0.1 * this.size : this.box.min.z - 0.05 * this.size);
    this.draw();
  }

  /* What there is has grown. */
  refit(): void {
    const e = extent();
    this.box.makeEmpty();
    for (const l of this.layers) this.box.union(l.parts.bounds);
    for (const c of [e.low, e.high]) this.box.expandByPoint(new THREE.Vector3(c[0], c[1], c[2]));
    this.look(this.view);
  }

  /* Planar pictures begin below the buttons. */
  private clearTools(centre: THREE.Vector3): void {
    const c = this.camera as THREE.OrthographicCamera, h = this.host.clientHeight, room = Math.min(((this.host.querySelector('#tools')?.clientHeight ?? -12) + 12) / Math.max(h, 1), 0.25), grow = 1 / (1 - room), up = (c.top - c.bottom) / 2 * grow * room;
    c.top *= grow; c.bottom *= grow; c.left *= grow; c.right *= grow;
    centre.y += up;
    c.position.y += up;
    c.updateProjectionMatrix();
  }

  private snap(x: number): number { return Math.round(x / this.spacing) * this.spacing; }
  private start = new THREE.Vector3();
  private centre(): THREE.Vector3 {
    const c = new THREE.Vector3();
    let n = 0;
    for (let i = 0; i < kind.length; i++) if (kind[i] < 4) { c.x += position[3 * i]; c.y += position[3 * i + 1]; c.z += position[3 * i + 2]; n++; }
    return c.divideScalar(Math.max(n, 1));
  }

  show(frame: number, phase: number): void {
    pose(frame, phase);
    const now = this.centre();
    if (this.drawn === 0 || !this.middle.lengthSq()) { pose(0, 0); this.start.copy(this.centre()); pose(frame, phase); this.middle.copy(this.start); }
    if (this.follow) {
      const move = now.clone().sub(this.middle);
      this.camera.position.add(move);
      this.controls.target.add(move);
      this.grid.position.x = this.snap(this.controls.target.x);
      this.grid.position.y = this.snap(this.controls.target.y);
      this.controls.update();
    }
    this.middle.copy(now);
    showLayers(this.layers, frame, phase, this.field);
    const upTo = Math.floor(frame / header.stride) + 1;
    for (const l of this.traces.values()) l.geometry.setDrawRange(0, modes ? 0 : upTo);
    this.drawn++;
    this.draw();
  }

  trace(node: number, on: boolean, colour: string): void {
    const old = this.traces.get(node);
    if (old) { this.scene.remove(old); this.traces.delete(node); }
    if (on) {
      const l = new THREE.Line(new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(path(node), 3)), new THREE.LineBasicMaterial({color: colour}));
      l.frustumCulled = false;
      this.traces.set(node, l);
      this.scene.add(l);
    }
  }
  traced(node: number): boolean { return this.traces.has(node); }

  names(on: boolean): void {
    for (const l of this.labels) l.remove();
    this.labels = !on ? [] : header.nodes.map((n, i) => {
      const l = document.createElement('span');
      l.className = 'name';
      l.textContent = n.name;
      l.hidden = kind[i] === NOWHERE || /\.n\d+$/.test(n.name);
      this.host.append(l);
      return l;
    });
    this.draw();
  }

  /* Pixels of a node in the view. */
  pixel(node: number): [number, number] {
    const v = new THREE.Vector3(position[3 * node], position[3 * node + 1], position[3 * node + 2]).project(this.camera);
    return [(v.x + 1) / 2 * this.host.clientWidth, (1 - v.y) / 2 * this.host.clientHeight];
  }

  private waiting = false;
  draw(): void {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.render(); });
  }
  private render(): void {
    this.renderer.render(this.scene, this.camera);
    this.rendered();
    this.labels.forEach((l, i) => { const [x, y] = this.pixel(i); l.style.transform = `translate(${x + 6}px, ${y - 18}px)`; });
  }

  arrows(what: string, on: boolean): void { for (const l of this.layers) for (const a of l.arrows) if (a.what === what) a.group.visible = on; }
  arrowsOn(what: string): boolean { return this.layers[0].arrows.some(a => a.what === what && a.group.visible); }
  /* Length of the longest arrow, and pixels of a length in the middle of the picture. */
  get longest(): number { return this.layers[0].arrows[0].most; }
  get pixels(): number {
    const c = this.camera, h = this.host.clientHeight;
    return c instanceof THREE.OrthographicCamera ? h * c.zoom / (c.top - c.bottom) : h / (2 * Math.tan(c.fov / 360 * Math.PI) * c.position.distanceTo(this.controls.target));
  }
  painted(element: number): number[][] | null { return this.parts.painted(element); }
  shapeBox(i: number): number[][] { return this.parts.shapeBox(i); }

  picture(done: (b: Blob | null) => void): void {
    this.render();
    stamp(this.renderer.domElement, [...this.host.querySelectorAll('#legend')]).toBlob(done);
  }
}
