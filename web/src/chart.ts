/* A plot as all pages make it: one abscissa, its range given from outside, in the colours of the page. */
import uPlot from 'uplot';

export const palette = ['#3b7dd8', '#e0702a', '#2f9e68', '#b8459b', '#8a6fd1', '#a8902a', '#2b9fb5', '#cf5148'];

/* A colour of the page, as it is now. */
export const colour = (name: string, other = '#888'): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim() || other;

/* Room around a constant; also where it varies by rounding alone. */
export function flat(a: number | null, b: number | null): [number, number] | null {
  if (a === null || b === null || !Number.isFinite(a) || !Number.isFinite(b)) return [-1, 1];
  const size = Math.max(Math.abs(a), Math.abs(b));
  return b - a > 1e-9 * size ? null : size === 0 ? [-1, 1] : [a - 0.1 * size, b + 0.1 * size];
}

/* Marks of an axis: as many digits as they have. */
const marks = (_u: uPlot, splits: number[]): string[] =>
  splits.map(v => (v === null ? '' : String(Number(v.toPrecision(6)) || 0).replace('-', '−')));

/* Of a logarithmic axis: powers of ten. */
const decade = (v: number): boolean => Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-9;
const decades: uPlot.Axis = {
  grid: {filter: (_u, splits) => splits.map(v => (decade(v) ? v : null)), stroke: () => colour('rule'), width: 1},
  ticks: {show: false},
  filter: (_u, splits) => splits.map(v => (decade(v) ? v : null)),
  values: (_u, splits) =>
    splits.map(v =>
      v === null ? '' : v < 1e-3 || v > 1e4 ? `1e${Math.round(Math.log10(v))}`.replace('-', '−') : String(v),
    ),
};

export interface Chart {
  width: number;
  height: number;
  padding: uPlot.Padding;
  x: uPlot.Scale.Range;
  y?: uPlot.Scale.Range;
  log?: boolean;
  logX?: boolean;
  axes: [uPlot.Axis, uPlot.Axis];
  right?: uPlot.Axis; /* of the series with the scale 'right' */
  series: uPlot.Series[];
  hooks: uPlot.Hooks.Arrays;
  cursor: uPlot.Cursor;
}

export function makePlot(o: Chart, x: ArrayLike<number>, y: ArrayLike<number | null>[], host: HTMLElement): uPlot {
  const range: uPlot.Scale.Range = o.y ?? ((_u, a, b) => flat(a, b) ?? uPlot.rangeNum(a, b, 0.1, true)),
    look = {
      stroke: () => colour('faint'),
      grid: {stroke: () => colour('rule'), width: 1},
      ticks: {stroke: () => colour('rule'), width: 1},
      font: '11px system-ui, sans-serif',
    };
  const plain = o.log ? decades : {values: marks};
  return new uPlot(
    {
      width: o.width,
      height: o.height,
      legend: {show: false},
      padding: o.padding,
      scales: {
        x: {time: false, distr: o.logX ? 3 : 1, range: o.x},
        y: {distr: o.log ? 3 : 1, range},
        ...(o.right ? {right: {distr: o.log ? 3 : 1, range}} : {}),
      },
      axes: [
        {...look, ...(o.logX ? {} : {values: marks}), ...o.axes[0]},
        {...look, ...plain, ...o.axes[1]},
        ...(o.right ? [{...look, ...plain, grid: {show: false}, scale: 'right', side: 1 as const, ...o.right}] : []),
      ],
      pxAlign: 0 /* rounded to pixels, slow curves have stairs */,
      series: [{}, ...o.series.map(s => ({pxAlign: 0, ...s}))],
      cursor: o.cursor,
      hooks: o.hooks,
    },
    [x, ...y] as unknown as uPlot.AlignedData,
    host,
  );
}

/* A line across the plot at the time that is shown. */
export function addMark(plot: uPlot): HTMLElement {
  const now = document.createElement('div');
  now.className = 'now';
  plot.over.append(now);
  return now;
}
export function moveMark(plot: uPlot, now: HTMLElement, x: number | null): void {
  const left = x === null ? -1 : plot.valToPos(x, 'x');
  now.style.transform = `translateX(${left}px)`;
  now.hidden = !(left >= 0 && left <= plot.bbox.width / devicePixelRatio);
}
