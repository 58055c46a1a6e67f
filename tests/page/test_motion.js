'use strict';
/* The mechanism of the report page: node test_motion.js SINEW EXAMPLES FOLDER. Studies are made and solved here; what
   the page shows is compared with their data. */
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const {execFileSync} = require('node:child_process');
const {chromium} = require('playwright-core');
const stage = require('./kit').stage({width: 1366, height: 768});

const [sinew, examples, folder] = process.argv.slice(2);
const at = name => path.join(folder, name),
  put = (name, text) => fs.writeFileSync(at(name), text);
const call = (...args) =>
  execFileSync(sinew, args, {cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe']});

/* ---- studies ---- */

put(
  'arm.yaml',
  `sinew: 1
gravity: [0, -9.81]
parameters: {c: 0.05 N*m*s/rad, a0: 0.9 rad}
nodes: {arm: {frame2d: [0.1, 0.2], angle: a0}}
elements: {rod: {mass2d: arm, mass: 1, inertia: 0.02, com: [0, -0.3]}, rub: {friction2d: [ground, arm], ct: c}}
joints: {pin: {fixed: arm, only: [x, y]}}
sensors: {turn: {rotation: arm}, tip: {position: arm, offset: [0, -0.5]},
  way: {displacement: arm, offset: [0.1, -0.4]}}
run: {end: 2 s, step: 1 ms, output: 1 ms}
`,
);
put(
  'ball.yaml',
  `sinew: 1
gravity: [0, 0, -g]
parameters: {g: 9.81 m/s^2}
nodes: {ball: {point3d: [0.6, 0, -0.2], velocity: [0, 1.5, 0]}}
elements: {bob: {mass3d: ball, mass: 1}}
joints: {rod: {distance: [ground, ball]}}
sensors: {at: {position: ball}}
run: {end: 1 s, step: 2 ms, output: 10 ms}
`,
);
/* Channels of a run with a small error that is always the same; every n-th row, times less `late`, no values in the
   gap. */
function measure(model, file, channels, {every = 1, late = 0, gap = [1, 0]} = {}) {
  call('run', at(model), '-q', '-o', at('run.h5'));
  const [head, ...rows] = call('export', at('run.h5'), '-o', '-')
      .trim()
      .split('\n')
      .map(l => l.split(',')),
    columns = channels.map(c => head.indexOf(c));
  assert.ok(
    columns.every(c => c > 0),
    head.join(),
  );
  let s = 1;
  const error = () => {
    s = (s * 48271) % 2147483647;
    return 4e-3 * (s / 2147483647 - 0.5);
  };
  const taken = rows.filter((_, i) => i % every === 0).filter(r => +r[0] - late >= 0);
  put(
    file,
    [
      ['t', ...channels],
      ...taken.map(r => [
        +(+r[0] - late).toFixed(9),
        ...columns.map(c => (+r[0] > gap[0] && +r[0] < gap[1] ? '' : +r[c] + error())),
      ]),
    ]
      .map(r => r.join(','))
      .join('\n') + '\n',
  );
}
measure('arm.yaml', 'long.csv', ['turn.theta', 'tip.x', 'tip.y']);
measure('arm.yaml', 'gap.csv', ['tip.x'], {every: 10, gap: [0.7, 1]});
measure('arm.yaml', 'late.csv', ['way.x', 'way.y'], {every: 10, late: 0.05});
measure('ball.yaml', 'ball.csv', ['at.x', 'at.z']);
put(
  'arm-study.yaml',
  `study: 1
title: An arm
model: arm.yaml
run: {step: 2 ms}
experiments: {long: long.csv, gap: {data: gap.csv, hold_out: yes}, late: {data: late.csv, offset: unknown}}
unknowns: {c: {start: 0.04, bounds: [1e-3, 1]}, a0: {start: 0.85, bounds: [0.1, 2]}}
`,
);
put('ball-study.yaml', 'study: 1\nmodel: ball.yaml\ndata: ball.csv\nunknowns: {g: {start: 9, bounds: [1, 20]}}\n');
for (const [name, file] of [
  ['two-bar', path.join(examples, 'two-bar', 'identify.yaml')],
  ['arm', at('arm-study.yaml')],
  ['ball', at('ball-study.yaml')],
])
  call('identify', file, '-q', '-o', at(name));

/* The study as the library wrote it into the page. */
const study = name =>
  JSON.parse(fs.readFileSync(at(`${name}/report.html`), 'utf8').match(/id="study">(.*?)<\/script>/s)[1]);
/* A CSV file by columns. */
function table(file) {
  const [head, ...rows] = fs
    .readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map(l => l.split(','));
  return Object.fromEntries(head.map((h, c) => [h, rows.map(r => (r[c] === '' ? null : Number(r[c])))]));
}

/* ---- the browser ---- */

async function open(name, options) {
  const page = await stage.page(name, options);
  await page.goto('file://' + at(`${name}/report.html`));
  await show(page);
  return page;
}
async function show(page) {
  await page
    .locator('#experiments h3')
    .first()
    .evaluate(e => e.scrollIntoView({behavior: 'instant'}));
  await page.waitForFunction(() => window.sinew && window.sinew.drawn > 0);
}
const marks = page => page.evaluate(() => window.sinew.marks.now);
const seek = (page, t) => page.evaluate(x => window.sinew.seek(x), t);
const time = page => page.evaluate(() => window.sinew.time);
const point = (page, node, offset) => page.evaluate(a => window.sinew.point(...a), [node, offset ?? [0, 0, 0]]);
const near = (a, b, tol, what = '') => assert.ok(Math.abs(a - b) <= tol, `${what} ${a} is not ${b}`);
const settle = page =>
  page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
const picture = async page => {
  await settle(page);
  return page.locator('.view canvas').screenshot();
};
/* Colour of a pixel of a picture. */
async function pixel(png, x, y) {
  const page = await stage.page('pixels');
  return page.evaluate(
    async ([data, px, py]) => {
      const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob()),
        canvas = new OffscreenCanvas(image.width, image.height),
        g = canvas.getContext('2d');
      g.drawImage(image, 0, 0);
      return [...g.getImageData(Math.round(px), Math.round(py), 1, 1).data];
    },
    [png.toString('base64'), x, y],
  );
}
const pink = c => c[0] > 180 && c[1] < 90 && c[2] > 80 && c[2] < 170;

const tests = {
  async 'play moves the mechanism and the cursor of the plots, pause stops both'() {
    const page = await open('two-bar'),
      before = await picture(page),
      shown = () => page.locator('#experiments figure .at').first().textContent();
    await page.click('.play');
    await page.waitForFunction(() => window.sinew.time > 0.2);
    await page.click('.play');
    const t = await time(page);
    assert.notDeepEqual(await picture(page), before);
    near(Number((await shown()).split('= ')[1]), t, 0.0051); /* the sample nearest to it, 10 ms apart */
    await page.waitForTimeout(150);
    assert.equal(await time(page), t);
    await page.locator('.view').focus();
    await page.keyboard.press('End');
    assert.equal(await time(page), 3);
    await page.keyboard.press('Home');
    assert.equal(await time(page), 0);
    await page.locator('[aria-label=frame]').fill('150');
    assert.equal(await time(page), 1.5);
    await page.keyboard.press('ArrowRight');
    near(await time(page), 1.51, 1e-12);
  },

  async 'the mechanism is at the time under the mouse, where the fit says'() {
    const page = await open('two-bar'),
      x = study('two-bar').experiments[0],
      get = name => x.channels.find(c => c.name === name);
    const plot = page.locator('#experiments .plots .canvas').first(),
      box = await plot.boundingBox();
    for (const part of [0.2, 0.5, 0.83]) {
      await page.mouse.move(box.x + part * box.width, box.y + box.height / 2);
      await settle(page);
      const t = await time(page),
        i = x.t.findIndex(v => Math.abs(v - t) < 1e-9);
      assert.ok(i > 0, `${t}`);
      const n5 = await point(page, 'n5');
      /* states are in single precision */
      near(n5[0], get('node5.x').fit[i], 1e-6);
      near(n5[1], get('node5.y').fit[i], 1e-6);
      near((await point(page, 'n2'))[0], get('node2.x').fit[i], 1e-6);
    }
    await page.mouse.move(5, 5); /* the cursor stays with the mechanism */
    await settle(page);
    assert.notEqual(await page.locator('#experiments figure .at').first().textContent(), '');
  },

  async 'measured places are those of the data: a ball for both coordinates, a line for one'() {
    const page = await open('two-bar'),
      data = table(
        path.join(
          examples,
          'two-bar',
          'data',
          fs
            .readdirSync(path.join(examples, 'two-bar', 'data'))
            .find(f => study('two-bar').experiments[0].data_file.endsWith(f)),
        ),
      );
    for (const i of [0, 62, 177, 300]) {
      await seek(page, data.t[i]);
      const now = Object.fromEntries((await marks(page)).map(m => [m.node, m])),
        n2 = await point(page, 'n2');
      assert.deepEqual(Object.keys(now).sort(), ['n2', 'n4', 'n5']);
      /* the page has twelve digits of the data */
      near(now.n5.measured[0], data['node5.x'][i], 1e-11);
      near(now.n5.measured[1], data['node5.y'][i], 1e-11);
      near(now.n2.measured[0], data['node2.x'][i], 1e-11);
      near(now.n4.measured[1], data['node4.y'][i], 1e-11);
      assert.equal(now.n2.measured[1], n2[1]); /* not measured: the model's */
      assert.deepEqual([now.n5.kind, now.n2.kind, now.n4.kind], ['point', 'lines', 'lines']);
    }
    await seek(page, data.t[62]);
    const [px, py] = await page.evaluate(() => window.sinew.pixel('n5')),
      on = await picture(page);
    assert.ok(pink(await pixel(on, px, py)), 'no ball at n5');
    await page.getByRole('button', {name: 'measured'}).click();
    assert.ok(!pink(await pixel(await picture(page), px, py)), 'the ball cannot be switched off');
  },

  async 'residuals are drawn from the fit and can be exaggerated, which the picture says'() {
    const page = await open('two-bar');
    await seek(page, 0.62);
    const before = await marks(page);
    for (const m of before) assert.deepEqual(m.shown, m.measured);
    await page.locator('[aria-label^=exaggeration]').fill('3');
    for (const [k, m] of (await marks(page)).entries())
      for (const j of [0, 1, 2]) {
        assert.equal(m.model[j], before[k].model[j]);
        near(m.shown[j], m.model[j] + 10 * (m.measured[j] - m.model[j]), 1e-12);
      }
    assert.match(await page.textContent('.clock'), /×10/);
  },

  async 'angles, points off the node, thinned frames'() {
    const page = await open('arm'),
      data = table(at('long.csv')),
      fit = Object.fromEntries(study('arm').experiments[0].channels.map(c => [c.name, c.fit]));
    /* 2001 samples: one frame in four */
    assert.equal(await page.evaluate(() => window.sinew.frames), 501);
    assert.match(await page.textContent('.stage > p'), /Thinned: one frame each 4 ms, 501 in all/);
    for (const i of [0, 400, 1203]) {
      await seek(page, data.t[i]);
      const all = await marks(page),
        angle = all.find(m => m.kind === 'angle'),
        tip = all.find(m => m.kind === 'point'),
        a = data['turn.theta'][i];
      /* the arm reaches from its node to its centre of mass, 0.3 down */
      near(angle.measured[0], 0.1 + 0.3 * Math.sin(a), 1e-7);
      near(angle.measured[1], 0.2 - 0.3 * Math.cos(a), 1e-7);
      near(tip.measured[0], data['tip.x'][i], 1e-11);
      near(tip.model[1], fit['tip.y'][i], 1e-11);
      /* between frames 4 ms apart an arc is cut by at most 15 m/s^2 (4 ms)^2/8 */
      const where = await point(page, 'arm', [0, -0.5, 0]);
      for (const j of [0, 1]) near(where[j], tip.model[j], 3.1e-5);
    }
  },

  async 'another experiment has its own mechanism, its gaps, its clock'() {
    const page = await open('arm'),
      gap = table(at('gap.csv')),
      late = table(at('late.csv')),
      all = study('arm');
    await page.selectOption('#choice', '1');
    await show(page);
    assert.match(await page.textContent('#experiments h3'), /gap.*held out/);
    await seek(page, 0.5);
    near((await marks(page))[0].measured[0], gap['tip.x'][50], 1e-11);
    assert.equal((await marks(page))[0].kind, 'lines');
    await seek(page, 0.85);
    assert.deepEqual(await marks(page), []);
    await page.selectOption('#choice', '2');
    await show(page);
    const offset = all.parameters.find(p => /offset/.test(p.name)).estimate;
    near(offset, 0.05, 0.005);
    for (const t of [0.3, 1.1]) {
      const i = late.t.findIndex(v => Math.abs(v - t) < 1e-9);
      await seek(page, t);
      near(await time(page), t, 1e-9);
      const m = (await marks(page))[0],
        where = await point(page, 'arm', [0.1, -0.4, 0]);
      /* a displacement from the reference place of the point: node and offset */
      near(m.measured[0], late['way.x'][i] + 0.1 + 0.1, 1e-11);
      near(m.measured[1], late['way.y'][i] + 0.2 - 0.4, 1e-11);
      /* frames fall between samples here, 10 ms apart */
      for (const j of [0, 1]) near(where[j], m.model[j], (15 * 0.01 ** 2) / 8 + 1e-6, "on the model's clock");
    }
    await page.selectOption('#choice', '0');
    await show(page);
    assert.equal((await marks(page)).length, 2);
    assert.equal(await page.locator('.view canvas').count(), 1);
  },

  async 'in space what is not measured leaves a line'() {
    const page = await open('ball'),
      data = table(at('ball.csv'));
    await seek(page, 0.4);
    const [m] = await marks(page),
      where = await point(page, 'ball');
    assert.equal(m.kind, 'lines');
    near(m.measured[0], data['at.x'][40], 1e-11);
    near(m.measured[2], data['at.z'][40], 1e-11);
    assert.equal(m.measured[1], where[1]);
    near(m.model[0], where[0], 1e-6);
  },

  async 'on a phone nothing is wider than the screen, and a touch on a plot moves the mechanism'() {
    const page = await open('arm', {
      viewport: {width: 390, height: 844},
      deviceScaleFactor: 2,
      isMobile: true,
      hasTouch: true,
    });
    assert.ok(
      await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth),
    );
    const plot = page.locator('#experiments .plots .canvas').first();
    await plot.scrollIntoViewIfNeeded();
    await plot.tap();
    assert.ok((await time(page)) > 0.5);
    const bare = await page.evaluate(
      () =>
        [...document.querySelectorAll('button, select, input')].filter(
          b => !(b.getAttribute('aria-label') || b.textContent.trim() || b.closest('label')),
        ).length,
    );
    assert.equal(bare, 0);
  },

  async 'without WebGL the page says so and shows the rest'() {
    const browser = await chromium.launch({
        executablePath: process.env.CHROMIUM,
        args: ['--no-sandbox', '--disable-3d-apis'],
      }),
      page = await browser.newPage({viewport: {width: 1366, height: 768}});
    page.on('pageerror', e => stage.troubles.push(e.stack));
    await page.goto('file://' + at('arm/report.html'));
    await page.locator('.view').scrollIntoViewIfNeeded();
    await page.waitForFunction(() => /cannot be drawn/.test(document.querySelector('.blank').textContent));
    await page.click('.play');
    await page.waitForFunction(() => window.sinew.time > 0);
    assert.ok((await page.locator('#experiments .canvas canvas').count()) > 0);
    await browser.close();
  },
};

async function pictures() {
  const phone = {viewport: {width: 390, height: 844}, deviceScaleFactor: 2, isMobile: true, hasTouch: true};
  for (const name of ['two-bar', 'arm', 'ball'])
    for (const [kind, options] of Object.entries({light: {}, dark: {colorScheme: 'dark'}, phone})) {
      const page = await open(name, options);
      await seek(page, 0.62);
      await page.waitForTimeout(500);
      await page.screenshot({path: at(`${name}-${kind}.png`)});
      await page.context().close();
    }
}

stage.all(tests, process.env.PICTURES ? pictures : null);
