'use strict';
/* Pages beside the report in a browser: node test_pages.js MAKE_PAGE FOLDER. */
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const {execFileSync} = require('node:child_process');
const stage = require('./kit').stage({width: 1280, height: 860}, ['--no-sandbox', '--disable-gpu']);
const {realistic} = require('./study.js');

const [make, folder] = process.argv.slice(2);
const t = Array.from({length: 200}, (_, i) => i / 100),
  data = t.map(v => Math.cos(5 * v)),
  contender = (study, rank, bic, more) => ({
    study,
    title: '<b>no mark-up</b>',
    folder: study.replace('.yaml', '-fit'),
    rank,
    converged: true,
    unknowns: 3 - rank,
    log_likelihood: -bic / 2,
    aic: bic - 3,
    aicc: bic - 2,
    bic,
    weight_bic: rank === 1 ? 1 : 1e-40,
    relative_rms: rank,
    hold_out_rms: null,
    verdicts: {good: 1, warning: 1, bad: rank - 1},
    ...more,
  });
const comparison = {
  page: 'comparison',
  best: 'full.yaml',
  stopped: false,
  measured: 200,
  effective: 120,
  studies: [contender('less.yaml', 2, 500), contender('full.yaml', 1, 110)],
  ratios: [{smaller: 'less.yaml', larger: 'full.yaml', freed: ['c'], degrees: 1, chi_square: 395, p_value: 1e-87}],
  reports: ['less-fit/report.html', 'full-fit/report.html'],
  experiments: [
    {
      name: 'drop',
      sort: 'time_series',
      hold_out: false,
      t,
      channels: [{name: 'at.x', unit: 'm', data, fits: [data.map(v => v + 0.5), data.map(v => v + 0.01)]}],
    },
  ],
};
const cut = {
  ...comparison,
  stopped: true,
  studies: [...comparison.studies, {study: 'never.yaml', title: '', folder: null, rank: null, converged: false}],
  reports: [...comparison.reports, null],
};
const design = {
  page: 'design',
  title: 'A design',
  criterion: 'D',
  function: null,
  goals: 2,
  reached: false,
  stopped: false,
  duration: 0.24,
  rate: 50,
  longest: 5,
  highest_rate: 100,
  efficiency_at_least: 0.97,
  simulations: 53,
  excitation: {x0: {unit: 'm', value: 1.2, lower: 1.05, upper: 1.2}},
  sensors: [
    {
      name: 'fast.x',
      chosen: true,
      channels: [{name: 'fast.x', unit: 'm/s', noise: 0.005}],
      adds: 1,
      std_errors_with_it: {k: 0.8, c: 0.3},
    },
    {
      name: 'at.x',
      chosen: false,
      channels: [{name: 'at.x', unit: 'm', noise: 0.001}],
      adds: 0.25,
      std_errors_with_it: {k: 0.6, c: 0.2},
    },
  ],
  sizes: [
    {n: 1, sensors: ['fast.x'], efficiency_at_least: 0.97, duration_for_goals: null, std_errors: {k: 0.8, c: 0.3}},
  ],
  rates: [
    {rate: 50, duration_for_goals: 0.24},
    {rate: 100, duration_for_goals: 0.21},
  ],
  parameters: {
    k: {unit: 'N/m', value: 80, std_error: 0.4, std_error_all_candidates: 0.1, goal: 0.8, reached: true},
    c: {unit: 'N*s/m', value: 1.5, std_error: 0.3, std_error_all_candidates: null, goal: 0.1, reached: false},
  },
  verdicts: [{level: 'bad', about: 'goals', channel: null, text: 'the goal of c is not reached'}],
};
const candidate = (name, more) => ({
  name,
  place: `damping of ${name}`,
  entry: 's',
  slot: 'c',
  doc: 'viscous <damping>',
  unit: 'N*s/m',
  value: 1.5,
  std_error: 0.01,
  chi_square: 835,
  explains: 0.997,
  now: 0,
  p_value: 1e-120,
  named: false,
  refit: null,
  ...more,
});
const lacking = {
  ...realistic({experiments: 1, samples: 200}),
  candidates: [
    candidate('s.c', {named: true, refit: {value: 1.49, std_error: 0.006, explains: 1, bic: -391}}),
    ...Array.from({length: 40}, (_, i) => candidate(`other${i}`, {explains: null, p_value: 0.4})),
  ],
};
const files = {};
for (const [name, study] of Object.entries({
  comparison,
  cut,
  design,
  lacking,
  plain: realistic({experiments: 1, samples: 50}),
})) {
  const json = path.join(folder, `${name}.json`);
  files[name] = path.join(folder, `${name}.html`);
  fs.writeFileSync(json, JSON.stringify(study));
  execFileSync(make, [json, files[name], `Page <of> ${name}`]);
}
async function open(name, options) {
  const page = await stage.page(name, options);
  await page.goto('file://' + files[name]);
  return page;
}
const rows = (page, section) =>
  page.$$eval(`#${section} tbody tr`, all => all.map(r => [...r.children].map(c => c.textContent)));
const sections = page => page.$$eval('main > section', all => all.map(s => s.id));
const links = page => page.$$eval('nav a', all => all.map(a => a.getAttribute('href').slice(1)));

const tests = {
  async 'a comparison has the best first, with links to the reports'() {
    const page = await open('comparison');
    assert.deepEqual(await sections(page), ['criteria', 'ratios', 'fits']);
    assert.deepEqual(await links(page), ['criteria', 'ratios', 'fits']);
    const all = await rows(page, 'criteria');
    assert.deepEqual(
      all.map(r => r[0]),
      ['full.yaml', 'less.yaml'],
    );
    assert.equal(all[1][6], '+390.0');
    assert.equal(all[0][8], '0 bad, 1 warning');
    assert.deepEqual(await page.$$eval('#criteria a', a => a.map(e => e.getAttribute('href'))), [
      'full-fit/report.html',
      'less-fit/report.html',
    ]);
    assert.match(await page.textContent('#banner'), /full.yaml is what the data support/);
    assert.match((await rows(page, 'ratios'))[0].join('|'), /395.*the data want full.yaml/);
  },

  async 'its plots have the fits of all studies over the data, in the colours of their rank'() {
    const page = await open('comparison'),
      figures = page.locator('#fits figure');
    assert.equal(await figures.count(), 2);
    const plot = figures.nth(1).locator('.canvas');
    await plot.scrollIntoViewIfNeeded();
    const box = await plot.boundingBox();
    await page.mouse.move(box.x + 0.5 * box.width, box.y + 0.5 * box.height);
    await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
    /* fit less data: what was added above */
    const shown = async name => +(await figures.nth(1).locator(`output[data-series="${name}"]`).textContent());
    assert.ok(Math.abs((await shown('full.yaml')) - 0.01) < 1e-5);
    assert.ok(Math.abs((await shown('less.yaml')) - 0.5) < 1e-5);
  },

  async 'a comparison that was stopped says so, and ranks what is finished'() {
    const page = await open('cut');
    assert.match(await page.textContent('#banner'), /2 of 3 studies were finished/);
    const all = await rows(page, 'criteria');
    assert.equal(all.length, 3);
    assert.equal(all[2][0], 'never.yaml');
    assert.ok(all[2].includes('stopped'));
    assert.equal(new Set(all.map(r => r.length)).size, 1);
  },

  async 'a design shows goals, what each sensor adds, excitation and duration'() {
    const page = await open('design');
    assert.deepEqual(await sections(page), ['verdicts', 'errors', 'sensors', 'plan']);
    assert.match(await page.textContent('#banner'), /Not all goals are reached/);
    assert.deepEqual(
      (await rows(page, 'errors')).map(r => r.slice(0, 5)),
      [
        ['k', '80 N/m', '0.500 %', '1.00 %', '0.125 %'],
        ['c', '1.5 N*s/m', '20.0 %', '6.67 %', 'not seen'],
      ],
    );
    /* 0.3 against a goal of 0.1: three times as far as the line */
    const bar = page.locator('#errors tbody tr').nth(1).locator('rect');
    const wide = +(await bar.nth(0).getAttribute('width')),
      line = +(await bar.nth(1).getAttribute('x')) + 1;
    assert.ok(Math.abs(wide / line - 3) < 1e-6);
    const sensors = await rows(page, 'sensors');
    assert.deepEqual([sensors[0][1], sensors[1][1], sensors[1][5]], ['yes', 'no', '25.0 %']);
    assert.match(await page.textContent('#plan'), /1.2 m \(of 1.05 … 1.2\)/);
  },

  async 'what the model may lack is a table of the report, and nothing where nothing was tried'() {
    const page = await open('lacking'),
      all = await rows(page, 'candidates');
    assert.equal(all.length, 30);
    assert.deepEqual(all[0].slice(0, 2), ['s.c ←', 'damping of s.c: viscous <damping>']);
    assert.equal(all[0][3], '1.49 ± 0.006 N*s/m');
    assert.equal(all[0][8], '−391.0');
    assert.match(await page.textContent('#candidates'), /11 more are in study.json/);
    assert.ok((await links(page)).includes('candidates'));
    assert.equal(await (await open('plain')).locator('#candidates').count(), 0);
  },

  async 'nothing is wider than the window, light or dark'() {
    for (const name of ['comparison', 'cut', 'design', 'lacking'])
      for (const width of [390, 1280])
        for (const colorScheme of ['light', 'dark']) {
          const page = await open(name, {viewport: {width, height: 800}, colorScheme});
          assert.ok(
            await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth),
            `${name} at ${width}`,
          );
          await page.close();
        }
  },
};

async function pictures() {
  for (const name of ['comparison', 'design', 'lacking'])
    for (const colorScheme of ['light', 'dark']) {
      const page = await open(name, {colorScheme});
      await page.screenshot({path: path.join(folder, `${name}-${colorScheme}.png`), fullPage: true});
    }
}

stage.all(tests, process.env.PICTURES ? pictures : null);
