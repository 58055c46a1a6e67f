'use strict';
/* How the page of sinew view looks: colours of bodies, supports, axes, ruler, shadow, colours of a frame and of modes,
   results over each other, and that nothing that lies over the picture hides the mechanism. Called by test_look.sh. */
const assert = require('node:assert/strict');

const [sinew, folder] = process.argv.slice(2);
const kit = require('./kit').make(sinew, folder);
const {open, call, run, numbers} = kit;
const get = (page, what) => page.evaluate(`window.sinew.${what}`);

/* Crank, coupler and rocker between two hinges on the ground; the coupler of two beams that are one body. */
const linkage = `sinew: 1
title: linkage
gravity: [0, -9.81]
nodes: {a: [0, 0], b: [0, 0.5], m: [0.8, 0.8], c: [1.6, 1.1], d: [1.6, 0], e: [0, 0.5], f: [1.6, 1.1]}
elements:
  crank: {beam2d_cr: [a, b], EA: 1e6, EI: 100, rhoA: 1, colour: '#2040c0'}
  near: {beam2d_cr: [e, m], EA: 1e6, EI: 100, rhoA: 1}
  far: {beam2d_cr: [m, c], EA: 1e6, EI: 100, rhoA: 1}
  rocker: {beam2d_cr: [f, d], EA: 1e6, EI: 100, rhoA: 1}
  hold: {spring2d: [ground, m], k: 5, l0: 1}
joints:
  left: {fixed: a, only: [x, y]}
  b: {revolute2d: [b, e]}
  c: {revolute2d: [c, f]}
  right: {revolute2d: [ground, d], at: [1.6, 0]}
sensors: {m: {position: m}}
run: {end: 0.4, step: 4e-3, output: 0.02}
`;
const cantilever = `sinew: 1
nodes: {a: [0, 0, 0], b: [2, 0, 0], c: [1, 0, 0.4]}
gravity: [0, 0, -9.81]
elements:
  beam: {beam3d_cr: [a, b], EA: 1e6, GJ: 50, EI_y: 100, EI_z: 100, rhoA: 1, elements: 8}
  ball: {mass3d: c, mass: 1}
joints: {wall: {fixed: a}, rail: {fixed: c}}
run: {end: 0.2, step: 4e-3, output: 0.02}
`;

const make = what => {
  for (const w of what) {
    if (made.has(w)) continue;
    made.add(w);
    ({
      linkage: () => run('linkage', linkage),
      other: () => run('other', linkage.replace('k: 5', 'k: 50')),
      space: () => run('space', cantilever),
      modes: () => {
        run('space', cantilever);
        call('modes', kit.at('space.yaml'), '-q', '-n', '3', '-o', kit.at('modes.h5'));
      },
    })[w]();
  }
};
const made = new Set();
const view = (name, ...files) =>
  call('view', ...files.map(f => kit.at(`${f}.h5`)), '-q', '-o', kit.at(`${name}.html`));
/* Linear, of '#rrggbb'. */
const linear = hex =>
  [1, 3, 5].map(i => {
    const c = parseInt(hex.slice(i, i + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
const near = (a, b, by, what) => a.forEach((x, i) => assert.ok(Math.abs(x - b[i]) <= by, `${what}: ${a} for ${b}`));
/* Red, green, blue of places of the picture, from 0 to 255. */
const pixels = async (page, places) => {
  const url = `data:image/png;base64,${await kit.picture(page)}`;
  return page.evaluate(
    async ([url, places]) => {
      const image = new Image(),
        c = document.createElement('canvas'),
        g = c.getContext('2d');
      image.src = url;
      await image.decode();
      [c.width, c.height] = [image.width, image.height];
      g.drawImage(image, 0, 0);
      return places.map(([x, y]) => Array.from(g.getImageData(Math.round(x), Math.round(y), 1, 1).data.slice(0, 3)));
    },
    [url, places],
  );
};

const tests = {
  async 'a body has one colour, which the model can choose'() {
    make(['linkage']);
    view('linkage', 'linkage');
    const page = await open('linkage'),
      of = async name => (await get(page, `painted(${await row(page, name)})`))[0],
      row = (p, name) => get(p, `header.elements.findIndex(e => e.name.endsWith(':${name}'))`);
    near(await of('crank'), linear('#2040c0'), 1e-6, 'crank');
    near(await of('near'), await of('far'), 0, 'coupler');
    const [a, b, c] = [await of('crank'), await of('near'), await of('rocker')];
    for (const [x, y] of [
      [a, b],
      [b, c],
      [a, c],
    ])
      assert.ok(Math.hypot(...x.map((v, i) => v - y[i])) > 0.05, `${x} and ${y}`);
  },

  async 'supports: what is held stands on something'() {
    make(['linkage', 'space']);
    view('linkage', 'linkage');
    let page = await open('linkage');
    const plane = await get(page, 'supports()');
    assert.deepEqual(plane.map(s => s.stand).sort(), ['clamp', 'pin', 'pin']); /* the spring's end is clamped */
    const at = plane.filter(s => s.stand === 'pin');
    for (const s of at) assert.deepEqual(s.down, [0, -1, 0]);
    view('space', 'space');
    page = await open('space');
    const [wall, ...more] = await get(page, 'supports()');
    assert.equal(wall.stand, 'clamp');
    near(wall.down, [-1, 0, 0], 1e-12, 'behind the beam');
    assert.deepEqual(
      more.map(s => s.stand),
      ['pin'] /* a point has no rotations to be held */,
    );
  },

  async 'the ruler is as long as it says, the grid too'() {
    make(['linkage']);
    view('linkage', 'linkage');
    const page = await open('linkage'),
      told = async () =>
        page.evaluate(() => {
          const r = document.querySelector('.ruler');
          return {
            text: r.textContent,
            value: +r.querySelector('output').dataset.value,
            px: r.querySelector('.length').getBoundingClientRect().width,
            pitch: +r.dataset.pitch,
          };
        }),
      meter = async () => {
        const [a, b] = [await get(page, 'pixelOf([0, 0, 0])'), await get(page, 'pixelOf([1, 0, 0])')];
        return b[0] - a[0];
      };
    let r = await told();
    assert.ok(Math.abs(r.px - r.value * (await meter())) < 1, JSON.stringify(r));
    assert.match(r.text, /^0\.[25] m (· grid 0\.5 m|grid)$/);
    assert.equal(r.pitch, 0.5);
    await page.mouse.move(300, 300);
    await page.mouse.wheel(0, -1200);
    await page.waitForFunction(old => +document.querySelector('.ruler output').dataset.value < old, r.value);
    r = await told();
    assert.ok(Math.abs(r.px - r.value * (await meter())) < 1, JSON.stringify(r));
    assert.match(r.text, /cm|mm|0\.\d m · grid 0\.5 m/);
    assert.ok(r.px <= 121 && r.px > 20);
  },

  async 'axes and gravity in the corner'() {
    make(['linkage']);
    view('linkage', 'linkage');
    const page = await open('linkage'),
      [x0, y0] = await page.evaluate(() => {
        const r = document.querySelector('.ruler');
        return [48, r.offsetTop - 44]; /* the middle of 84 pixels above the ruler */
      }),
      [right, up, low] = await pixels(page, [
        [x0 + 14, y0],
        [x0, y0 - 14],
        [x0, y0 + 25],
      ]);
    assert.ok(right[0] > right[1] + 50, `x: ${right}`);
    assert.ok(up[1] > up[0] + 40, `y: ${up}`);
    assert.ok(
      low.every(c => c < 190),
      `gravity: ${low}`,
    );
  },

  async 'in space there is a shadow on the ground'() {
    make(['space']);
    view('space', 'space');
    const page = await open('space'),
      floor = await get(page, 'floor()'),
      below = async x => {
        const h = -floor; /* the light falls along (0.6, -0.9, -4) */
        return get(page, `pixelOf([${x + (0.6 * h) / 4}, ${(-0.9 * h) / 4}, ${floor}])`);
      },
      [a, b] = await pixels(page, [await below(0.7), await get(page, `pixelOf([0.9, -0.5, ${floor}])`)]);
    const light = c => c[0] + c[1] + c[2];
    assert.ok(light(a) < light(b) - 30, `${a} in the shadow, ${b} beside it`);
  },

  async 'legend, time and buttons do not hide the mechanism'() {
    make(['linkage', 'space']);
    for (const [name, viewport] of [
      ['linkage', {width: 390, height: 844}],
      ['linkage', {width: 1280, height: 760}],
      ['space', {width: 390, height: 844}],
    ]) {
      view(name, name);
      const page = await kit.page(name, {viewport});
      await page.goto(`file://${kit.at(`${name}.html`)}#colour=bending`);
      await kit.drawn(page);
      const hidden = await page.evaluate(() => {
        const s = window.sinew,
          view = document.getElementById('view').getBoundingClientRect(),
          boxes = ['#tools', '#legend', '#clock', '.ruler'].map(q => [
            q,
            document.querySelector(q).getBoundingClientRect(),
          ]),
          out = [];
        for (let k = 0; k < s.header.frames; k += 4) {
          s.seek(k);
          s.header.nodes.forEach((n, i) => {
            const [x, y] = s.pixel(i).map((p, j) => p + (j ? view.top : view.left));
            if (n.name === 'ground') return;
            for (const [q, b] of boxes)
              if (b.width && x > b.left && x < b.right && y > b.top && y < b.bottom) out.push(`${n.name} by ${q}`);
            if (x < view.left || x > view.right || y < view.top || y > view.bottom) out.push(`${n.name} outside`);
          });
        }
        return out;
      });
      assert.deepEqual(hidden, []);
    }
  },

  async 'colours over the range of the frame'() {
    make(['linkage']);
    view('linkage', 'linkage');
    const page = await open('linkage'),
      range = () =>
        page.evaluate(() => [...document.querySelectorAll('#legend .ends output')].map(o => +o.dataset.value)),
      most = () =>
        page.evaluate(() => {
          const s = window.sinew,
            f = s.header.fields.find(o => o.name === 'bending'),
            n = f.points.reduce((a, b) => a + b, 0);
          return Math.max(...Array.from({length: n}, (_, k) => Math.abs(s.field('bending', k))));
        });
    await page.evaluate(() => window.sinew.looks().setField('bending'));
    const run = await range();
    await page.evaluate(() => window.sinew.looks().setRange('frame'));
    for (const k of [3, 12]) {
      await page.evaluate(k => window.sinew.seek(k), k);
      const top = await most();
      await page.waitForFunction(
        t => Math.abs(+[...document.querySelectorAll('#legend .ends output')][2].dataset.value - t) < 1e-6 * t,
        top,
      );
      near(await range(), [-top, 0, top], 1e-6 * top, 'range');
      assert.ok(top <= run[2] * (1 + 1e-6));
    }
    await page.evaluate(() => window.sinew.looks().setRange('run'));
    near(await range(), run, 0, 'back');
  },

  async 'modes are coloured by how far points go'() {
    make(['modes']);
    view('modes', 'modes');
    const page = await kit.page('modes');
    await page.goto(`file://${kit.at('modes.html')}#mode=1&colour=displacement`);
    await kit.drawn(page);
    /* the first mode of a cantilever: nothing at the wall, most at the tip; the middle has cosh, cos: 0.3395 */
    const value = c => page.evaluate(c => window.sinew.swing(c), c);
    const beam = await get(
      page,
      'header.elements.map((e, i) => (e.name.endsWith("beam") ? i : -1)).filter(i => i >= 0)',
    );
    near(await value(beam[0]), [0, 0.0258], 2e-3, 'wall');
    near([(await value(beam[3]))[1]], [0.3395], 2e-3, 'middle');
    near([(await value(beam[7]))[1]], [1], 1e-6, 'tip');
    const [root, tip] = [await get(page, `painted(${beam[0]})`), await get(page, `painted(${beam[7]})`)];
    assert.ok(Math.hypot(...root[0].map((x, i) => x - tip[1][i])) > 0.3, 'root and tip differ');
  },

  async 'many beams take no more draw calls than few'() {
    make(['space']);
    run('many', cantilever.replace('elements: 8', 'elements: 200'));
    const loads = [];
    for (const name of ['space', 'many']) {
      view(name, name);
      const page = await open(name);
      await page.waitForFunction(() => window.sinew.drawing().calls > 0);
      loads.push(await get(page, 'drawing()'));
    }
    assert.equal(loads[1].calls, loads[0].calls);
    assert.ok(loads[1].calls <= 40 && loads[1].triangles > loads[0].triangles, JSON.stringify(loads));
  },

  async 'results over each other: both are seen where they agree, and nothing flickers'() {
    make(['linkage', 'other']);
    view('same', 'linkage', 'linkage');
    const page = await open('same');
    const shots = [];
    for (const k of [5, 9, 5, 5]) {
      await page.evaluate(k => window.sinew.seek(k), k);
      await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
      shots.push(await kit.picture(page));
    }
    assert.equal(shots[0], shots[2]);
    assert.equal(shots[0], shots[3]);
    assert.notEqual(shots[0], shots[1]);
    const [d, c] = [await get(page, 'pixel(4)'), await get(page, 'pixel(3)')],
      along = Array.from({length: 80}, (_, i) => d.map((x, j) => x + ((c[j] - x) * (i + 10)) / 100)),
      seen = await pixels(page, along),
      blue = seen.filter(([r, , b]) => b > r + 30).length,
      orange = seen.filter(([r, , b]) => r > b + 30).length;
    assert.ok(blue > 15 && orange > 15, `${blue} blue, ${orange} orange of 80`);
  },
};

kit.all(tests);
