'use strict';
/* Colours, arrows, exaggeration, sections, shapes and several results in the page of sinew view: node test_scene.js
   SINEW FOLDER. Every number that the page shows has a sensor of its own in the model, and is compared with that. */
const assert = require('node:assert/strict');
const fs = require('node:fs');
const kit = require('./kit').make(process.argv[2], process.argv[3]),
  {at, open, picture} = kit;

const swing = `sinew: 1
gravity: [0, -9.81]
parameters: {k: 300 N/m}
materials: {m: {E: 21 GPa, rho: 7800 kg/m^3}}
sections: {s: {rectangle: , width: 5 mm, height: 5 mm}}
nodes: {a: [0, 0], b: [1, 0], c: [1.5, 0]}
elements:
  bar: {beam2d_cr: [a, b], material: m, section: s, elements: 2}
  spring: {spring2d: [b, c], k: k, c: 0.5}
  weight: {mass2d: c, mass: 0.3, inertia: 0.001}
  push: {force2d: b, force: [0, 3*sin(9*t)], torque: 0.2}
joints: {pin: {fixed: a, only: [x, y]}}
sensors:
  first1: {force: bar, axes: element, end: 1, piece: 1}
  first2: {force: bar, axes: element, end: 2, piece: 1}
  last1: {force: bar, axes: element, end: 1, piece: 2}
  last2: {force: bar, axes: element, end: 2, piece: 2}
  spring: {force: spring, axes: element}
  spring1: {force: spring, axes: element, end: 1}
  pin: {reaction: pin}
  b: {position: b}
run: {end: 1 s, step: 1 ms, output: 10 ms}
`;
const wedge = [
  [
    [0, 0, 0],
    [0, 2, 0],
    [1, 0, 0],
  ],
  [
    [0, 0, 0],
    [1, 0, 0],
    [0, 0, 3],
  ],
  [
    [0, 0, 0],
    [0, 0, 3],
    [0, 2, 0],
  ],
  [
    [1, 0, 0],
    [0, 2, 0],
    [0, 0, 3],
  ],
];
const frame3 = `sinew: 1
title: Sections, a wedge, joints along their axes
gravity: [0, 0, -9.81]
materials: {m: {E: 210 GPa, G: 80 GPa, rho: 7800 kg/m^3}}
sections:
  pipe: {tube: , radius: 30 mm, thickness: 6 mm}
  duct: {box: , width: 50 mm, height: 80 mm, thickness: 6 mm}
  rail: {i_section: , width: 60 mm, height: 90 mm, flange: 8 mm, web: 6 mm}
shapes: {wedge: {stl: wedge.stl, scale: 100 mm, density: 900 kg/m^3}}
nodes: {a: [0, 0, 0], b: [1, 0, 0], c: [1.05, 0, 0], d: [1.05, 1, 0],
  e: [1.05, 1.05, 0], f: [0.2, 1.05, 0], g: [0.2, 1.25, 0.1]}
elements:
  pipe: {beam3d_cr: [a, b], material: m, section: pipe, elements: 3}
  duct: {beam3d_cr: [c, d], material: m, section: duct, elements: 3}
  rail: {beam3d_cr: [e, f], material: m, section: rail, elements: 3}
  block: {mass3d: g, shape: wedge}
  push: {force3d: b, force: [0, 0, 400*sin(30*t)], torque: [0, 40, 0]}
  wind: {force3d: rail, per_length: [0, -120, 0]}
joints:
  root: {revolute: [ground, a], axis: [0, 3, 0]}
  cross: {universal: [b, c], axis: [0, 1, 0], axis2: [0, 0, 1]}
  ball: {spherical: [d, e], at: [1.05, 1.0, 0]}
  hold: {rigid_link: [f, g]}
  far: {fixed: f}
sensors: {tip: {position: b}}
run: {end: 0.2 s, step: 1 ms, output: 2 ms}
`;
const mounts = `sinew: 1
title: Two springs 1.8 m apart, a bushing and a stop away from the nodes
gravity: [0, 0, -9.81]
nodes: {chassis: {at: [0, 0, 0.6], spin: [0.4, 0.2, 0]},
  axle: {at: [0, 0, 0], spin: [0.3, 0, 0.5]}, plate: [1.6, 0, 0.3]}
elements:
  body: {mass3d: chassis, mass: 20, inertia: [3, 3, 3]}
  axle: {mass3d: axle, mass: 20, inertia: [3, 3, 3]}
  plate: {mass3d: plate, mass: 5, inertia: [1, 1, 1]}
  left: {spring3d: [axle, chassis], k: 3e3, point1: [0, 0.9, 0.05], point2: [0, 0.9, -0.1]}
  right: {spring3d: [axle, chassis], k: 3e3, point1: [0, -0.9, 0.05], point2: [0, -0.9, -0.1]}
  foot: {spring3d: [ground, axle], k: 3e3, point1: [0.1, 0.2, -0.5]}
  pad: {bushing: [chassis, plate], k: [1e4, 1e4, 1e4], kt: [100, 100, 100], at: [0.8, 0.3, 0.5]}
  hit: {stop3d: [axle, chassis], axis: [0, 0, 1], at: [0.2, 0, 0.3], lo: -0.2, hi: 0.2, k: 1e4}
sensors:
  left1: {position: axle, offset: [0, 0.9, 0.05]}
  left2: {position: chassis, offset: [0, 0.9, -0.1]}
  right1: {position: axle, offset: [0, -0.9, 0.05]}
  right2: {position: chassis, offset: [0, -0.9, -0.1]}
  foot2: {position: axle}
  pad: {position: plate, offset: [-0.8, 0.3, 0.2]}
  hit: {position: chassis, offset: [0.2, 0, -0.3]}
run: {end: 0.5 s, step: 1 ms, output: 10 ms}
`;
const sag = `sinew: 1
gravity: [0, -9.81]
materials: {m: {E: 21 GPa, rho: 7800 kg/m^3}}
sections: {s: {rectangle: , width: 8 mm, height: 8 mm}}
nodes: {a: [0, 0], b: [1, 0]}
elements: {bar: {beam2d_cr: [a, b], material: m, section: s, elements: 4}, push: {force2d: b, force: [2, -0.4]}}
joints: {wall: {fixed: a}}
sensors: {b: {position: b}}
`;

const facet = t =>
  `facet normal 0 0 0\nouter loop\n${t.map(v => `vertex ${v.join(' ')}\n`).join('')}endloop\nendfacet\n`;
fs.writeFileSync(at('wedge.stl'), `solid w\n${wedge.map(facet).join('')}endsolid w\n`);
kit.run('swing', swing);
kit.run('softer', swing, '--set', 'k=120', '--output', '7 ms', '--end', '0.8');
kit.run(
  'halves',
  swing
    .replace('c: [1.5, 0]', 'c: [1.5, 0], m: [0.5, 0]')
    .replace(
      'bar: {beam2d_cr: [a, b], material: m, section: s, elements: 2}',
      'left: {beam2d_cr: [a, m], material: m, section: s, elements: 2}\n' +
        '  right: {beam2d_cr: [m, b], material: m, section: s}',
    )
    .replace(/  (first|last)\d:.*\n/g, ''),
);
kit.run('frame3', frame3);
kit.run('mounts', mounts);
kit.run('bare', swing.replace('output: 10 ms', 'output: 10 ms, fields: no'));
fs.writeFileSync(at('sag.yaml'), sag);
kit.call('static', at('sag.yaml'), '-o', at('sag.h5'));
fs.writeFileSync(
  at('measured.csv'),
  `time,b.x,elsewhere\n${[0.1, 0.23, 0.5, 0.77].map((t, i) => `${t},${0.9 + i / 50},${i}`).join('\n')}\n`,
);
for (const name of ['swing', 'halves', 'frame3', 'mounts', 'bare', 'sag'])
  kit.call('view', at(`${name}.h5`), '-q', '-o', at(`${name}.html`));
kit.call('view', at('swing.h5'), at('softer.h5'), '--data', at('measured.csv'), '-q', '-o', at('both.html'));

const seek = (page, k) => page.evaluate(i => window.sinew.seek(i), k);
const near = (a, b, tol, what = '') => assert.ok(Math.abs(a - b) <= tol, `${what} ${a} is not ${b}`);
const values = (page, css) => page.locator(css).evaluateAll(all => all.map(e => Number(e.dataset.value)));
const which = (page, name) =>
  page.evaluate(
    n =>
      window.sinew.header.elements
        .map((e, i) => [e.name, i])
        .filter(([o]) => o.endsWith(`:${n}`))
        .map(([, i]) => i),
    name,
  );
/* Colour of the legend's strip at x from 0 to 1: red, green, blue from 0 to 255. */
async function strip(page, x) {
  const css = await page.locator('#legend .strip').evaluate(e => getComputedStyle(e).backgroundImage);
  const stops = [...css.matchAll(/rgb\((\d+), (\d+), (\d+)\)/g)].map(m => m.slice(1).map(Number)),
    u = x * (stops.length - 1),
    k = Math.min(Math.floor(u), stops.length - 2);
  return stops[k].map((c, j) => c + (u - k) * (stops[k + 1][j] - c));
}
const bright = c => 255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055);

/* What sensors say of the fields: of each element at both ends; a section's moment at end 1 is the opposite of that
   on the element. */
const sensed = {
  axial: [[['first2.N', 1]], [['last2.N', 1]], [['spring.N', 1]]],
  shear: [[['first2.V', 1]], [['last2.V', 1]], [['spring.V', 1]]],
  bending: [
    [
      ['first1.M', -1],
      ['first2.M', 1],
    ],
    [
      ['last1.M', -1],
      ['last2.M', 1],
    ],
    [
      ['spring1.M', -1],
      ['spring.M', 1],
    ],
  ],
};

const tests = {
  async 'fields are what sensors say, the legend has their range, colours are those of its strip'() {
    const page = await open('swing'),
      file = kit.numbers('swing'),
      rows = [...(await which(page, 'bar')), ...(await which(page, 'spring'))];
    for (const dark of [false, true]) {
      if (dark) await page.click('#theme');
      for (const [name, list] of Object.entries(sensed)) {
        let most = 0;
        for (let i = 0; i < file.rows; i++)
          for (const [c, s] of list.flat()) most = Math.max(most, Math.abs(Math.fround(s * file.get(c, i))));
        await page.locator('#looks').evaluate(e => {
          e.open = true;
        });
        await page.selectOption('#field', name);
        assert.deepEqual(await values(page, '#legend .ends output'), [-most, 0, most], name);
        for (const k of [3, 41, 100]) {
          await seek(page, k);
          for (const [i, ends] of list.entries()) {
            const painted = await page.evaluate(r => window.sinew.painted(r), rows[i]);
            for (const [e, [column, sign]] of ends.entries()) {
              const y = Math.fround(sign * file.get(column, k)) + 0; /* -0 is 0 */
              assert.equal(
                await page.evaluate(([n, j]) => window.sinew.field(n, j) + 0, [name, ends.length * i + e]),
                y,
                column,
              );
              const expected = await strip(page, (y / most + 1) / 2);
              /* the page writes whole numbers from 0 to 255, numbers are in single precision */
              painted[e].forEach((c, j) => near(bright(c), expected[j], 1.01, `${name} ${column} frame ${k}`));
            }
          }
        }
      }
    }
  },

  async 'what is never negative begins at zero; what has no number is grey'() {
    const page = await open('swing');
    await page.keyboard.press('c');
    assert.equal(await page.inputValue('#field'), 'axial');
    for (const name of ['stress', 'energy']) {
      await page.evaluate(n => window.sinew.looks().setField(n), name);
      const [low, , high] = await values(page, '#legend .ends output');
      assert.equal(low, 0);
      assert.ok(high > 0);
    }
    await page.evaluate(() => window.sinew.looks().setField('stress'));
    const [[r, g, b]] = await page.evaluate(i => window.sinew.painted(i), (await which(page, 'spring'))[0]);
    assert.ok(Math.abs(bright(r) - bright(g)) < 20 && Math.abs(bright(b) - bright(g)) < 20);
    await page.evaluate(() => window.sinew.looks().setField(''));
    assert.equal(await page.locator('#legend > *').count(), 0);
  },

  async 'arrows are the loads and reactions, as long as they say'() {
    const page = await open('swing'),
      file = kit.numbers('swing');
    let most = 0;
    for (let i = 0; i < file.rows; i++)
      most = Math.max(
        most,
        Math.fround(Math.hypot(file.get('pin.fx', i), file.get('pin.fy', i))),
        Math.abs(3 * Math.sin(9 * file.t(i))),
      );
    const before = await picture(page);
    await page.keyboard.press('a');
    await page.waitForTimeout(200);
    assert.notEqual(await picture(page), before);
    for (const k of [20, 77]) {
      await seek(page, k);
      const all = await page.evaluate(() => window.sinew.arrows()),
        force = (what, moment) => all.find(a => a.what === what && a.moment === moment);
      const pin = force('reaction', false),
        push = force('load', false),
        twist = force('load', true),
        unit = pin.length / Math.hypot(...pin.vector);
      near(pin.vector[0], file.get('pin.fx', k), 1e-6 * most);
      near(pin.vector[1], file.get('pin.fy', k), 1e-6 * most);
      near(push.vector[1], 3 * Math.sin(9 * file.t(k)), 1e-6);
      near(push.length, unit * Math.abs(push.vector[1]), 1e-6 * push.length);
      near(twist.vector[2], 0.2, 1e-7);
      [0, 1].forEach(j => near(push.point[j], file.get(`b.${'xy'[j]}`, k), 1e-6));
      assert.deepEqual(pin.point, [0, 0, 0]);
      /* the longest of the whole run and those of the legend have one scale */
      const pixels = await page.evaluate(() => {
        const s = window.sinew,
          n = name => s.header.nodes.findIndex(o => o.name === name),
          a = s.pixel(n('a')),
          b = s.pixel(n('b')),
          p = s.position(n('a')),
          q = s.position(n('b'));
        return Math.hypot(a[0] - b[0], a[1] - b[1]) / Math.hypot(p[0] - q[0], p[1] - q[1]);
      });
      const [{value, width}] = await page
        .locator('#legend .arrow .size')
        .evaluateAll(l =>
          l.map(e => ({
            value: Number(e.querySelector('output').dataset.value),
            width: e.querySelector('.scale').getBoundingClientRect().width,
          })),
        );
      near(width, value * unit * pixels, 0.6, 'legend');
      near(pin.length / unit, Math.hypot(file.get('pin.fx', k), file.get('pin.fy', k)), 1e-5 * most);
    }
    await page.keyboard.press('a');
    assert.deepEqual(await page.evaluate(() => window.sinew.arrows()), []);
  },

  async 'bending is exaggerated from the line between the ends, and the picture says so'() {
    const page = await open('swing'),
      place = () =>
        page.evaluate(() =>
          Object.fromEntries(window.sinew.header.nodes.map((n, i) => [n.name, window.sinew.position(i)])),
        );
    await seek(page, 60);
    const one = await place();
    assert.equal(await page.locator('#legend .exaggerated').count(), 0);
    await page.evaluate(() => window.sinew.looks().setFactor(30));
    const many = await place(),
      middle = [0, 1].map(j => (one.a[j] + one.b[j]) / 2);
    assert.equal(await page.textContent('#legend .exaggerated'), 'bending × 30');
    for (const n of ['a', 'b', 'c']) assert.deepEqual(many[n], one[n]);
    [0, 1].forEach(j => near(many['bar.n1'][j] - middle[j], 30 * (one['bar.n1'][j] - middle[j]), 1e-9));
    assert.ok(Math.hypot(many['bar.n1'][0] - one['bar.n1'][0], many['bar.n1'][1] - one['bar.n1'][1]) > 1e-3);
    const two = await open('halves'),
      of = () =>
        two.evaluate(() =>
          Object.fromEntries(window.sinew.header.nodes.map((n, i) => [n.name, window.sinew.position(i)])),
        );
    await seek(two, 60);
    const as = await of();
    await two.evaluate(() => window.sinew.looks().setFactor(30));
    const bent = await of();
    [0, 1].forEach(j =>
      near(
        bent.m[j] - (as.a[j] + as.b[j]) / 2,
        30 * (as.m[j] - (as.a[j] + as.b[j]) / 2),
        1e-9,
        'two beams in a line',
      ),
    );
    const still = await open('sag'),
      file = kit.numbers('sag');
    await still.evaluate(() => window.sinew.looks().setFactor(10));
    assert.equal(await still.textContent('#legend .exaggerated'), 'displacements × 10');
    const b = await still.evaluate(() =>
      window.sinew.position(window.sinew.header.nodes.findIndex(n => n.name === 'b')),
    );
    near(b[1], 10 * file.get('b.y', 0), 1e-5);
    near(b[0] - 1, 10 * (file.get('b.x', 0) - 1), 1e-5);
  },

  async 'a picture that is saved has the legend on it'() {
    const page = await open('swing'),
      save = async () => {
        const [png] = await Promise.all([page.waitForEvent('download'), page.click('#png')]);
        return fs.readFileSync(await png.path()).toString('base64');
      };
    /* numbers of pixels that differ between two pictures, within a box of the page */
    const differ = (a, b, box) =>
      page.evaluate(
        async ([one, two, part]) => {
          const data = async s => {
            const i = new Image();
            i.src = `data:image/png;base64,${s}`;
            await i.decode();
            const c = new OffscreenCanvas(i.width, i.height),
              g = c.getContext('2d');
            g.drawImage(i, 0, 0);
            const k = i.width / document.querySelector('#view').clientWidth;
            return g.getImageData(k * part.x, k * part.y, k * part.width, k * part.height).data;
          };
          const x = await data(one),
            y = await data(two);
          let n = 0;
          for (let i = 0; i < x.length; i += 4)
            n += Math.abs(x[i] - y[i]) + Math.abs(x[i + 1] - y[i + 1]) + Math.abs(x[i + 2] - y[i + 2]) > 30;
          return n;
        },
        [a, b, box],
      );
    const plain = await save();
    await page.evaluate(() => {
      const l = window.sinew.looks();
      l.setField('axial');
      l.setFactor(2);
    });
    const marked = await save(),
      view = await page.locator('#view').boundingBox();
    fs.writeFileSync(at('saved.png'), Buffer.from(marked, 'base64'));
    for (const css of ['#legend .strip', '#legend .exaggerated', '#legend .ends output >> nth=0']) {
      const b = await page.locator(css).boundingBox();
      assert.ok(
        (await differ(plain, marked, {...b, x: b.x - view.x, y: b.y - view.y})) > (0.1 * b.width * b.height) / 2,
        css,
      );
    }
  },

  async 'holes of sections, triangles and axes of joints are those of the model'() {
    const page = await open('frame3'),
      h = await page.evaluate(() => window.sinew.header);
    const hole = name => h.lines.find(s => h.elements[s[0]].name.endsWith(`:${name}`)).slice(12);
    const close = (a, b) => {
      assert.equal(a.length, b.length);
      a.forEach((x, i) => near(x, b[i], 1e-12));
    };
    close(hole('pipe'), [2, 0.048, 0.048]);
    close(hole('duct'), [1, 0.068, 0.038]);
    close(hole('rail'), [3, 0.074, 0.054]);
    const pin = name => h.pins[h.joints.findIndex(j => j.name.endsWith(`:${name}`))].slice(1);
    close(pin('root'), [0, 0, 0, 0, 1, 0, 0, 0, 0]);
    close(pin('cross'), [0, 0, 0, 0, 1, 0, 0, 0, 1]);
    close(pin('ball'), [0, -0.05, 0, 0, 0, 0, 0, 0, 0]);
    assert.deepEqual(h.triangles, [0]);
    const [low, high] = await page.evaluate(() => window.sinew.shape(0));
    close(
      low.map(x => Number(x.toFixed(6))),
      [0, 0, 0],
    );
    close(
      high.map(x => Number(x.toFixed(6))),
      [0.1, 0.2, 0.3],
    );
    await page.evaluate(() => {
      window.sinew.looks().setField('bending');
      window.sinew.looks().arrows();
    });
    assert.ok((await page.evaluate(() => window.sinew.arrows())).some(a => a.moment));
  },

  async 'springs, bushings and stops are drawn from the points where they are fastened'() {
    const page = await open('mounts'),
      file = kit.numbers('mounts'),
      size = 2; /* the nodes lie 2 m apart */
    const fixed = {foot1: [0.1, 0.2, -0.5]},
      sensed = (name, k) => fixed[name] ?? ['x', 'y', 'z'].map(c => file.get(`${name}.${c}`, k));
    for (const k of [0, 20, 50]) {
      await seek(page, k);
      for (const name of ['left', 'right', 'foot']) {
        const [row] = await which(page, name),
          ends = await page.evaluate(r => window.sinew.reach(r), row);
        /* numbers of the page are in single precision */
        ends.forEach((p, e) =>
          p.forEach((x, j) =>
            near(x, sensed(`${name}${e + 1}`, k)[j], 1e-6 * size, `${name} end ${e + 1} frame ${k}`),
          ),
        );
      }
      /* those whose points are one in the reference configuration are a sleeve about it */
      for (const name of ['pad', 'hit']) {
        const [row] = await which(page, name),
          [a, b] = await page.evaluate(r => window.sinew.reach(r), row);
        a.forEach((x, j) => near((x + b[j]) / 2, sensed(name, k)[j], 1e-6 * size, `${name} frame ${k}`));
        assert.ok(Math.hypot(...a.map((x, j) => x - b[j])) > 0.01);
      }
    }
  },

  async "several results: both mechanisms, their sensors together, each number its file's"() {
    const page = await open('both'),
      one = kit.numbers('swing'),
      two = kit.numbers('softer');
    assert.deepEqual(await page.locator('#legend .file').allTextContents(), [
      'swing.h5',
      'softer.h5',
      'measured.csv',
    ]);
    await page.locator('#list').evaluate(e => {
      e.open = true;
    });
    for (const box of await page.locator('#choices label').all())
      await box
        .locator('input')
        .setChecked(['b.x (m)', 'b.y (m)', 'elsewhere'].includes((await box.textContent()).trim()));
    await page.locator('#list').evaluate(e => {
      e.open = false;
    });
    const shown = s => page.locator(`output[data-series="${s}"]`).evaluate(e => Number(e.dataset.value));
    for (const k of [13, 50, 80]) {
      await seek(page, k);
      const t = one.t(k);
      let j = 0;
      while (j + 1 < two.rows && Math.abs(two.t(j + 1) - t) < Math.abs(two.t(j) - t)) j++;
      assert.equal(await shown('b.x'), one.get('b.x', k));
      assert.equal(await shown('r1.b.x'), two.get('b.x', j));
      assert.equal(await shown('r1.b.y'), two.get('b.y', j));
    }
    await seek(page, 52);
    assert.equal(await shown('r2.b.x'), 0.9 + 2 / 50);
    assert.equal(await shown('r2.elsewhere'), 2);
    /* under the mouse is the time, whatever the grid of the curves */
    const box = await page.locator('.u-over').first().boundingBox();
    await page.mouse.move(box.x + 0.4 * box.width, box.y + 30);
    await page.waitForFunction(() => Math.abs(window.sinew.time() - 0.4) < 0.006);
    const both = await picture(page),
      rows = page.locator('#results .result input');
    assert.equal(await rows.count(), 2);
    await page.locator('#looks').evaluate(e => {
      e.open = true;
    });
    await rows.nth(1).uncheck();
    await page.waitForTimeout(150);
    assert.notEqual(await picture(page), both);
    assert.deepEqual(
      (await page.evaluate(() => window.sinew.layers())).map(l => l.visible),
      [true, false],
    );
    assert.deepEqual(await page.locator('#legend .file').allTextContents(), ['swing.h5', 'measured.csv']);
  },

  async 'the second mechanism is where its file says, between its frames too'() {
    const page = await open('both'),
      two = kit.numbers('softer');
    await seek(page, 35); /* 0.35 s is a frame of both */
    const j = Array.from({length: two.rows}, (_, i) => i).find(i => Math.abs(two.t(i) - 0.35) < 1e-9);
    const at = await page.evaluate(() =>
      window.sinew.elsewhere(
        'r1.',
        window.sinew.header.nodes.findIndex(n => n.name === 'b'),
      ),
    );
    near(at[0], two.get('b.x', j), 1e-6);
    near(at[1], two.get('b.y', j), 1e-6);
    await seek(page, 36); /* 0.36 s: 3/7 of the way from 0.357 to 0.364 */
    const between = await page.evaluate(() =>
      window.sinew.elsewhere(
        'r1.',
        window.sinew.header.nodes.findIndex(n => n.name === 'b'),
      ),
    );
    near(between[1], two.get('b.y', j + 1) + (3 / 7) * (two.get('b.y', j + 2) - two.get('b.y', j + 1)), 1e-6);
  },

  async 'results without fields, and those of before, show the rest'() {
    const bare = await open('bare');
    assert.equal(await bare.locator('#field').isVisible(), false);
    const old = fs
      .readFileSync(at('swing.html'), 'utf8')
      .replace(/,"pins":.*?(?=\}<\/script>)/s, '')
      .replace(/<script id="f\d+"[^>]*>[^<]*<\/script>/g, '')
      .replace(/"source":"[^"]*",/, '');
    assert.ok(!old.includes('"pins"'));
    fs.writeFileSync(at('old.html'), old);
    for (const page of [bare, await open('old')]) {
      await seek(page, 50);
      for (const k of ['c', 'a', ' ', ' ']) await page.keyboard.press(k);
      assert.ok((await page.locator('#plots figure').count()) > 0);
      assert.equal(await page.locator('#legend > *').count(), 0);
      await page.evaluate(() => window.sinew.looks().setFactor(5));
      assert.equal(await page.locator('#legend .exaggerated').count(), 1);
    }
  },

  async 'a phone has room for the legend'() {
    const page = await open('both', {
      viewport: {width: 390, height: 844},
      deviceScaleFactor: 2,
      isMobile: true,
      hasTouch: true,
    });
    await page.evaluate(() => {
      const l = window.sinew.looks();
      l.setField('bending');
      l.arrows();
      l.setFactor(10);
    });
    await page.tap('#looks summary');
    assert.ok(
      await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth),
    );
    for (const css of ['#lookbox', '#legend']) {
      const b = await page.locator(css).boundingBox();
      assert.ok(b.x >= 0 && b.x + b.width <= 390, css);
    }
  },
};

async function pictures() {
  const phone = {viewport: {width: 390, height: 844}, deviceScaleFactor: 2, isMobile: true, hasTouch: true},
    laptop = {viewport: {width: 1366, height: 768}};
  const looks = ([field, factor]) => {
    const l = window.sinew.looks();
    l.setField(field);
    l.arrows();
    l.setFactor(factor);
  };
  for (const [name, k, field, factor, kind, options] of [
    ['swing', 60, 'bending', 5, 'light', laptop],
    ['frame3', 50, 'stress', 30, 'light', laptop],
    ['frame3', 50, 'torsion', 30, 'dark', {...laptop, colorScheme: 'dark'}],
    ['sag', 0, 'axial', 3, 'dark', {...laptop, colorScheme: 'dark'}],
    ['both', 40, '', 1, 'light', laptop],
    ['both', 40, 'bending', 10, 'dark-phone', {...phone, colorScheme: 'dark'}],
    ['swing', 60, 'energy', 1, 'phone', phone],
  ]) {
    const page = await open(name, options);
    await seek(page, k);
    await page.evaluate(looks, [field, factor]);
    await page.waitForTimeout(300);
    await page.screenshot({path: at(`${name}-${field || 'plain'}-${kind}.png`)});
    await page.context().close();
  }
}

kit.all(tests, process.env.PICTURES ? pictures : null);
