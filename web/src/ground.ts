/* What a mechanism stands before: a grid of a round pitch, in space with the soft shadow of what is above it. */
import * as THREE from 'three';
import {round} from './arrows';
import {planar} from './pose';

const cells = 20; /* from the middle to each side */

/* In space lines fade away from the middle. They are in short pieces: long ones that pass behind the camera are lost
   on some machines. */
function lines(pitch: number): THREE.LineSegments<THREE.BufferGeometry, THREE.LineBasicMaterial> {
  const place: number[] = [],
    colour: number[] = [],
    put = (x: number, y: number) => {
      const far = Math.hypot(x, y) / cells;
      place.push(x * pitch, y * pitch, 0);
      colour.push(1, 1, 1, planar ? 1 : Math.max(1 - far, 0) ** 1.5);
    };
  for (let i = -cells; i <= cells; i++)
    for (let k = -cells; k < cells; k++) {
      put(i, k);
      put(i, k + 1);
      put(k, i);
      put(k + 1, i);
    }
  const g = new THREE.BufferGeometry()
    .setAttribute('position', new THREE.Float32BufferAttribute(place, 3))
    .setAttribute('color', new THREE.Float32BufferAttribute(colour, 4));
  return new THREE.LineSegments(
    g,
    new THREE.LineBasicMaterial({transparent: true, vertexColors: true, depthWrite: false}),
  );
}

export class Ground {
  readonly group = new THREE.Group();
  readonly pitch: number;
  private grid: ReturnType<typeof lines>;
  private plane: THREE.Mesh<THREE.PlaneGeometry, THREE.ShadowMaterial> | null = null;
  private lamp: THREE.DirectionalLight | null = null; /* it gives the shadow, and no light */

  constructor(private size: number) {
    this.pitch = round(size / 3.2);
    this.grid = lines(this.pitch);
    this.grid.renderOrder = -1;
    this.group.add(this.grid);
    if (!planar) this.shade();
  }

  private shade(): void {
    const {size} = this,
      lamp = (this.lamp = new THREE.DirectionalLight('#ffffff', 0)),
      eye = lamp.shadow.camera;
    lamp.castShadow = true;
    lamp.shadow.mapSize.set(1024, 1024);
    lamp.shadow.radius = 5;
    eye.left = eye.bottom = -0.9 * size;
    eye.right = eye.top = 0.9 * size;
    eye.near = 0.01 * size;
    eye.far = 12 * size;
    this.plane = new THREE.Mesh(
      new THREE.PlaneGeometry(40 * size, 40 * size),
      new THREE.ShadowMaterial({transparent: true, depthWrite: false}),
    );
    this.plane.receiveShadow = true;
    this.plane.renderOrder = -2;
    this.group.add(this.plane, lamp, lamp.target);
  }

  /* Below the middle of what is drawn; the light falls from a little aside. */
  under(x: number, y: number, floor: number): void {
    const snap = (v: number) => Math.round(v / this.pitch) * this.pitch;
    this.grid.position.set(snap(x), snap(y), planar ? -0.1 * this.size : floor);
    if (!this.plane || !this.lamp) return;
    this.plane.position.set(x, y, floor - 1e-3 * this.size);
  }
  light(x: number, y: number, z: number): void {
    if (!this.lamp) return;
    this.lamp.target.position.set(x, y, z);
    this.lamp.position.set(x - 0.6 * this.size, y + 0.9 * this.size, z + 4 * this.size);
  }
  /* Where drawing is slow there is none while it plays. */
  shadow(on: boolean): void {
    if (this.plane) this.plane.visible = on;
  }
  theme(line: string, dark: boolean): void {
    this.grid.material.color.set(line);
    if (this.plane) this.plane.material.opacity = dark ? 0.45 : 0.2;
  }
}
