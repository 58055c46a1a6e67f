/* Which elements move as one body, and the colours that they are drawn in. What hangs together without a joint, a
   spring or the ground has one colour, unless the model says `colour`. */
import * as THREE from 'three';
import {Model, Part} from './declarations';

/* Muted, about equally light, so that none of them stands out, in light and in dark pages. */
const palette = ['#6f93bd', '#c99d6c', '#7fa98c', '#b98391', '#9189bb', '#a9a36c', '#6aa5ad', '#b9846b'];

/* A number for each element: the body that it belongs to. */
export function bodies(m: Model): number[] {
  const up = m.nodes.map((_, i) => i),
    top = (i: number): number => (up[i] === i ? i : (up[i] = top(up[i]))),
    unite = (nodes: number[]) => {
      const own = nodes.filter(i => m.nodes[i]?.lies && !m.nodes[i].still);
      for (const i of own) up[top(i)] = top(own[0]);
    },
    links = (e: Part) => !e.symbol && e.shape !== 'none' && e.shape !== 'point',
    names = new Map(m.nodes.map((n, i): [string, number] => [n.name, i]));
  for (const e of m.elements) if (links(e)) unite(e.nodes);
  for (const j of m.joints) if (j.symbol === 'weld') unite(j.nodes);
  for (const [i, n] of m.nodes.entries()) {
    const of = names.get(n.name.replace(/\.frame$/, '')); /* a frame that was tied to a node */
    if (of !== undefined && of !== i) unite([i, of]);
  }
  const known = new Map<number, number>();
  return m.elements.map(e => {
    const node = e.nodes.find(i => m.nodes[i] && !m.nodes[i].still) ?? e.nodes[0],
      key = node === undefined || !m.nodes[node] ? -1 : top(node);
    if (!known.has(key)) known.set(key, known.size);
    return known.get(key)!;
  });
}

/* Colours by element, in the order in which bodies are first drawn; only: everything in one. */
export function colours(m: Model, only?: THREE.Color): (element: number) => THREE.Color {
  const of = bodies(m),
    known = new Map<number, THREE.Color>();
  return element => {
    const own = m.elements[element]?.colour,
      body = of[element];
    if (only) return only;
    if (own) return new THREE.Color(own);
    if (!known.has(body)) known.set(body, new THREE.Color(palette[known.size % palette.length]));
    return known.get(body)!;
  };
}
