/* The experiments, one at a time: the mechanism, the fit, residuals, efforts. */
import {$, clamp, el, nothing} from './dom';
import {Axis} from './axis';
import {historiesOf, plotHistory, showHistories, toldOf} from './forces';
import {showModes, showResponses, showRows} from './modal';
import {Motion, has, missing, offsetOf} from './motion';
import {brief, fin, fmt} from './numbers';
import {Plot, Series} from './plot';
import {unwatch} from './sight';
import {Channel, Effort, Experiment, channelsOf, column, effortsOf, experiments, list, nameOf, rmsOf} from './study';

export let motion: Motion | null = null; /* of the experiment shown */

export function showExperiments(): void {
  const s = $('experiments'),
    n = experiments.length;
  if (!n) {
    nothing(s, 'None.');
    s.append(el('span', {id: 'residuals'}), el('span', {id: 'efforts'}));
    return;
  }
  const room = el('div'),
    range = el('output', {class: 'range', id: 'range'});
  const reset = el('button', {type: 'button', id: 'reset', disabled: true}, 'Reset');
  const select = el(
    'select',
    {id: 'choice', 'aria-label': 'Experiment'},
    ...experiments.map((x, i) => el('option', {value: i}, nameOf(x, i) + (x.hold_out ? ' (held out)' : ''))),
  );
  const {box, mark, focus} = chips(i => choose(i));
  let now = -1;
  select.onchange = () => choose(+select.value);
  box.addEventListener('keydown', e => {
    const by = ({ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1} as Record<string, number>)[e.key];
    if (!by) return;
    e.preventDefault();
    choose((now + by + n) % n);
    focus(now);
  });

  function choose(i: number): void {
    if (i === now) return;
    now = i;
    select.value = String(i);
    mark(i);
    unwatch(room);
    room.replaceChildren();
    const axis = showExperiment(room, experiments[i], i);
    axis.told = () => {
      const [name, unit] = experiments[i].sort === 'frf' ? ['f', 'Hz'] : ['t', 's'];
      range.textContent =
        experiments[i].sort === 'modes'
          ? ''
          : `${name} from ${brief(axis.range[0], 4)} to ${brief(axis.range[1], 4)} ${unit}`;
      reset.disabled = !axis.zoomed;
    };
    reset.onclick = () => axis.reset();
    axis.told();
  }
  if (n > 1)
    s.append(
      el(
        'p',
        {class: 'soft small'},
        'Choose an experiment. Number and bar: weighted rms, 1 is what the noise explains. ' +
          'Orange: a channel beyond 1.5; dashed: held out.',
      ),
      box,
    );
  s.append(el('div', {class: 'tools bar'}, n > 1 ? select : '', range, reset), room);
  choose(0);
}

/* All experiments at a glance, each with its rms. */
function chips(choose: (i: number) => void): {
  box: HTMLElement;
  mark: (i: number) => void;
  focus: (i: number) => void;
} {
  const rms = experiments.map(x => rmsOf(...channelsOf(x))),
    worst = Math.max(2, ...rms.filter(fin));
  const all = experiments.map((x, i) => {
    const c = el(
      'button',
      {
        type: 'button',
        role: 'radio',
        class: `chip ${x.hold_out ? 'out' : ''} ${channelsOf(x).some(k => rmsOf(k) > 1.5) ? 'far' : ''}`,
        title: nameOf(x, i),
      },
      el('span', {}, nameOf(x, i)),
      el('span', {class: 'soft'}, fmt(rms[i], 3), x.hold_out ? el('span', {class: 'unseen'}, ' held out') : null),
      el('i', {style: `width: ${fin(rms[i]) ? clamp((100 * rms[i]) / worst, 2, 100) : 0}%`}),
    );
    c.onclick = () => choose(i);
    return c;
  });
  return {
    box: el('div', {class: 'chips', role: 'radiogroup', 'aria-label': 'Experiments and their weighted rms'}, ...all),
    mark: i =>
      all.forEach((c, k) => {
        c.setAttribute('aria-checked', String(k === i));
        c.tabIndex = k === i ? 0 : -1;
      }),
    focus: i => all[i].focus(),
  };
}

function showExperiment(room: HTMLElement, x: Experiment, index: number): Axis {
  const channels = channelsOf(x),
    efforts = effortsOf(x);
  const n = list(x.t).length || Math.max(0, ...channels.map(c => Math.max(list(c.data).length, list(c.fit).length)));
  const t = list(x.t).length ? column(x.t, n) : Float64Array.from({length: n}, (_, i) => i);
  let lo = Infinity,
    hi = -Infinity;
  const sought = historiesOf(index),
    late = offsetOf(index);
  for (const array of [
    t,
    ...efforts.map(e => list(e.t)),
    ...sought.map(h => column(h.t, list(h.t).length).map(v => v - late)),
  ])
    for (const v of array)
      if (fin(v)) {
        lo = Math.min(lo, v);
        hi = Math.max(hi, v);
      }
  const margin = x.sort === 'modes' ? 0.5 : 0; /* rows are few, and those at the ends count */
  const axis = new Axis(lo - margin, hi + margin),
    together = el('div', {class: has(index) ? 'together' : ''}),
    fits = el('div', {class: 'plots'});
  room.append(
    el(
      'h3',
      {},
      `Fit: ${nameOf(x, index)}`,
      x.hold_out ? el('span', {class: 'tag warning'}, 'held out, not used for the estimate') : null,
    ),
    together,
  );
  if (x.sort === 'modes' || x.sort === 'frf') {
    motion = null;
    together.remove();
    if (!channels.length) nothing(room, 'No channels.');
    if (x.sort === 'modes') showModes(room, x);
    else showResponses(room, channels, t, axis);
    showRows(room, channels, t, axis, x.sort === 'modes' ? 'row' : 'f (Hz)');
    room.append(el('span', {id: 'efforts'}));
    showHistories(index, axis, late);
    axis.show(axis.rest);
    return axis;
  }
  const why = missing(index),
    sampled = channels.map(c => ({name: c.name, data: column(c.data, n), fit: column(c.fit, n)}));
  if (fin(x.rows) && x.rows > n)
    together.before(
      el(
        'p',
        {class: 'soft small'},
        `${n.toLocaleString('en')} of ${x.rows.toLocaleString('en')} rows are drawn, ` +
          'among them the smallest, largest and worst of each part; study.h5 has all.',
      ),
    );
  if (why) together.before(el('p', {class: 'soft small'}, `No mechanism is shown: ${why}.`));
  motion = has(index)
    ? new Motion(
        together,
        index,
        axis,
        t,
        sampled,
        sought.map(h => toldOf(h, late)),
      )
    : null;
  together.append(fits);
  if (motion) for (const h of sought) plotHistory(fits, h, axis, late, true);
  if (!channels.length) nothing(room, 'No channels.');
  channels.forEach((c, k) => {
    const series: Series[] = [{name: 'data', kind: 'points', y: sampled[k].data, colour: 'data'}];
    if (list(c.start).length)
      series.push({name: 'start', kind: 'line', y: column(c.start, n), colour: 'start', thin: true, soft: true});
    series.push({name: 'fit', kind: 'line', y: sampled[k].fit, colour: 'fit'});
    new Plot(fits, {
      name: c.name,
      unit: c.unit,
      x: t,
      axis,
      series,
      note: fin(c.fit_percent) ? `fit ${c.fit_percent.toFixed(1)} %` : undefined,
      label: `${c.name} over time: data, fit, start; rms ${fmt(c.rms, 3)}`,
    });
  });
  showResiduals(room, channels, t, axis);
  showEfforts(room, efforts, t, axis);
  showHistories(index, axis, late);
  axis.show(axis.rest);
  return axis;
}

function showEfforts(room: HTMLElement, efforts: Effort[], t: Float64Array, axis: Axis): void {
  room.append(el('h3', {id: 'efforts'}, 'Efforts in joints and elements'));
  if (!efforts.length) nothing(room, 'None asked for.');
  else room.append(el('p', {class: 'soft small'}, 'Computed with the estimate; the band is ±2 standard errors.'));
  const plots = el('div', {class: 'plots'});
  room.append(plots);
  for (const e of efforts) {
    const m = list(e.t).length || t.length,
      y = column(e.y, m),
      half = column(e.band, m).map(v => 2 * Math.abs(v));
    new Plot(plots, {
      name: e.name,
      unit: e.unit,
      x: list(e.t).length ? column(e.t, m) : t,
      axis,
      series: [
        {name: '', kind: 'band', y, half},
        {name: 'value', kind: 'line', y, half, colour: 'fit'},
      ],
      label: `${e.name} over time with its band`,
    });
  }
}

function showResiduals(room: HTMLElement, channels: Channel[], t: Float64Array, axis: Axis): void {
  room.append(el('h3', {id: 'residuals'}, 'Residuals'));
  if (!channels.length) {
    nothing(room, 'None.');
    return;
  }
  room.append(
    el(
      'p',
      {class: 'soft small'},
      'Fit less data, in standard deviations of the noise; the band is ±2. ' +
        'Stems of the autocorrelation beyond their band (orange) are a pattern left behind.',
    ),
  );
  for (const c of channels) {
    const pair = el('div', {class: 'pair'}),
      w = c.whiteness ?? {},
      given = list(w.lags),
      from = given[0] === 1 ? 1 : 0;
    room.append(pair);
    new Plot(pair, {
      name: c.name,
      note:
        `rms ${fmt(c.rms, 3)} ${c.unit}, noise ${brief(c.sigma, 3)} ${c.unit} ${c.sigma_stated ? 'stated' : 'found'}` +
        (fin(c.noise_seen) ? `, ${brief(c.noise_seen, 3)} seen` : ''),
      height: 150,
      x: t,
      axis,
      shade: [-2, 2],
      series: [{name: 'residual', kind: 'points', y: column(c.residual, t.length), colour: 'data'}],
      label: `Residuals of ${c.name}; rms ${fmt(c.rms, 3)}`,
    });
    const lags = column(given.slice(from), given.length - from),
      x = Float64Array.from(lags, (_, i) => i + 1),
      limit = fin(w.limit) ? Math.abs(w.limit) : NaN;
    const white = typeof c.noise_like === 'boolean' ? c.noise_like : fin(w.p_value) && w.p_value >= 0.01;
    const verdict = fin(w.p_value)
      ? `${white ? 'white' : 'not white'}, p ${w.p_value < 0.001 ? '< 0.001' : '= ' + w.p_value.toFixed(3)}`
      : 'whiteness unknown';
    new Plot(pair, {
      name: 'Autocorrelation',
      note: verdict,
      height: 150,
      x,
      xName: 'lag',
      axis: new Axis(0, lags.length + 1),
      shade: fin(limit) ? [-limit, limit] : null,
      series: [{name: '', kind: 'stems', y: lags, colour: 'fit'}],
      label:
        `Autocorrelation of the residuals of ${c.name}: ${verdict}` +
        (fin(w.statistic) ? `, statistic ${fmt(w.statistic, 3)}` : ''),
    });
  }
}
