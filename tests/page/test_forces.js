'use strict';
/* Forces of the report page: node test_forces.js SINEW MAKE_PAGE FOLDER. One study is solved here, others are made up;
   what the page shows is compared with their numbers. */
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const {execFileSync} = require('node:child_process');
const stage = require('./kit').stage({width: 1280, height: 860});
const {realistic} = require('./study.js');

const [sinew, make, folder] = process.argv.slice(2);
const at = name => path.join(folder, name),
  put = (name, text) => fs.writeFileSync(at(name), text);
const call = (...args) =>
  execFileSync(sinew, args, {cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe']});

/* ---- a study that is solved: a mass on a spring, pushed aside, beside a known load ten times as large ---- */

const model = push => `sinew: 1
nodes: {body: {point2d: [1, 0]}}
elements:
  mass:   {mass2d: body, mass: 2}
  spring: {spring2d: [ground, body], k: 300}
  push:   {force2d: body, force: [push*1 N, 0]}
  weight: {force2d: body, force: [0, -100]}
joints: {rail: {fixed: body, only: [y]}}
signals: {push: ${push}}
sensors: {a: {acceleration: body}, x: {displacement: body}}
run: {end: 2 s, step: 5 ms, output: 5 ms}
`;
put('mass.yaml', model('{constant: 0}'));
for (const [name, push] of [
  ['a', '{sine: 10, frequency: 1.5}'],
  ['b', '{expression: 6*sin(2*pi*2*t)}'],
]) {
  put(`${name}.yaml`, model(push));
  call('run', at(`${name}.yaml`), '-q', '-o', at(`${name}.h5`));
  const [head, ...rows] = call('export', at(`${name}.h5`), '-o', '-')
      .trim()
      .split('\n')
      .map(l => l.split(',')),
    column = n => head.indexOf(n);
  let s = 7;
  const noise = size => {
    s = (s * 48271) % 2147483647;
    return size * (s / 2147483647 - 0.5);
  };
  put(
    `${name}.csv`,
    ['t,a.x,x.x', ...rows.map(r => [r[0], +r[column('a.x')] + noise(0.6), +r[column('x.x')] + noise(1e-3)])].join(
      '\n',
    ) + '\n',
  );
}
const truth = {a: t => 10 * Math.sin(2 * Math.PI * 1.5 * t), b: t => 6 * Math.sin(2 * Math.PI * 2 * t)};
put(
  'truth.csv',
  [
    't,push[a],push[b]',
    ...Array.from({length: 401}, (_, i) => [0.005 * i, truth.a(0.005 * i), truth.b(0.005 * i)]),
  ].join('\n') + '\n',
);
put(
  'study.yaml',
  `study: 1
title: A push
model: mass.yaml
experiments: {a: a.csv, b: b.csv}
unknowns: {push: {history: {form: cubic, values: 43, unit: N}, truth: truth.csv}}
`,
);
const summary = call('identify', at('study.yaml'), '--lenient', '-o', at('solved'));
const solved = JSON.parse(fs.readFileSync(at('solved/study.json'), 'utf8'));

/* ---- studies that are made up ---- */

const weights = Array.from({length: 41}, (_, i) => 10 ** (-8 + 0.3 * i));
const curve = {
  chosen: 17,
  weight: weights,
  misfit: weights.map(w => 900 + 4e5 / (1 + (1e-2 / w) ** 1.5)),
  roughness: weights.map(w => 1e5 / (1 + w / 1e-6) + 40 / (1 + w / 10)),
  score: weights.map(w => 5 * Math.log10(w / weights[17]) ** 2 - 700),
};
const smoothing = chosen_by => ({kind: 'tikhonov', order: 2, chosen_by, weight: weights[17], curve});
function history(n, size, more = {}) {
  const t = Array.from({length: n}, (_, i) => (3 * i) / (n - 1)),
    value = t.map(v => size * (Math.sin(9 * v) + 0.4 * Math.cos(23 * v))),
    top = value.reduce((b, v, i) => (Math.abs(v) > Math.abs(value[b]) ? i : b), 0),
    f = Array.from({length: n >> 1}, (_, k) => k / 3);
  return {
    unit: 'N',
    form: 'cubic',
    t,
    value,
    std_error: t.map(v => size * (0.03 + 0.02 * v)),
    values: 60,
    determined: 41.7,
    rms: Math.sqrt(value.reduce((a, v) => a + v * v, 0) / n),
    peak: {t: t[top], value: value[top], std_error: 0.05 * size},
    lines: {frequency: [9 / 2 / Math.PI, 23 / 2 / Math.PI], amplitude: [size, 0.4 * size]},
    line_share: 0.98,
    spectrum: {
      frequency: f,
      amplitude: f.map(v => size * Math.exp(-((v - 1.43) ** 2) * 9) + 0.4 * size * Math.exp(-((v - 3.66) ** 2) * 9)),
    },
    smoothing: smoothing('gcv'),
    ...more,
  };
}
const nodes = ['n2', 'n3', 'n1', 'n4', 'n5', 'n6', 'n7', 'n8', 'n9', 'n10', 'n11', 'n12', 'n13'];
const places = nodes.map((node, i) => ({
  node,
  evidence: -1234.5 - 3.1 * i,
  probability: Math.exp(-3.1 * i) * (1 - Math.exp(-3.1)),
  rms: 1 + 0.02 * i,
}));
const zeros = history(200, 0, {
  std_error: new Array(200).fill(5),
  determined: 0,
  lines: {frequency: [], amplitude: []},
  line_share: 0,
  smoothing: {kind: 'total_variation', order: 1, chosen_by: 'the study', weight: 3},
});
const made = {
  ...realistic({experiments: 2, samples: 400}),
  places,
  histories: {
    'push[drop_01]': history(301, 120, {
      experiment: 'drop_01',
      smoothing: smoothing('l_curve'),
      windows: {n: 2, bounds: [0, 1.2, 3], t: [0, 1, 3], value: [7, 9, 13]},
    }),
    'a_gust_with_a_long_name.fy[drop_01]': history(5000, 4e-4, {
      experiment: 'drop_01',
      filtered: history(5000, 3e-4).value,
      truth: history(5000, 4.1e-4).value,
    }),
    'twist[drop_01]': history(301, 2e6, {
      experiment: 'drop_01',
      unit: 'N*m',
      form: 'series',
      smoothing: undefined,
      std_error: new Array(301).fill(null),
      peak: {t: 1, value: 2e6, std_error: null},
      offset: 5.25,
      offset_std_error: 0.5,
      terms_because: 'a further term would not pay',
      terms: [
        {
          frequency: 1.4324,
          frequency_std_error: 0.0012,
          sine: 120.2,
          sine_std_error: 1.1,
          cosine: -3,
          cosine_std_error: 0.9,
        },
      ],
    }),
    'push[drop_02]': {...zeros, experiment: 'drop_02'},
    'twist[drop_02]': history(301, 5, {experiment: 'drop_02', line_share: 0.2, smoothing: smoothing('likelihood')}),
  },
};
const bare = {
  converged: true,
  histories: {
    empty: {},
    nothing: null,
    short: {t: [0], value: [null], std_error: [], smoothing: {curve: {}}},
    '<b>&': {t: [0, 1, 2], value: [1, null, 3], smoothing: {chosen_by: 'gcv', curve: {weight: [1], score: [2]}}},
  },
  places: [null, {}, {node: 'n1', probability: null, evidence: null}],
};
for (const [name, data] of Object.entries({made, bare})) {
  put(`${name}.json`, JSON.stringify(data));
  execFileSync(make, [at(`${name}.json`), at(`${name}.html`), 'Forces']);
}

/* ---- the browser ---- */

const open = async (name, options) => {
  const page = await stage.page(name, options);
  await page.goto('file://' + at(name));
  return page;
};
const number = s => {
  const [m, e] = s.replace('−', '-').split(/\s*×\s*10/);
  return +m * 10 ** (e ? +e.replace(/[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]/g, c => (c === '⁻' ? '-' : '⁰¹²³⁴⁵⁶⁷⁸⁹'.indexOf(c))) : 0);
};
/* A number as the page writes it, to so many digits. */
const near = (shown, exact, digits = 5, what = '') =>
  assert.ok(
    Math.abs(number(shown) - exact) <= 0.5001 * 10 ** (1 - digits) * Math.abs(exact) + 1e-12,
    `${what} ${shown} is not ${exact}`,
  );
const settle = page =>
  page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
const box = (page, name) => page.locator(`#forces .force[data-history="${name}"]`);
const noOverflow = page =>
  page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
/* How many pixels of a plot have that colour of the page, at least partly. Plots are drawn once they are in sight. */
const pixels = async (page, plot, name) => {
  await plot.scrollIntoViewIfNeeded();
  await plot.locator('canvas').waitFor();
  await settle(page);
  return plot.evaluate((host, key) => {
    const c = host.querySelector('canvas'),
      g = c.getContext('2d'),
      d = g.getImageData(0, 0, c.width, c.height).data,
      probe = document.createElement('canvas').getContext('2d');
    probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(`--${key}`);
    probe.fillRect(0, 0, 1, 1);
    const want = probe.getImageData(0, 0, 1, 1).data;
    let n = 0;
    for (let i = 0; i < d.length; i += 4)
      if ([0, 1, 2, 3].every(k => Math.abs(d[i + k] - want[k]) <= (k === 3 ? 3 : 12))) n++;
    return n;
  }, name);
};

const tests = {
  async 'the section stands before the parameters, with a link, and says first what matters'() {
    const page = await open('made.html');
    assert.deepEqual((await page.locator('main h2').allTextContents()).slice(0, 3), [
      'Verdicts',
      'Forces',
      'Parameters',
    ]);
    assert.deepEqual((await page.locator('nav a').allTextContents()).slice(0, 3), [
      'Verdicts',
      'Forces',
      'Parameters',
    ]);
    const told = await box(page, 'push[drop_01]').locator('.fact').allTextContents(),
      h = made.histories['push[drop_01]'];
    assert.match(told[0], /^Peak −?\d+\.\d ± 6\.0 N at [\d.]+ s, rms [\d.]+ N\.$/);
    near(told[0].split(' ')[1], h.peak.value, 4);
    assert.match(told[1], /^Main frequencies 1\.43 Hz \(120 N\), 3\.66 Hz \(48 N\)\.$/);
    const error = Math.sqrt(h.std_error.reduce((a, v) => a + v * v, 0) / h.t.length);
    assert.match(told[2], /^Well seen|^Seen/);
    near(told[2].match(/error is (\S+) N/)[1], error, 2);
    near(told[2].match(/, (\S+) % of its rms/)[1], (100 * error) / h.rms, 2);
    assert.match(told[2], /determine 42 of its 60 values/);
    assert.match(await page.textContent('#figures'), /peak of push.*± 6\.0 N/);
  },

  async 'a plot has value and band of study.json at every time, truth and filter beside them'() {
    const page = await open('made.html');
    for (const name of ['push[drop_01]', 'a_gust_with_a_long_name.fy[drop_01]']) {
      const h = made.histories[name],
        figure = box(page, name).locator('figure').first(),
        plot = figure.locator('.canvas');
      await plot.scrollIntoViewIfNeeded();
      await settle(page);
      assert.match(await figure.locator('figcaption').textContent(), /over time.*N.*95 %/);
      assert.ok((await pixels(page, plot, 'band')) > 300, 'no band');
      assert.ok((await pixels(page, plot, 'fit')) > 300, 'no curve');
      const r = await plot.boundingBox();
      for (const part of [0.2, 0.55, 0.9]) {
        await page.mouse.move(r.x + part * r.width, r.y + 100);
        await settle(page);
        const t = number((await figure.locator('.at').textContent()).split('= ')[1]),
          i = h.t.reduce((b, v, k) => (Math.abs(v - t) < Math.abs(h.t[b] - t) ? k : b), 0),
          [y, half] = (await figure.locator('output[data-series^=value]').textContent()).split(' ± ');
        near(y, h.value[i]);
        near(half, 1.96 * h.std_error[i], 2);
        if (h.windows)
          /* of straight pieces between times of its own */
          near(await figure.locator('output[data-series^=window]').textContent(), 7 + 2 * h.t[i]);
        for (const more of ['truth', 'filtered']) {
          const out = figure.locator(`output[data-series=${more}]`);
          assert.equal(await out.count(), h[more] ? 1 : 0);
          if (h[more]) near(await out.textContent(), h[more][i]);
        }
      }
    }
  },

  async 'zooming a force zooms the fits of its experiment; a double click resets'() {
    const page = await open('made.html'),
      plot = box(page, 'push[drop_01]').locator('.canvas').first();
    await plot.scrollIntoViewIfNeeded();
    const r = await plot.boundingBox(),
      x = part => r.x + 56 + part * (r.width - 64);
    await page.mouse.move(x(0.5), r.y + 80);
    await page.mouse.down();
    await page.mouse.move(x(0.75), r.y + 80, {steps: 4});
    await page.mouse.up();
    assert.match(await page.textContent('#range'), /from 1\.5\d* to 2\.2\d*/);
    await page.mouse.dblclick(x(0.5), r.y + 80);
    assert.match(await page.textContent('#range'), /from 0 to 3 s/);
  },

  async 'the spectrum names its peaks, what chose the smoothness shows its choice'() {
    const page = await open('made.html'),
      figures = name => box(page, name).locator('.plots figure');
    assert.match(
      await figures('push[drop_01]').nth(0).locator('.canvas').getAttribute('aria-label'),
      /peaks at 1\.43 Hz, 3\.66 Hz/,
    );
    const spectrum = figures('push[drop_01]').nth(0),
      s = made.histories['push[drop_01]'].spectrum;
    await spectrum.locator('.canvas').scrollIntoViewIfNeeded();
    await spectrum.locator('.canvas').focus();
    await page.keyboard.press('Home');
    for (let k = 0; k < 4; k++) await page.keyboard.press('ArrowRight');
    await settle(page);
    near((await spectrum.locator('.at').textContent()).split('= ')[1], s.frequency[4], 6);
    near(await spectrum.locator('output[data-series=amplitude]').textContent(), s.amplitude[4]);
    assert.ok((await pixels(page, spectrum.locator('.canvas'), 'start')) > 10, 'no ring');

    const corner = figures('push[drop_01]').nth(1);
    assert.match(await corner.textContent(), /L-curve.*roughness/);
    await corner.locator('.canvas').scrollIntoViewIfNeeded();
    await corner.locator('.canvas').focus();
    await page.keyboard.press('Home');
    await settle(page);
    near((await corner.locator('.at').textContent()).split('= ')[1], curve.misfit[0], 3);
    near(await corner.locator('output[data-series]').last().textContent(), curve.roughness[0]);
    assert.match(await box(page, 'push[drop_01]').textContent(), /corner of the L/);
    const gcv = figures('a_gust_with_a_long_name.fy[drop_01]').nth(1);
    assert.match(await gcv.locator('.canvas').getAttribute('aria-label'), /cross-validation.*weight 1\.26\s×\s10⁻³/);
    assert.equal(await figures('twist[drop_01]').count(), 1); /* no smoothing */
  },

  async 'a series is a table with standard errors; its unknown band is none'() {
    const page = await open('made.html'),
      cells = await box(page, 'twist[drop_01]').locator('tbody tr').last().locator('th, td').allTextContents();
    assert.deepEqual(cells, ['1.4324 ± 0.0012', '120.2 ± 1.1', '−3.00 ± 0.90', '120.2']);
    assert.match(
      await box(page, 'twist[drop_01]').locator('tbody tr').first().textContent(),
      /^constant–5\.25 ± 0\.50–$/,
    );
    assert.match(await box(page, 'twist[drop_01]').textContent(), /would not pay/);
    assert.match(await box(page, 'twist[drop_01]').textContent(), /Its standard error is not known/);
    const plot = box(page, 'twist[drop_01]').locator('.canvas').first();
    await plot.scrollIntoViewIfNeeded();
    await settle(page);
    assert.equal(await pixels(page, plot, 'band'), 0);
  },

  async 'another experiment has its forces, from either list; zero forces and transients are told'() {
    const page = await open('made.html');
    assert.equal(await page.locator('#forces .force').count(), 3);
    await page.selectOption('[aria-label="Forces of which experiment"]', '1');
    assert.equal(await page.inputValue('#choice'), '1');
    assert.match(await page.textContent('#experiments h3'), /drop_02/);
    assert.equal(await page.locator('#forces .force').count(), 2);
    assert.match(await box(page, 'push[drop_02]').textContent(), /Nothing was found.*Not seen.*given by the study/);
    assert.match(await box(page, 'twist[drop_02]').textContent(), /No main frequency/);
    await page.selectOption('#choice', '0');
    assert.equal(await page.locator('#forces .force').count(), 3);
    assert.equal(await page.inputValue('[aria-label="Forces of which experiment"]'), '0');
  },

  async 'places: bars as long as they are likely, all of them in a table'() {
    const page = await open('made.html'),
      bars = page.locator('.places li');
    assert.equal(await bars.count(), 12);
    assert.match(await bars.first().textContent(), /^n20\.95$/);
    const share = await bars.first().evaluate(e => {
      const t = e.querySelector('.track');
      return t.firstChild.getBoundingClientRect().width / t.getBoundingClientRect().width;
    });
    assert.ok(Math.abs(share - places[0].probability) < 0.01, `${share}`);
    await page.locator('#forces summary', {hasText: 'places'}).click();
    const rows = page.locator('#forces details tbody tr');
    await rows.first().waitFor();
    assert.equal(await rows.count(), places.length);
    near((await rows.nth(2).locator('td').allTextContents())[1], places[2].evidence, 6);
  },

  async 'what is missing does no harm, and names are no mark-up'() {
    for (const width of [1280, 420]) {
      const page = await open('bare.html', {viewport: {width, height: 800}});
      assert.equal(await page.locator('#forces .force').count(), 3);
      assert.match(await page.textContent('#forces'), /<b>&/);
      for (const c of await page.locator('#forces .canvas').all()) {
        await c.scrollIntoViewIfNeeded();
        await c.focus();
        for (const key of ['End', 'ArrowLeft', '+', '0']) await page.keyboard.press(key);
      }
      assert.ok(await noOverflow(page));
    }
  },

  async 'narrow and dark pages show the same, without scrolling sideways'() {
    const page = await open('made.html', {viewport: {width: 420, height: 800}, colorScheme: 'dark'});
    await page.locator('#forces summary').first().click();
    assert.ok(await noOverflow(page));
    const plot = box(page, 'push[drop_01]').locator('.canvas').first();
    await plot.scrollIntoViewIfNeeded();
    await settle(page);
    const dark = await pixels(page, plot, 'fit');
    assert.ok(dark > 100 && (await pixels(page, plot, 'band')) > 50, `${dark}`);
  },

  async 'the mechanism carries the sought force as an arrow with the estimate, and the plots its time'() {
    const page = await open('solved/report.html'),
      show = async () => {
        await page
          .locator('#experiments h3')
          .first()
          .evaluate(e => e.scrollIntoView({behavior: 'instant'}));
        await page.waitForFunction(() => window.sinew && window.sinew.drawn > 0);
      };
    await show();
    for (const [k, name] of ['a', 'b'].entries()) {
      await page.selectOption('#choice', String(k));
      await show();
      const h = solved.histories[`push[${name}]`],
        most = h.value.reduce((a, v) => Math.max(a, Math.abs(v)), 0);
      for (const i of [40, 90, 333]) {
        await page.evaluate(t => window.sinew.seek(t), h.t[i]);
        const all = await page.evaluate(() => window.sinew.arrows);
        assert.equal(all.length, 1, 'one arrow: not the weight'); /* of element 2 */
        assert.equal(all[0].row, 2);
        /* the run has the history between its frames, 5 ms apart, in single precision */
        assert.ok(Math.abs(all[0].vector[0] - h.value[i]) < 1e-5 * most, `${all[0].vector} is not ${h.value[i]}`);
        assert.equal(all[0].vector[1], 0);
        const where = await page.evaluate(() => window.sinew.point('body'));
        assert.deepEqual(all[0].point, where);
        const cursor = page.locator('#forces .force figure').first().locator('.at');
        near((await cursor.textContent()).split('= ')[1], h.t[i], 6);
        assert.match(await page.textContent('.clock'), /push = .* N/);
        near((await page.textContent('.clock')).match(/push = (\S+) N/)[1], h.value[i], 4);
      }
      await page.selectOption('[aria-label=arrows]', 'all');
      assert.deepEqual((await page.evaluate(() => window.sinew.arrows)).map(a => a.row).sort(), [2, 3]);
      await page.selectOption('[aria-label=arrows]', '');
      assert.deepEqual(await page.evaluate(() => window.sinew.arrows), []);
    }
    /* the arrow is on the picture */
    await page.selectOption('[aria-label=arrows]', '');
    await settle(page);
    const without = await page.locator('.view canvas').screenshot();
    await page.selectOption('[aria-label=arrows]', 'sought');
    await settle(page);
    assert.notDeepEqual(await page.locator('.view canvas').screenshot(), without);
  },

  async 'the terminal tells the same, and the files have the numbers'() {
    for (const name of ['a', 'b']) {
      const h = solved.histories[`push[${name}]`],
        part = summary.slice(summary.indexOf(`push[${name}]: peak`));
      const [, value, error, t] = part.match(/peak (\S+) \+- (\S+) N at (\S+) s, rms \S+ N\n {2}main frequenc/);
      near(value, h.peak.value, 2);
      near(error, h.peak.std_error, 2);
      near(t, h.peak.t, 4);
      h.t.forEach((v, i) => assert.ok(Math.abs(h.truth[i] - truth[name](v)) < 1e-9));
      const off = Math.hypot(...h.value.map((v, i) => v - h.truth[i])) / Math.hypot(...h.truth);
      assert.ok(off < 0.05 && Math.abs(off - h.truth_error) < 1e-9, `${off}`);
      assert.match(
        part,
        /compared with the truth: off by \S+ % of its rms; the 95 % band holds it \d+ % of the time/,
      );
      assert.match(
        part,
        name === 'a' ? /main frequency 1\.[45]\d Hz|main frequencies 1\.[45]\d Hz/ : /2\.0\d|1\.9\d Hz/,
      );
    }
    const [head, ...rows] = fs
      .readFileSync(at('solved/histories.csv'), 'utf8')
      .trim()
      .split('\n')
      .map(l => l.split(','));
    assert.deepEqual(head, ['t', 'push[a]', 'push[a].std_error', 'push[b]', 'push[b].std_error']);
    const b = solved.histories['push[b]'];
    assert.equal(rows.length, b.t.length);
    for (const i of [0, 77, 400]) assert.deepEqual(rows[i].slice(3).map(Number), [b.value[i], b.std_error[i]]);
  },
};

async function pictures() {
  for (const name of ['made.html', 'solved/report.html'])
    for (const [kind, options] of Object.entries({
      light: {},
      dark: {colorScheme: 'dark'},
      narrow: {viewport: {width: 420, height: 900}},
    })) {
      const page = await open(name, options),
        height = await page.evaluate(() => document.documentElement.scrollHeight);
      for (let y = 0; y < height; y += 700) {
        await page.evaluate(v => scrollTo({top: v, behavior: 'instant'}), y);
        await settle(page);
      }
      await page.evaluate(() => window.sinew?.seek(0.8));
      await settle(page);
      const base = name.split(/[./]/)[0];
      await page.locator('#forces').screenshot({path: at(`${base}-${kind}.png`)});
      await page.locator('#experiments').screenshot({path: at(`${base}-${kind}-fit.png`)});
      await page.close();
    }
}

stage.all(tests, process.env.PICTURES ? pictures : null);
