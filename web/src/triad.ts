/* The directions of the axes, and of gravity, in a corner of the picture. */
import * as THREE from 'three';
import {model, planar} from './pose';
import {length} from './vector';

const side = 84; /* pixels */
const tone = {
  light: {x: '#b8453f', y: '#2f8554', z: '#3a6fc0', g: '#6b7480'},
  dark: {x: '#f0857d', y: '#6fce95', z: '#86b2f7', g: '#a8b2c0'},
};

/* A letter as a picture that always faces the camera. */
function letter(text: string): THREE.Sprite {
  const c = document.createElement('canvas'),
    g = c.getContext('2d')!;
  c.width = c.height = 40;
  g.font = '600 29px system-ui, sans-serif';
  g.textAlign = 'center';
  g.textBaseline = 'middle';
  g.fillStyle = '#ffffff';
  g.fillText(text, 20, 20);
  const map = new THREE.CanvasTexture(c);
  map.generateMipmaps = false;
  map.minFilter = THREE.LinearFilter;
  const s = new THREE.Sprite(new THREE.SpriteMaterial({map, depthTest: false, transparent: true}));
  s.scale.setScalar(0.68);
  return s;
}

interface Axis {
  name: 'x' | 'y' | 'z' | 'g';
  way: THREE.Vector3;
  paint: THREE.MeshBasicMaterial;
  name3: THREE.Sprite;
}

export class Triad {
  private scene = new THREE.Scene();
  private camera = new THREE.OrthographicCamera(-1.5, 1.5, 1.5, -1.5, 0.1, 20);
  private axes: Axis[];

  constructor() {
    const g = model.gravity,
      way = {x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1], g: length(g) > 0 ? g.map(x => x / length(g)) : null};
    this.axes = (['x', 'y', 'z', 'g'] as const).flatMap(name => (way[name] ? [this.axis(name, way[name]!)] : []));
  }
  /* Of unit length; that of gravity is apart from an axis that it lies along: broken, with an open head. */
  private axis(name: Axis['name'], v: number[]): Axis {
    const paint = new THREE.MeshBasicMaterial(),
      way = new THREE.Vector3(v[0], v[1], v[2]),
      turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), way),
      piece = (geometry: THREE.BufferGeometry, at: number) => {
        const m = new THREE.Mesh(geometry, paint);
        m.position.copy(way).multiplyScalar(at);
        m.quaternion.copy(turn);
        this.scene.add(m);
      };
    if (name === 'g')
      for (let k = 0; k < 3; k++) piece(new THREE.CylinderGeometry(0.035, 0.035, 0.14, 8), 0.1 + 0.24 * k);
    else piece(new THREE.CylinderGeometry(0.035, 0.035, 0.75, 8), 0.375);
    piece(new THREE.ConeGeometry(0.11, 0.3, 16), 0.85);
    const name3 = letter(name);
    name3.position.copy(way).multiplyScalar(1.24);
    this.scene.add(name3);
    return {name, way, paint, name3};
  }
  theme(dark: boolean): void {
    for (const a of this.axes) {
      const c = tone[dark ? 'dark' : 'light'][a.name];
      a.paint.color.set(c);
      a.name3.material.color.set(c);
    }
  }
  /* In the lower left corner, so many pixels above its edge. */
  draw(renderer: THREE.WebGLRenderer, like: THREE.Camera, high: number, room: number): void {
    const small = Math.min(side, 0.24 * room),
      way = new THREE.Vector3(0, 0, 1).applyQuaternion(like.quaternion);
    if (small < 40) return;
    this.camera.quaternion.copy(like.quaternion);
    this.camera.position.copy(way).multiplyScalar(8);
    /* an axis that points at the eye has no room for its letter */
    for (const a of this.axes) a.name3.visible = Math.abs(a.way.dot(way)) < (planar ? 0.95 : 0.985);
    const all = renderer.getSize(new THREE.Vector2());
    renderer.autoClear = false;
    renderer.clearDepth();
    renderer.setViewport(6, high, small, small);
    renderer.render(this.scene, this.camera);
    renderer.setViewport(0, 0, all.x, all.y);
    renderer.autoClear = true;
  }
}
