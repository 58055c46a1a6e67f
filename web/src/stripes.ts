/* Results that lie over each other are told apart: the first is drawn full, each other one in stripes of its own over
   it, a little nearer to the eye. Where they agree one sees the stripes of all of them, and nothing flickers. */
import * as THREE from 'three';

const width = 5; /* pixels of the picture */

export function stripe(group: THREE.Group, i: number, n: number): void {
  if (!i) return;
  group.traverse(o => {
    const m = (o as THREE.Mesh).material as THREE.Material | undefined;
    if (!m) return;
    m.polygonOffset = true;
    m.polygonOffsetFactor = -1 - i;
    m.polygonOffsetUnits -= 400 * i;
    m.onBeforeCompile = shader => {
      shader.fragmentShader = shader.fragmentShader.replace(
        'void main() {',
        `void main() {
  if (int(mod((gl_FragCoord.x + gl_FragCoord.y) / ${width.toFixed(1)}, ${n.toFixed(1)})) != ${i}) discard;`,
      );
    };
    m.customProgramCacheKey = () => `stripe ${i} of ${n}`;
  });
}
