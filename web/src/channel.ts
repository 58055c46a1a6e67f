/* What there is to be plotted: one channel for each unit of a sensor, or, where results are compared, for each
   component; and the lines that a channel's plot has. */
import {palette} from './chart';
import {comparing, curves, names} from './compare';
import {Sensor, axis, component, header, sensor, served, unit} from './data';
import {Reading} from './reading';
import {Range, constant, floorOf, rangeOf} from './ranges';

export interface Channel {
  sensor: Sensor;
  unit: string;
  parts: number[];
  title: string;
  key?: string; /* of compared results */
}

/* points: measured. part: the component of the sensor. t, y: all frames, empty where a server has them. */
export interface Line {
  name: string;
  colour: string;
  key: string;
  points: boolean;
  ids: string;
  part: number;
  t: ArrayLike<number>;
  y: ArrayLike<number>;
  range: Range | null;
  constant: boolean;
}

export const channels: Channel[] = comparing
  ? names().map(n => ({sensor: n.sensor, unit: n.unit, title: n.key, parts: [n.part], key: n.key}))
  : header.sensors.flatMap(s => {
      const units = [...new Set(Array.from({length: s.width}, (_, k) => unit(s, k)))];
      return units.map(u => ({
        sensor: s,
        unit: u,
        title: s.name,
        parts: Array.from({length: s.width}, (_, k) => k).filter(k => unit(s, k) === u),
      }));
    });

const column = (s: Sensor, k: number): Float64Array => {
  const all = sensor(s).data;
  return Float64Array.from({length: header.frames}, (_, i) => all[i * s.width + k]);
};
export function lines(c: Channel): Line[] {
  if (c.key !== undefined)
    return curves(c.key).map(o => {
      const range = rangeOf(o.sensor, o.part, o.ids);
      return {...o, key: `${o.ids}${c.key}`, t: o.x, range, constant: false /* it is compared with another one */};
    });
  return c.parts.map((part, i) => ({
    name: component(c.sensor, part),
    colour: palette[i % palette.length],
    key: `${c.sensor.name}.${component(c.sensor, part)}`,
    points: false,
    ids: '',
    part,
    t: served ? [] : axis,
    y: served ? [] : column(c.sensor, part),
    range: rangeOf(c.sensor, part),
    constant: constant(c.sensor, part),
  }));
}
/* Nothing of it ever changes. */
export const still = (c: Channel): boolean =>
  c.key === undefined
    ? c.parts.every(k => constant(c.sensor, k))
    : curves(c.key).every(o => !o.points && constant(o.sensor, o.part, o.ids));

/* Numbers of a line are written by where it goes. */
export const readingOf = (l: Line, unitOf: string): Reading =>
  new Reading(l.range?.low ?? 0, l.range?.high ?? 0, floorOf(unitOf));

/* Single quantities, by names as columns of CSV files have them: what others can be plotted over. */
export interface Quantity {
  key: string;
  unit: string;
  of: (ids: string) => ArrayLike<number> | null;
}
export const quantities = (): Quantity[] =>
  channels.flatMap(c => {
    if (still(c)) return [];
    if (c.key !== undefined)
      return [{key: c.key, unit: c.unit, of: ids => curves(c.key!).find(o => o.ids === ids)?.y ?? null}];
    return c.parts
      .filter(k => !constant(c.sensor, k))
      .map(k => ({key: `${c.sensor.name}.${component(c.sensor, k)}`, unit: c.unit, of: () => column(c.sensor, k)}));
  });
