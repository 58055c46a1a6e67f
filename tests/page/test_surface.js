'use strict';
/* Surfaces, and nodes, symbols and fields that no kind of ours has, in the page of sinew view and in a report: node
   test_surface.js SINEW TESTS FOLDER. The result is made by make_surfaces.c; its formulas stand here a second time,
   and what the page draws is compared with them. Numbers of the page are in single precision. */
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const {execFileSync} = require('node:child_process');
const [sinew, programs, folder] = process.argv.slice(2),
  kit = require('./kit').make(sinew, folder),
  {at, open, picture} = kit,
  single = 2e-7; /* relative: twice the rounding of a number in single precision */

for (const name of ['run', 'static', 'modes']) {
  execFileSync(path.join(programs, 'page_make_surfaces'), [name, at(`${name}.h5`)]);
  kit.call('view', at(`${name}.h5`), '-q', '-o', at(`${name}.html`));
}
kit.call('view', at('run.h5'), at('run.h5'), '-q', '-o', at('twice.html'));

/* ---- the formulas ---- */

const NX = 6,
  NY = 4,
  QUADS = NX * NY,
  FLAPS = 2,
  thickness = 0.03;
const move = (x, t) => {
  const c = Math.cos(0.8 * t),
    s = Math.sin(0.8 * t),
    w = x[2] + 0.08 * Math.sin(2 * Math.PI * t) * x[0] * x[0];
  return [c * x[0] - s * x[1] + 0.1 * t, s * x[0] + c * x[1], w + 0.2 * t];
};
/* The normal of the bent plate at a place of it. */
const normal = (x, t) => {
  const slope = 0.16 * Math.sin(2 * Math.PI * t) * x[0],
    l = Math.hypot(1, slope);
  return [(-slope * Math.cos(0.8 * t)) / l, (-slope * Math.sin(0.8 * t)) / l, 1 / l];
};
const time = frame => frame / 20;
const value = {
  'moment.xx': (x, t) => t * (x[0] + 1),
  'moment.yy': (x, t) => -t * x[1],
  'moment.xy': (x, t, e) => (t * (e + 1)) / QUADS,
  moment: (x, t, e) => Math.hypot(t * (x[0] + 1), t * x[1], (t * (e + 1)) / QUADS),
  temperature: (x, t) => 300 + 50 * x[0] + 20 * t * x[1],
  strain: (x, t, e) => t * (e + 1),
};

/* ---- numbers ---- */

const seek = (page, k) => page.evaluate(i => window.sinew.seek(i), k);
const near = (a, b, tol, what = '') => assert.ok(Math.abs(a - b) <= tol, `${what}: ${a} is not ${b}`);
const nearAll = (a, b, tol, what) => a.forEach((x, j) => near(x, b[j], tol, `${what}[${j}]`));
const far = (a, b) => Math.hypot(...a.map((x, j) => x - b[j]));
const minus = (a, b) => a.map((x, j) => x - b[j]);
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const dot = (a, b) => a.reduce((s, x, j) => s + x * b[j], 0);
const bright = c => 255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055);
/* Colour of the legend's strip at x from 0 to 1: red, green, blue from 0 to 255. */
async function strip(page) {
  const css = await page.locator('#legend .strip').evaluate(e => getComputedStyle(e).backgroundImage),
    stops = [...css.matchAll(/rgb\((\d+), (\d+), (\d+)\)/g)].map(m => m.slice(1).map(Number));
  return x => {
    const u = x * (stops.length - 1),
      k = Math.min(Math.floor(u), stops.length - 2);
    return stops[k].map((c, j) => c + (u - k) * (stops[k + 1][j] - c));
  };
}
/* What the page has of the model, and where all nodes are. */
const model = page =>
  page.evaluate(() => ({
    nodes: window.sinew.model.nodes,
    elements: window.sinew.model.elements,
    faces: window.sinew.model.elements.map((_, i) => window.sinew.sides(i)),
    at: window.sinew.model.nodes.map((_, i) => window.sinew.position(i)),
  }));
/* The pixel of a picture at a place of the view. */
const pixelOf = (page, shot, at) =>
  page.evaluate(
    async ([s, [x, y]]) => {
      const i = new Image();
      i.src = `data:image/png;base64,${s}`;
      await i.decode();
      const c = new OffscreenCanvas(i.width, i.height),
        g = c.getContext('2d');
      g.drawImage(i, 0, 0);
      return Array.from(g.getImageData(Math.round(x), Math.round(y), 1, 1).data.slice(0, 3));
    },
    [shot, at],
  );

const tests = {
  async 'nodes are where their declared columns say, surfaces on both sides of them'() {
    const page = await open('run');
    for (const frame of [0, 7, 20]) {
      await seek(page, frame);
      const m = await model(page),
        t = time(frame);
      for (const [i, n] of m.nodes.entries())
        if (!n.still && n.lies) nearAll(m.at[i], move(n.at, t), 2 * single, `${n.name} frame ${frame}`);
      assert.deepEqual(
        m.nodes.filter(n => !n.lies).map(n => n.name),
        ['heat'],
      );
      for (const [e, part] of m.elements.entries()) {
        const f = m.faces[e];
        if (e >= QUADS + FLAPS) continue;
        part.nodes.forEach((i, k) => {
          const what = `${part.name} ${e} corner ${k} frame ${frame}`,
            mid = f.upper[k].map((x, j) => (x + f.lower[k][j]) / 2);
          nearAll(mid, m.at[i], 2 * single, what);
          near(far(f.upper[k], f.lower[k]), e < QUADS ? thickness : 0, 4 * single, what);
        });
      }
    }
  },

  async 'a surface is smooth where it goes on, and folded where it turns'() {
    const page = await open('run');
    await seek(page, 5);
    const m = await model(page);
    for (let e = 0; e < QUADS; e++)
      m.elements[e].nodes.forEach((i, k) => {
        const [x] = m.nodes[i].at;
        /* of the mean of two facets of a parabola the slope is exact; at the border there is one facet alone */
        if (x > 0 && x < 1.2 - 1e-9)
          nearAll(m.faces[e].normal[k], normal(m.nodes[i].at, 0.25), 4 * single, `normal at ${m.nodes[i].name}`);
      });
    /* the flap meets the plate at its nodes, and has a normal of its own there */
    const flap = m.elements.findIndex(e => e.name === 'flap'),
      shared = m.elements[flap].nodes[0],
      e = m.elements.findIndex(o => o.name === 'plate' && o.nodes.includes(shared)),
      k = m.elements[e].nodes.indexOf(shared);
    assert.ok(Math.abs(dot(m.faces[flap].normal[0], m.faces[e].normal[k])) < Math.cos((40 / 180) * Math.PI));
  },

  async 'all triangles look to where their normals point, those of the rim too'() {
    const page = await open('run');
    await seek(page, 5);
    const g = await page.evaluate(() => {
      const {attributes, index} = window.sinew.looks().scene.layers[0].parts.surfaces.mesh.geometry;
      return {
        x: Array.from(attributes.position.array),
        n: Array.from(attributes.normal.array),
        corner: Array.from(index.array),
      };
    });
    /* edges where nothing goes on smoothly: of the plate, of both flaps together, of each face of the solid */
    const rim = 2 * (NX + NY) + 4 + 6 * 4;
    assert.equal(g.corner.length / 3, 8 * QUADS + 6 * FLAPS + 8 * 6 + 2 * rim);
    let seen = 0;
    for (let t = 0; t < g.corner.length; t += 3) {
      const [a, b, c] = [0, 1, 2].map(k => g.x.slice(3 * g.corner[t + k], 3 * g.corner[t + k] + 3)),
        area = cross(minus(b, a), minus(c, a));
      if (Math.hypot(...area) < 1e-9) continue; /* the rim of what has no thickness */
      seen++;
      for (let k = 0; k < 3; k++) assert.ok(dot(area, g.n.slice(3 * g.corner[t + k], 3 * g.corner[t + k] + 3)) > 0);
    }
    assert.equal(seen, 8 * QUADS + 6 * FLAPS + 8 * 6 + 2 * 2 * (NX + NY));
  },

  async 'what has a symbol that the page does not know is drawn by its shape, a solid by its faces'() {
    const page = await open('run'),
      m = await model(page),
      find = name => m.elements.findIndex(e => e.name === name);
    assert.equal(m.elements[find('wing')].symbol, '');
    assert.ok(await page.evaluate(i => window.sinew.painted(i), find('wing')));
    assert.equal((await page.evaluate(i => window.sinew.reach(i), find('stay'))).length, 2);
    /* the normals of a box point away from its middle */
    const middle = [-0.45, 0.15, 0.15],
      f = m.faces[find('block')];
    assert.ok(f);
    f.upper.forEach((x, k) => assert.ok(dot(minus(x, middle), f.normal[k]) > 0));
  },

  async 'components and amount can be chosen; colours at the corners are those of the strip'() {
    const page = await open('run'),
      m = await model(page);
    assert.deepEqual(await page.locator('#field option').evaluateAll(all => all.map(o => o.value)), [
      '',
      'moment',
      'moment.xx',
      'moment.yy',
      'moment.xy',
      'temperature',
      'strain',
    ]);
    await page.locator('#looks').evaluate(e => {
      e.open = true;
    });
    for (const [name, formula] of Object.entries(value)) {
      const rows = name.startsWith('moment') ? QUADS : QUADS + FLAPS,
        of = (e, k, t) => formula(m.nodes[m.elements[e].nodes[k]].at, t, e);
      let low = Infinity,
        high = -Infinity;
      for (let e = 0; e < rows; e++)
        for (let frame = 0; frame <= 20; frame++)
          m.elements[e].nodes.forEach((_, k) => {
            low = Math.min(low, of(e, k, time(frame)));
            high = Math.max(high, of(e, k, time(frame)));
          });
      const most = Math.max(-low, high),
        [a, b] = name.startsWith('moment.') ? [-most, most] : [0, high];
      await page.selectOption('#field', name);
      const shown = await page
        .locator('#legend .ends output')
        .evaluateAll(all => all.map(o => Number(o.dataset.value)));
      nearAll(shown, [a, (a + b) / 2, b], single * most, `legend of ${name}`);
      const colour = await strip(page);
      for (const frame of [4, 20]) {
        await seek(page, frame);
        for (const e of [0, 13, QUADS - 1, ...(rows > QUADS ? [QUADS, QUADS + 1] : [])]) {
          const painted = await page.evaluate(i => window.sinew.painted(i), e);
          painted.forEach((c, k) => {
            const expected = colour((of(e, k, time(frame)) - a) / (b - a));
            /* the page writes whole numbers from 0 to 255, the colour map has 2048 steps */
            c.forEach((x, j) => near(bright(x), expected[j], 1.3, `${name} of ${e} corner ${k} frame ${frame}`));
          });
        }
      }
    }
    assert.equal(await page.textContent('#legend .bar > div'), 'strain energy density (J/m^3)');
  },

  async 'both sides are to be seen, in their colours'() {
    const page = await open('run');
    await seek(page, 20);
    /* under a node amid the plate, and beside the mechanism */
    const look = async () => {
      await page.waitForTimeout(300);
      const shot = await picture(page),
        n = await page.evaluate(() => window.sinew.model.nodes.findIndex(o => o.name === 'plate.n2_3')),
        p = await page.evaluate(i => window.sinew.pixel(i), n);
      /* not upon the edges of the mesh, which meet at the node */
      return [await pixelOf(page, shot, [p[0] + 9, p[1] + 5]), await pixelOf(page, shot, [3, 3])];
    };
    const warmth = ([r, , b]) => r - b;
    const sides = [];
    for (const turn of [0, 1]) {
      if (turn) {
        /* from below */
        const box = await page.locator('#view canvas').boundingBox();
        await page.mouse.move(box.x + 40, box.y + box.height - 40);
        await page.mouse.down();
        await page.mouse.move(box.x + 40, box.y + 60, {steps: 4});
        await page.mouse.up();
      }
      await page.evaluate(() => window.sinew.looks().setField(''));
      const [plain, back] = await look();
      assert.ok(far(plain, back) > 40, `plate ${plain} before ${back}`);
      assert.ok(warmth(plain) < -20, `the first colour of the palette is blue: ${plain}`);
      await page.evaluate(() => window.sinew.looks().setField('temperature'));
      const [hot] = await look();
      assert.ok(warmth(hot) > 40, `high numbers are red: ${hot}`);
      sides.push(hot);
    }
    assert.ok(far(sides[0], sides[1]) > 5, 'light falls on one side');
    const with_ = await picture(page);
    await page.locator('#looks').evaluate(e => {
      e.open = true;
    });
    await page.locator('#mesh').uncheck();
    await page.locator('#looks').evaluate(e => {
      e.open = false;
    });
    await page.waitForTimeout(200);
    assert.notEqual(await picture(page), with_);
  },

  async 'deformation is exaggerated from the rigid motion that fits best'() {
    const page = await open('run'),
      f = 7;
    await seek(page, 5);
    const was = await model(page);
    await page.evaluate(x => window.sinew.looks().setFactor(x), f);
    assert.equal(await page.textContent('#legend .exaggerated'), `deformation × ${f}`);
    const now = await model(page),
      sheet = [...new Set(was.elements.slice(0, QUADS + FLAPS).flatMap(e => e.nodes))],
      rigid = i => was.at[i].map((x, j) => x - (now.at[i][j] - x) / (f - 1)),
      middle = [0, 1, 2].map(j => sheet.reduce((s, i) => s + rigid(i)[j] / sheet.length, 0));
    let most = 0;
    const moment = [0, 0, 0];
    for (const a of sheet) {
      const d = minus(was.at[a], rigid(a));
      most = Math.max(most, Math.hypot(...d));
      cross(minus(rigid(a), middle), d).forEach((x, j) => {
        moment[j] += x;
      });
      for (const b of sheet)
        near(far(rigid(a), rigid(b)), far(was.nodes[a].at, was.nodes[b].at), 1e-9, 'a rigid motion');
    }
    /* of all rigid motions the one whose gaps have neither resultant nor moment */
    assert.ok(most > 0.01);
    const mean = [0, 1, 2].map(j => sheet.reduce((s, i) => s + was.at[i][j] / sheet.length, 0));
    nearAll(middle, mean, 1e-9, 'middle');
    nearAll(moment, [0, 0, 0], 1e-9, 'moment');
    /* a quarter of a period later nothing is bent but by single precision, f times */
    await seek(page, 10);
    const flat = await model(page);
    for (const i of sheet) nearAll(flat.at[i], move(flat.nodes[i].at, 0.5), 4 * f * single, flat.nodes[i].name);

    const still = await open('static');
    await still.evaluate(x => window.sinew.looks().setFactor(x), f);
    assert.equal(await still.textContent('#legend .exaggerated'), `displacements × ${f}`);
    const s = await model(still);
    for (const i of sheet) {
      const x = s.nodes[i].at,
        to = move(x, 0.25);
      nearAll(
        s.at[i],
        x.map((y, j) => y + f * (to[j] - y)),
        4 * f * single,
        s.nodes[i].name,
      );
    }
  },

  async 'modes swing, by the places of the position in v'() {
    const page = await open('modes');
    for (const mode of [0, 1]) {
      await seek(page, mode);
      const m = await model(page),
        tip = m.nodes.findIndex(n => n.name === 'tip'),
        scale = (m.at[tip][2] - 0.4) / 1.5 ** (mode + 1);
      assert.ok(Math.abs(scale) > 0.01);
      for (const [i, n] of m.nodes.entries())
        if (n.lies && !n.still)
          nearAll(m.at[i], [n.at[0], n.at[1], n.at[2] + scale * Math.abs(n.at[0]) ** (mode + 1)], 4 * single, n.name);
    }
  },

  async 'two results, names of nodes, pictures'() {
    const page = await open('twice');
    assert.deepEqual(
      (await page.evaluate(() => window.sinew.layers())).map(l => l.visible),
      [true, true],
    );
    await page.keyboard.press('n');
    const names = await page
      .locator('#view .name')
      .evaluateAll(all => all.filter(e => !e.hidden).map(e => e.textContent));
    assert.deepEqual(names.sort(), [
      ...['b0', 'b1', 'b2', 'b3', 'b4', 'b5', 'b6', 'b7', 'c00', 'c04', 'c60', 'c64', 'ground', 'tip'],
    ]);
    kit.call('export', at('run.h5'), '--png', '--colour', 'moment.xx', '--size', '400x300', '-o', at('plate.png'));
    assert.equal(fs.readFileSync(at('plate.png')).subarray(1, 4).toString(), 'PNG');
    const wrong = await kit.page('wrong');
    await wrong.goto(`file://${at('run.html')}#colour=moment.zz`);
    await kit.drawn(wrong);
    assert.match(await wrong.textContent('#note'), /no colour 'moment.zz': this result has moment, moment.xx, /);
  },

  async 'a served page asks for the ranges of all components and of their amount'() {
    const s = await kit.serve('run.h5'),
      page = await kit.page('served', {}, new RegExp(`^(${s.address}|data:|blob:)`)),
      ends = p => p.locator('#legend .ends output').evaluateAll(all => all.map(o => Number(o.dataset.value)));
    await page.goto(`${s.address}#t=1&colour=moment`);
    await page.waitForFunction(() => window.sinew && Number.isFinite(window.sinew.field('moment', 0)));
    const whole = await open('run');
    await seek(whole, 20);
    for (const name of ['moment', 'moment.yy']) {
      for (const p of [page, whole]) await p.evaluate(n => window.sinew.looks().setField(n), name);
      assert.deepEqual(await ends(page), await ends(whole));
      assert.deepEqual(
        await page.evaluate(() => window.sinew.painted(9)),
        await whole.evaluate(() => window.sinew.painted(9)),
      );
    }
    assert.equal(await s.end(), 0);
  },

  async "a report's mechanism has the same surfaces"() {
    /* the scripts of the page with its numbers, under the names that a report gives them */
    const view = fs.readFileSync(at('run.html'), 'utf8'),
      scripts = [...view.matchAll(/<script id="([^"]*)"[^>]*>[^<]*<\/script>/g)].map(s =>
        s[0].replace('id="', 'id="m0-'),
      ),
      study = require('./study').realistic({experiments: 1, samples: 60});
    fs.writeFileSync(at('motion.html'), scripts.join('\n'));
    fs.writeFileSync(at('study.json'), JSON.stringify(study));
    execFileSync(path.join(programs, 'page_make_page'), ['study.json', 'report.html', 'Plate', 'motion.html'], {
      cwd: folder,
    });
    const page = await kit.page('report');
    await page.goto('file://' + at('report.html'));
    await page
      .locator('#experiments h3')
      .first()
      .evaluate(e => e.scrollIntoView({behavior: 'instant'}));
    await page.waitForFunction(() => window.sinew && window.sinew.drawn > 0);
    await page.evaluate(() => window.sinew.seek(0.35));
    for (const [node, x] of [
      ['c64', [1.2, 0.8, 0]],
      ['plate.n3_2', [0.6, 0.4, 0]],
    ])
      nearAll(await page.evaluate(n => window.sinew.point(n), node), move(x, 0.35), 4 * single, node);
    await page.waitForTimeout(300);
    const shot = (await page.locator('.view canvas').screenshot()).toString('base64'),
      p = await page.evaluate(() => window.sinew.pixel('plate.n3_2')),
      plate = await pixelOf(page, shot, [p[0] + 9, p[1] + 5]),
      back = await pixelOf(page, shot, [3, 3]);
    assert.ok(far(plate, back) > 40, `plate ${plate} before ${back}`);
  },
};

async function pictures() {
  const laptop = {viewport: {width: 1366, height: 768}};
  for (const [name, k, field, factor, kind, options] of [
    ['run', 5, '', 1, 'light', laptop],
    ['run', 5, 'moment', 5, 'light', laptop],
    ['run', 15, 'temperature', 5, 'dark', {...laptop, colorScheme: 'dark'}],
    ['run', 15, 'moment.yy', 1, 'light', laptop],
    ['run', 15, '', 1, 'dark', {...laptop, colorScheme: 'dark'}],
    ['static', 0, 'strain', 3, 'light', laptop],
    ['modes', 1, '', 1, 'light', laptop],
    ['twice', 5, '', 1, 'light', laptop],
  ]) {
    const page = await open(name, options);
    await seek(page, k);
    await page.evaluate(
      ([f, x]) => {
        window.sinew.looks().setField(f);
        if (x > 1) window.sinew.looks().setFactor(x);
      },
      [field, factor],
    );
    await page.waitForTimeout(300);
    await page.screenshot({path: at(`${name}-${field || 'plain'}-${kind}.png`)});
    await page.context().close();
  }
}

kit.all(tests, async () => {
  kit.endServers();
  if (process.env.PICTURES) await pictures();
});
