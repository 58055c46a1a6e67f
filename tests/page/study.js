'use strict';
/* Studies for the tests of the report page, in the form that sinew identify writes: a realistic one of two linked bars
   (damped oscillations with noise), and odd ones. The numbers are made up but the same in every run. */

/* Uniform numbers after Lehmer (modulus 2^31 - 1, factor 48271), normal ones by Box and Muller. */
function noise(seed) {
  let s = seed;
  const uniform = () => {
    s = (s * 48271) % 2147483647;
    return s / 2147483647;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

function autocorrelation(r, lags) {
  const clean = r.filter(v => v !== null),
    power = clean.reduce((a, v) => a + v * v, 0);
  return Array.from({length: lags}, (_, k) => {
    let sum = 0;
    for (let i = 0; i + k + 1 < clean.length; i++) sum += clean[i] * clean[i + k + 1];
    return sum / power;
  });
}

const channels = [
  ['node3.x', 'm', 0.002, 0.6],
  ['node3.y', 'm', 0.002, 0.35],
  ['node5.x', 'm', 0.002, 0.9],
  ['bar2.angle', 'rad', 0.004, 0.5],
];

function experiment(k, n, normal) {
  const dt = 3 / (n - 1),
    t = Array.from({length: n}, (_, i) => +(i * dt).toFixed(6)),
    swing = 0.7 + 0.05 * k;
  const value = (time, c, w, d) =>
    channels[c][3] * swing * Math.exp(-d * time) * Math.cos(w * time * (1 + 0.37 * c) + 0.3 * k) +
    0.08 * Math.sin(11 * time + c);
  return {
    name: `drop_${String(k + 1).padStart(2, '0')}`,
    hold_out: k % 9 === 8,
    t,
    channels: channels.map(([name, unit, sigma], c) => {
      const drift = k === 4 && c === 1 ? 2 : 0; /* one channel that the model does not explain */
      const fit = t.map(v => value(v, c, 4.1, 0.42)),
        start = t.map(v => value(v, c, 3.6, 0.2));
      const data = fit.map((y, i) =>
        c === 2 && i > 0.4 * n && i < 0.46 * n ? null : y + sigma * (normal() + drift * Math.sin(2 * t[i])),
      );
      const residual = data.map((y, i) => (y === null ? null : (fit[i] - y) / sigma)),
        seen = residual.filter(v => v !== null);
      return {
        name,
        unit,
        data,
        fit,
        start,
        residual,
        sigma,
        rms: sigma * Math.sqrt(seen.reduce((a, v) => a + v * v, 0) / seen.length),
        whiteness: {
          statistic: drift ? 412 : 18.2 + c,
          p_value: drift ? 1e-9 : 0.44 - 0.1 * c,
          lags: autocorrelation(residual, 25),
          limit: 1.96 / Math.sqrt(seen.length),
        },
      };
    }),
    efforts: [
      ['spring1.fx', 'N', 40],
      ['spring1.fy', 'N', 90],
      ['hinge.mz', 'N*m', 2.5],
    ].map(([name, unit, size]) => ({
      name,
      unit,
      t: t.filter((_, i) => i % 4 === 0),
      y: t.filter((_, i) => i % 4 === 0).map(v => size * Math.exp(-0.4 * v) * Math.sin(7 * v + k)),
      band: t.filter((_, i) => i % 4 === 0).map(v => size * (0.015 + 0.03 * Math.abs(Math.cos(7 * v)))),
    })),
  };
}

const truth = [
  ['k1', 'N/m', 350, 701.234, 0.83, 10, 2000, 'log'],
  ['k2', 'N/m', 350, 698.7, 1.9, 10, 2000, 'log'],
  ['kt', 'N*m/rad', 0.2, 0.50312, 0.0041, 0.01, 10, 'log'],
  ['c1', 'N*s/m', 1, 2.14, 0.31, 0, 20, 'linear'],
  ['bar.E', 'Pa', 15e9, 21.0374e9, 0.0412e9, null, null, 'log'],
  ['bar1.m', 'kg', 0.15, 0.17552, 0.00021, 0.05, 0.5, 'log'],
  ['bar2.m', 'kg', 0.15, 0.17498, 0.00035, 0.05, 0.5, 'log'],
  ['bar.I', 'm^4', 4e-11, 5.212e-11, 0.034e-11, null, null, 'log'],
  ['mu', '', 0.1, 0, 0.012, 0, 1, 'linear'],
  ['tilt', 'rad', 0.5, 0.52364, 0.00008, null, null, 'linear'],
];

/* A profile that rises faster to the left than to the right, through `limit` at both ends of the interval. */
function profile(estimate, e, limit = 1.92) {
  const at = [-1.35, -1, -0.67, -0.33, 0, 0.33, 0.67, 1, 1.35];
  return {
    limit,
    value: at.map(a => estimate + 1.96 * e * a),
    cost: at.map(a => limit * a * a * (1 - 0.2 * a * (1 - a * a))),
  };
}

/* options: experiments, samples, converged, profiles */
function realistic(options = {}) {
  const {experiments = 26, samples = 3000, converged = true, profiles = false} = options,
    normal = noise(4711);
  const parameters = truth.map(([name, unit, start, estimate, e, lower, upper, scale]) => ({
    name,
    unit,
    start,
    estimate,
    std_error: e,
    interval: [estimate - 1.96 * e, estimate + 1.96 * e],
    lower,
    upper,
    scale,
    prior: name === 'tilt' ? [0.52, 0.01] : null,
    at_bound: name === 'mu' ? -1 : 0,
    experiment: null,
    shown: profiles && name === 'bar.E' ? {unit: 'GPa', factor: 1e9} : null,
    profile: profiles && name !== 'mu' ? profile(estimate, e, name === 'kt' ? 3.1 : 1.92) : undefined,
  }));
  for (let k = 0; k < experiments; k++)
    parameters.push({
      name: 'angle0',
      unit: 'rad',
      start: 0.5,
      estimate: 0.51 + 0.002 * k,
      std_error: 0.0007,
      interval: [0.5086 + 0.002 * k, 0.5114 + 0.002 * k],
      lower: -1,
      upper: 1,
      scale: 'linear',
      prior: null,
      at_bound: 0,
      experiment: `drop_${String(k + 1).padStart(2, '0')}`,
    });
  const n = parameters.length;
  const correlation = parameters.map((_, i) =>
    parameters.map((__, j) =>
      i === j
        ? 1
        : i + j === 1
          ? -0.62
          : i + j === 11 && i * j === 30
            ? 0.967
            : +((Math.sin(3 + i * j + i + j) * 0.4) / (1 + 0.1 * Math.abs(i - j))).toFixed(4),
    ),
  );
  const iterations = Array.from({length: 14}, (_, i) => ({
    iteration: i,
    cost: 4e6 * Math.exp(-1.05 * i) + 6.1,
    rms: Math.sqrt(4e6 * Math.exp(-1.05 * i) + 1),
    step: Math.exp(-i),
    damping: 10 ** (-2 - i / 3),
    horizon: i < 5 ? 0.5 : i < 9 ? 1.5 : 3,
    stage: i < 5 ? 1 : i < 9 ? 2 : 3,
    parameters: Object.fromEntries(
      truth.map(([name, , start, estimate]) => [name, estimate + (start - estimate) * Math.exp(-0.45 * i)]),
    ),
  }));
  return {
    title: 'Two bars',
    model: 'examples/two-bar/two-bar.yaml',
    method: 'indirect: least squares on runs, Levenberg-Marquardt with exact derivatives',
    converged,
    reason: converged ? 'the step is below its tolerance' : 'stopped after 14 iterations, the cost was still falling',
    rms: converged ? 1.013 : 3.62,
    simulations: 1482,
    seconds: 213.4,
    verdicts: [
      {level: 'good', text: 'The fit is as close as the noise allows: weighted rms 1.01 where 1 is expected.'},
      {level: 'good', text: 'Held-out experiments drop_09 and drop_18 are predicted with rms 1.00 and 1.02.'},
      {level: 'warning', text: 'mu ends at its lower bound 0: friction is not seen in these data.'},
      {level: 'warning', text: 'bar1.m and bar2.m are strongly correlated (0.97); only their sum is well known.'},
      {
        level: 'bad',
        text: 'Residuals of node3.y in drop_05 are not white (p < 0.001): something there is not in the model.',
      },
    ],
    parameters,
    correlation,
    identifiability: Array.from({length: n}, (_, i) => ({
      singular: 3200 * 10 ** (-6.5 * (i / (n - 1)) ** 2),
      words:
        i === n - 1
          ? 'bar1.m, bar2.m, bar.E can only be scaled together'
          : i === n - 2
            ? 'friction mu'
            : i < 2
              ? 'stiffness of the springs'
              : '',
      weights: {[truth[i % 10][0]]: 0.81, [truth[(i + 3) % 10][0]]: -0.52, [truth[(i + 5) % 10][0]]: 0.11},
    })),
    iterations,
    experiments: Array.from({length: experiments}, (_, k) => experiment(k, samples, normal)),
  };
}

const channel = {
  name: 'x',
  unit: null,
  data: [1, null, 3],
  fit: [null, null, null],
  start: null,
  residual: [],
  sigma: null,
  rms: null,
  whiteness: null,
};
/* What a study that went wrong may look like: the page must show what there is. */
const odd = {
  empty: {},
  null_study: null,
  empty_lists: {
    title: '',
    converged: true,
    reason: null,
    rms: null,
    verdicts: [],
    parameters: [],
    correlation: [],
    identifiability: [],
    iterations: [],
    experiments: [],
  },
  nulls: {
    converged: false,
    reason: null,
    rms: null,
    simulations: null,
    seconds: null,
    verdicts: [{level: 'odd', text: null}, null],
    parameters: [
      {
        name: 'a',
        unit: null,
        start: null,
        estimate: null,
        std_error: null,
        interval: null,
        lower: null,
        upper: null,
        scale: 'log',
        prior: null,
        at_bound: 0,
        experiment: null,
        profile: {limit: null, value: [2, null, 1, 3], cost: [0, 1, 2, null]},
      },
      {
        name: '<b>&</script>',
        unit: 'm',
        start: 0,
        estimate: -1,
        std_error: 0,
        interval: [null, null],
        lower: -1,
        upper: -1,
        scale: 'log',
        prior: [null, null],
        at_bound: -1,
        experiment: 'e',
      },
    ],
    correlation: [[1, null], [null]],
    identifiability: [{singular: 0, words: null, weights: null}, {singular: null}],
    iterations: [
      {iteration: 0, cost: null, parameters: {a: null}},
      {iteration: 1, cost: 0},
    ],
    experiments: [
      {name: null, t: [], channels: [], efforts: []},
      {
        name: 'gaps',
        t: [0, 1, 2],
        channels: [channel],
        efforts: [
          {name: 'f', unit: 'N', t: [], y: [], band: []},
          {name: 'g', t: [0, 2], y: [null, 1], band: [null, null]},
        ],
      },
      {
        name: 'no times',
        channels: [{...channel, whiteness: {statistic: null, p_value: null, lags: [], limit: null}}],
      },
      {name: 'one sample', t: [0.5], channels: [{...channel, data: [2], fit: [2]}]},
    ],
  },
  single: realistic({experiments: 1, samples: 400}),
  not_converged: realistic({experiments: 2, samples: 300, converged: false}),
};

module.exports = {realistic, odd};
