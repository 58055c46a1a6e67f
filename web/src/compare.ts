/* Sensors of the same name in several results, and measured data. */
import uPlot from 'uplot';
import {Sensor, component, prefixes, result, sensor, unit} from './data';
import {nameOf, tints} from './layers';

export const comparing = prefixes.length > 1;

/* One sensor's component in one result; points: measured. */
export interface Curve {
  ids: string;
  name: string;
  colour: string;
  points: boolean;
  sensor: Sensor;
  part: number;
  x: Float64Array;
  y: Float64Array;
}
export interface Named {
  key: string;
  unit: string;
  sensor: Sensor;
  part: number;
}

/* The name of a number, as columns of CSV files have it. */
const keyOf = (s: Sensor, k: number): string =>
  s.components?.[k] ? `${s.name}.${s.components[k]}` : s.width > 1 ? `${s.name}.${component(s, k)}` : s.name;
const all = (ids: string): Named[] =>
  result(ids).header.sensors.flatMap(s =>
    Array.from({length: s.width}, (_, part) => ({key: keyOf(s, part), unit: unit(s, part), sensor: s, part})),
  );

/* Every name once, those that have been measured first. */
export function names(): Named[] {
  const seen = new Map<string, Named>();
  for (const p of prefixes) for (const n of all(p)) if (!seen.has(n.key)) seen.set(n.key, n);
  const measured = new Set(
    prefixes.filter(p => result(p).header.analysis === 'data').flatMap(p => all(p).map(n => n.key)),
  );
  return [...seen.values()].sort((a, b) => Number(measured.has(b.key)) - Number(measured.has(a.key)));
}

export function curves(key: string): Curve[] {
  return prefixes.flatMap((ids, i) => {
    const r = result(ids),
      n = r.header.analysis === 'modes' ? undefined : all(ids).find(o => o.key === key);
    if (!n) return [];
    const raw = sensor(n.sensor, ids).data,
      y = Float64Array.from({length: r.header.frames}, (_, f) => raw[f * n.sensor.width + n.part]);
    return [
      {
        ids,
        name: nameOf(ids),
        colour: tints[i % tints.length],
        points: r.header.analysis === 'data',
        sensor: n.sensor,
        part: n.part,
        x: r.axis,
        y,
      },
    ];
  });
}

/* On one axis, for the plot: each curve has its own abscissa. */
export const joined = (list: [ArrayLike<number>, ArrayLike<number>][]): uPlot.AlignedData =>
  uPlot.join(list.map(([x, y]) => [Array.from(x), Array.from(y)] as uPlot.AlignedData));

/* From the first to the last time of anything. */
export function span(): [number, number] {
  let a = Infinity,
    b = -Infinity;
  for (const p of prefixes) {
    const x = result(p).axis;
    if (x.length && result(p).header.analysis !== 'modes') {
      a = Math.min(a, x[0]);
      b = Math.max(b, x[x.length - 1]);
    }
  }
  return [a, b];
}
