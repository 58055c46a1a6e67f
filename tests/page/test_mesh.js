'use strict';
/* Bodies drawn as meshes that deform, in the page of sinew view and in a report: node test_mesh.js SINEW TESTS FOLDER.
   The results are made by make_meshes.c; its formulas stand here a second time, and what the page draws is compared
   with them. Numbers of the page are in single precision. */
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const {execFileSync} = require('node:child_process');
const [sinew, programs, folder] = process.argv.slice(2),
  kit = require('./kit').make(sinew, folder),
  {at, open, picture} = kit,
  single = 6e-7; /* some roundings of numbers of about 1 in single precision */

const make = (name, what = name) => {
  execFileSync(path.join(programs, 'page_make_meshes'), [what, at(`${name}.h5`)]);
  kit.call('view', at(`${name}.h5`), '-q', '-o', at(`${name}.html`));
};
for (const name of ['run', 'static', 'modes', 'large']) make(name);
kit.call('view', at('run.h5'), at('run.h5'), '-q', '-o', at('twice.html'));

/* ---- the formulas ---- */

const ARM = 0,
  TWIN = 1,
  WIRE = 2;
const time = frame => frame / 20;
const amplitudes = t => {
  const d1 = 0.15 * Math.sin(2 * Math.PI * t),
    d2 = 0.4 * Math.sin(4 * Math.PI * t);
  return [[d1, d2], [-d1, 0], [0.2 * t]];
};
const bar = (x, [d1, d2]) => [-2 * x[0] * x[2] * d1, -x[0] * x[2] * d2, x[0] * x[0] * d1 + x[0] * x[1] * d2];
const wire = (x, [d]) => [(d * x[0]) / 0.3, 0, 0];
const add = (a, b, f = 1) => a.map((y, j) => y + f * b[j]);
const turnZ = (a, [x, y, z]) => [Math.cos(a) * x - Math.sin(a) * y, Math.sin(a) * x + Math.cos(a) * y, z];
/* Where a point of an element's mesh is, its deformation f times as large; t of modes is 0. */
const place = (element, x, t, f = 1, d = amplitudes(t)[element]) => {
  const own = add(x, (element === WIRE ? wire : bar)(x, d), f);
  if (element === ARM) return turnZ(0.8 * t, own);
  if (element === WIRE) return add(own, [0.2, -0.7, 0.1 * t]);
  return add(turnZ(0.8 * t, add(turnZ(Math.PI / 2, own), [0, 0, 0.1])), [0.1 * t, 0.8, 0.2 * t]);
};
/* The undeformed nodes. */
const nodes = element => {
  if (element === WIRE)
    return Array.from({length: 13}, (_, i) => [
      0.3 * Math.cos((Math.PI * i) / 12),
      0,
      0.3 * Math.sin((Math.PI * i) / 12),
    ]);
  const ring = [
    [-0.1, -0.05],
    [0, -0.05],
    [0.1, -0.05],
    [0.1, 0],
    [0.1, 0.05],
    [0, 0.05],
    [-0.1, 0.05],
    [-0.1, 0],
  ];
  return [...Array.from({length: 11}, (_, i) => ring.map(([y, z]) => [i / 10, y, z])).flat(), [0, 0, 0], [1, 0, 0]];
};

/* ---- numbers ---- */

const seek = (page, k) => page.evaluate(i => window.sinew.seek(i), k);
const meshOf = (page, element) => page.evaluate(e => window.sinew.mesh(e), element);
const near = (a, b, tol, what = '') => assert.ok(Math.abs(a - b) <= tol, `${what}: ${a} is not ${b}`);
const nearAll = (a, b, tol, what) => {
  assert.equal(a.length, b.length, what);
  a.forEach((x, j) => near(x, b[j], tol, `${what}[${j}]`));
};
const dot = (a, b) => a.reduce((s, x, j) => s + x * b[j], 0);
const far = (a, b) => Math.hypot(...a.map((x, j) => x - b[j]));
const bright = c => 255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055);
const setFactor = (page, f) => page.evaluate(x => window.sinew.looks().setFactor(x), f);
const setField = (page, f) => page.evaluate(x => window.sinew.looks().setField(x), f);
async function places(page, element, t, f, d) {
  const m = await meshOf(page, element),
    x = nodes(element);
  assert.equal(m.places.length, x.length);
  m.places.forEach((p, i) => nearAll(p, place(element, x[i], t, f, d), single * (f || 1), `${element}: node ${i}`));
}
/* The colour map of the legend at x from 0 to 1: red, green, blue from 0 to 255. */
async function strip(page) {
  const css = await page.locator('#legend .strip').evaluate(e => getComputedStyle(e).backgroundImage),
    stops = [...css.matchAll(/rgb\((\d+), (\d+), (\d+)\)/g)].map(m => m.slice(1).map(Number));
  return x => {
    const u = x * (stops.length - 1),
      k = Math.min(Math.floor(u), stops.length - 2);
    return stops[k].map((c, j) => c + (u - k) * (stops[k + 1][j] - c));
  };
}
const ends = page => page.locator('#legend .ends output').evaluateAll(all => all.map(e => Number(e.dataset.value)));

const tests = {
  async 'meshes move with their nodes and deform with their modes'() {
    const page = await open('run');
    for (const frame of [0, 3, 7, 20]) {
      await seek(page, frame);
      for (const e of [ARM, TWIN, WIRE]) await places(page, e, time(frame));
    }
    /* what is drawn as a mesh is not drawn as its shape */
    const model = await page.evaluate(() => ({
      shaped: [...window.sinew.model.shaped],
      objects: window.sinew.model.meshes.map(m => [m.element, m.mesh, m.modes]),
    }));
    assert.deepEqual(model.shaped, [ARM, TWIN, WIRE]);
    assert.deepEqual(model.objects, [
      [ARM, 0, 2],
      [TWIN, 0, 2],
      [WIRE, 1, 1],
    ]);
  },

  async 'surfaces are smooth where they go on, with folds at edges'() {
    const page = await open('run');
    await seek(page, 5); /* bent alone: the normals of the upper and lower side lie in the plane of bending */
    const m = await meshOf(page, ARM),
      t = time(5),
      [d1] = amplitudes(t)[ARM],
      at = nodes(ARM);
    const corner = m.normals.filter(v => v.node === 4 + 8 * 5).map(v => v.normal);
    assert.equal(corner.length, 2); /* an upper edge has the normals of two sides */
    near(dot(...corner), 0, 1e-6, 'sides at an edge');
    const up = m.normals.filter(v => v.node === 5 + 8 * 5).map(v => v.normal);
    assert.equal(up.length, 1); /* the middle of the upper side */
    /* the mean of both neighbours' normals of x^2 d1 at x = 0.5, also of the chords between the stations */
    const slope = 2 * d1 * at[5 + 8 * 5][0],
      n = turnZ(0.8 * t, [-slope / Math.hypot(1, slope), 0, 1 / Math.hypot(1, slope)]);
    near(Math.abs(dot(up[0], n)), 1, 2e-3, 'normal');
    for (const v of m.normals) near(Math.hypot(...v.normal), 1, 1e-6, 'length');
  },

  async 'deformation is exaggerated from the form without it, and tied nodes go along'() {
    const page = await open('run');
    await seek(page, 3);
    const t = time(3),
      tip = await page.evaluate(() => window.sinew.position(3));
    nearAll(tip, place(ARM, [1, 0, 0], t), single, 'tip');
    assert.equal(await page.locator('#factorOf').textContent(), 'deformation');
    await setFactor(page, 5);
    for (const e of [ARM, TWIN, WIRE]) await places(page, e, t, 5);
    nearAll(await page.evaluate(() => window.sinew.position(3)), place(ARM, [1, 0, 0], t, 5), 5 * single, 'tip');
    nearAll(await page.evaluate(() => window.sinew.position(4)), [0.1 * t, 0.8, 0.2 * t], single, 'twin');
    assert.match(await page.locator('#legend').textContent(), /deformation × 5/);
    await setFactor(page, 1);
    await places(page, ARM, t);
  },

  async 'of an equilibrium displacements are exaggerated, those of the frame too'() {
    const page = await open('static'),
      t = 0.2;
    for (const e of [ARM, TWIN, WIRE]) await places(page, e, t);
    await setFactor(page, 2);
    const m = await meshOf(page, ARM),
      [d1, d2] = amplitudes(t)[ARM],
      x = nodes(ARM);
    m.places.forEach((p, i) =>
      nearAll(p, turnZ(2 * 0.8 * t, add(x[i], bar(x[i], [d1, d2]), 2)), 3 * single, `node ${i}`),
    );
  },

  async 'modes deform meshes'() {
    const page = await open('modes');
    for (const k of [0, 1]) {
      await seek(page, k);
      const m = await meshOf(page, ARM),
        x = nodes(ARM),
        /* the page decides how large a mode is: its largest way is 12 % of the size of all, about 2 m */
        unit = k ? bar([1, -0.1, 0.05], [0, 1])[2] : 1,
        a = (m.places[8 * 10][2] - x[8 * 10][2]) / (k ? -0.1 : 1);
      assert.ok(Math.abs(a * unit) > 0.1, `amplitude ${a}`);
      m.places.forEach((p, i) => nearAll(p, add(x[i], bar(x[i], k ? [0, a] : [a, 0])), 2 * single, `node ${i}`));
      await places(page, TWIN, 0);
    }
  },

  async 'colours of the deformation are those of the legend'() {
    const page = await open('run');
    await setField(page, 'deformation');
    const map = await strip(page),
      [low, , high] = await ends(page);
    /* the largest of all frames, at a corner of the bar's end or of the wire's */
    let most = 0;
    for (let k = 0; k <= 20; k++)
      for (const e of [ARM, TWIN, WIRE])
        for (const x of nodes(e)) most = Math.max(most, far(place(e, x, time(k)), place(e, x, time(k), 0)));
    assert.equal(low, 0);
    near(high, most, single, 'largest');
    for (const [frame, f] of [
      [3, 1],
      [5, 5],
    ]) {
      const t = time(frame);
      await seek(page, frame);
      await setFactor(page, f);
      for (const e of [ARM, TWIN]) {
        const got = await page.evaluate(i => window.sinew.painted(i), e);
        nodes(e).forEach((x, i) => {
          const want = map(far(place(e, x, t), place(e, x, t, 0)) / most);
          got[i].forEach((c, j) => near(bright(c), want[j], 2, `frame ${frame}, element ${e}, node ${i}`));
        });
      }
    }
    assert.match(await page.locator('#legend').textContent(), /deformation \(m\)/);
    /* as they are again */
    await setField(page, '');
    const plain = await page.evaluate(() => window.sinew.painted(0));
    for (const c of plain) assert.deepEqual(c, plain[0]);
  },

  async 'edges of the mesh can be left out, and are seen else'() {
    const page = await open('run');
    await page.waitForTimeout(200);
    const before = await picture(page);
    await page.evaluate(() => window.sinew.looks().setMesh(false));
    await page.waitForTimeout(200);
    assert.notEqual(await picture(page), before);
    await page.evaluate(() => window.sinew.looks().setMesh(true));
    await page.waitForTimeout(200);
    assert.equal(await picture(page), before);
  },

  async 'a served page has the same meshes'() {
    const s = await kit.serve('run.h5'),
      page = await kit.page('served', {}, new RegExp(`^(${s.address}|data:|blob:)`));
    await page.goto(s.address);
    await kit.drawn(page);
    await seek(page, 7);
    for (const e of [ARM, TWIN, WIRE]) await places(page, e, time(7));
    assert.equal(await s.end(), 0);
  },

  async 'two results have their own deformation'() {
    const page = await open('twice');
    await seek(page, 7);
    await places(page, ARM, time(7));
    assert.equal((await page.evaluate(() => window.sinew.layers())).length, 2);
  },

  async 'rows that make no sense are not drawn, the others are'() {
    for (const [k, what] of ['0-1-7', '0-2-99', '0-3-1', '0-3-99', '0-0-9'].entries()) {
      make(`damaged${k}`, `damaged-${what}`);
      const page = await open(`damaged${k}`);
      await seek(page, 7);
      assert.equal(await meshOf(page, ARM), null, what);
      await places(page, TWIN, time(7));
    }
  },

  async 'a large mesh is moved in a few milliseconds'() {
    const page = await open('large'),
      sizes = await page.evaluate(() => window.sinew.header.meshSizes[0]);
    assert.deepEqual(sizes, [10042, 20, 20040, 20080]);
    await seek(page, 3);
    const ms = await page.evaluate(() => {
      const begin = performance.now();
      for (let k = 0; k < 40; k++) window.sinew.seek(k % 21);
      return (performance.now() - begin) / 40;
    });
    console.log(`      20080 triangles, 20 modes: ${ms.toFixed(2)} ms a frame without drawing`);
    assert.ok(ms < 50, `${ms} ms`); /* about 1 ms; a busy machine takes longer */
  },

  async "a report's mechanism has the same meshes"() {
    const view = fs.readFileSync(at('run.html'), 'utf8'),
      scripts = [...view.matchAll(/<script id="([^"]*)"[^>]*>[^<]*<\/script>/g)].map(s =>
        s[0].replace('id="', 'id="m0-'),
      ),
      study = require('./study').realistic({experiments: 1, samples: 60});
    fs.writeFileSync(at('motion.html'), scripts.join('\n'));
    fs.writeFileSync(at('study.json'), JSON.stringify(study));
    execFileSync(path.join(programs, 'page_make_page'), ['study.json', 'report.html', 'Bar', 'motion.html'], {
      cwd: folder,
    });
    const page = await kit.page('report');
    await page.goto('file://' + at('report.html'));
    await page
      .locator('#experiments h3')
      .first()
      .evaluate(e => e.scrollIntoView({behavior: 'instant'}));
    await page.waitForFunction(() => window.sinew && window.sinew.drawn > 0);
    const seen = async t => {
      await page.evaluate(x => window.sinew.seek(x), t);
      await page.waitForTimeout(300);
      const shot = (await page.locator('.view canvas').screenshot()).toString('base64');
      return page.evaluate(async s => {
        const i = new Image();
        i.src = `data:image/png;base64,${s}`;
        await i.decode();
        const c = new OffscreenCanvas(i.width, i.height),
          g = c.getContext('2d');
        g.drawImage(i, 0, 0);
        const {data} = g.getImageData(0, 0, i.width, i.height);
        let blue = 0; /* pixels of the bar's colour, in any light */
        for (let k = 0; k < data.length; k += 4) blue += data[k + 2] > 1.6 * data[k] && data[k + 2] > 80 ? 1 : 0;
        return {blue, all: data.length / 4};
      }, shot);
    };
    const {blue, all} = await seen(0.35);
    assert.ok(blue > 0.01 * all, `${blue} of ${all} pixels`);
    nearAll(await page.evaluate(() => window.sinew.point('tip')), place(ARM, [1, 0, 0], 0.35), 2 * single, 'tip');
  },
};

async function pictures() {
  const laptop = {viewport: {width: 1366, height: 768}};
  for (const [name, k, field, factor, kind] of [
    ['run', 3, '', 1, 'light'],
    ['run', 3, '', 1, 'dark'],
    ['run', 5, 'deformation', 3, 'light'],
    ['static', 0, 'deformation', 2, 'dark'],
    ['modes', 0, '', 1, 'light'],
    ['modes', 1, '', 1, 'dark'],
    ['large', 5, '', 1, 'light'],
    ['large', 5, 'deformation', 1, 'dark'],
    ['twice', 5, '', 1, 'light'],
  ]) {
    const page = await open(name, {...laptop, colorScheme: kind});
    await seek(page, k);
    await setField(page, field);
    if (factor > 1) await setFactor(page, factor);
    await page.waitForTimeout(300);
    await page.screenshot({path: at(`${name}-${field || 'plain'}-${kind}.png`)});
    await page.context().close();
  }
  const page = await kit.page('report', laptop);
  await page.goto('file://' + at('report.html'));
  await page
    .locator('#experiments h3')
    .first()
    .evaluate(e => e.scrollIntoView({behavior: 'instant'}));
  await page.waitForFunction(() => window.sinew && window.sinew.drawn > 0);
  await page.evaluate(() => window.sinew.seek(0.35));
  await page.waitForTimeout(300);
  await page.screenshot({path: at('report.png')});
}

kit.all(tests, async () => {
  kit.endServers();
  if (process.env.PICTURES) await pictures();
});
