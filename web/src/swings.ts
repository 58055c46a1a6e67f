/* How far points go while a mode swings: half the long axis of the ellipse that its real and imaginary part span, as a
   part of the largest of all points of elements and meshes. */
import {current, header} from './data';
import {amplitudes, lies, model, point, pose, position, turn} from './pose';
import {placeOf, skinOf} from './skins';
import {plus} from './vector';

export interface Swing {
  elements: Map<number, Float64Array>; /* at the points where each is fastened to its nodes */
  meshes: Map<number, Float64Array>; /* of the element, at the nodes of its mesh */
}

/* Places of all points by now, three numbers each. */
function places(): Map<string, number[]> {
  const out = new Map<string, number[]>();
  for (const e of model.elements)
    if (e.nodes.length && e.nodes.every(lies))
      out.set(
        `e${e.row}`,
        e.nodes.flatMap((n, k) => point(n, e.arms[k], [])),
      );
  for (const m of model.meshes) {
    const s = skinOf(m.mesh),
      d = amplitudes(m, new Float64Array(m.modes)),
      x = [0, 0, 0],
      all: number[] = [];
    for (let i = 0; s && i < s.n; i++) {
      placeOf(s, i, d, x);
      const turned = [0, 3, 6].map(k => m.turn[k] * x[0] + m.turn[k + 1] * x[1] + m.turn[k + 2] * x[2]);
      all.push(...point(m.node, plus(m.at, turned), []));
    }
    out.set(`m${m.element}`, all);
  }
  return out;
}

function compute(mode: number): Swing {
  const small = 1e-4,
    kept = [position.slice(), turn.slice()],
    [rest, re, im] = [
      [0, 0],
      [small, 0],
      [0, small],
    ].map(([s, c]) => {
      pose(mode, s, c);
      return places();
    }),
    way = new Map<string, Float64Array>();
  let most = 0;
  for (const [key, x] of rest) {
    const [y, z] = [re.get(key)!, im.get(key)!],
      out = new Float64Array(x.length / 3);
    for (let i = 0; i < out.length; i++) {
      let aa = 0,
        bb = 0,
        ab = 0;
      for (let j = 3 * i; j < 3 * i + 3; j++) {
        const a = y[j] - x[j],
          b = z[j] - x[j];
        aa += a * a;
        bb += b * b;
        ab += a * b;
      }
      out[i] = Math.sqrt((aa + bb) / 2 + Math.hypot((aa - bb) / 2, ab));
      most = Math.max(most, out[i]);
    }
    way.set(key, out);
  }
  position.set(kept[0]);
  turn.set(kept[1]);
  const swing: Swing = {elements: new Map(), meshes: new Map()};
  for (const [key, x] of way) {
    for (let i = 0; i < x.length; i++) x[i] = most > 1e-9 * small ? x[i] / most : 0;
    swing[key[0] === 'e' ? 'elements' : 'meshes'].set(Number(key.slice(1)), x);
  }
  return swing;
}

const known = new Map<string, Swing>();
export function swingOf(mode: number): Swing {
  const k = Math.min(Math.max(Math.round(mode), 0), header.frames - 1),
    key = `${current()} ${k}`;
  let s = known.get(key);
  if (!s) known.set(key, (s = compute(k)));
  return s;
}
