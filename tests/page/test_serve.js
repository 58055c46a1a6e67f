'use strict';
/* Served pages in a browser: node test_serve.js SINEW EXAMPLES FOLDER. What they show is compared with what sinew
   export writes; the plots with the smallest and largest numbers of the file. */
const assert = require('node:assert/strict');
const path = require('node:path');
const {spawn} = require('node:child_process');

const [sinew, examples, folder] = process.argv.slice(2),
  kit = require('./kit').make(sinew, folder),
  {at, call, serve, troubles} = kit;
const twoBar = path.join(examples, 'two-bar', 'two-bar.yaml');
/* 20,001 frames: more than pixels */
call('run', twoBar, '-q', '--end', '20', '--output', '1 ms', '-o', at('long.h5'));
call('modes', path.join(examples, 'plane', 'plane.yaml'), '-o', at('modes.h5'));

const text = call('export', at('long.h5'), '-o', '-').trim().split('\n');
const head = text[0].split(',');
const column = name => {
  const k = head.indexOf(name);
  assert.ok(k >= 0, name);
  return text.slice(1).map(l => Number(l.split(',')[k]));
};

async function open(address) {
  const page = await kit.page(address, {}, new RegExp(`^(${address.split('#')[0]}|data:|blob:)`));
  await page.goto(address);
  await kit.drawn(page);
  return page;
}
const value = (page, series) =>
  page
    .locator(`output[data-series="${series}"]`)
    .first()
    .evaluate(e => Number(e.dataset.value));

const tests = {
  async 'numbers and the scene are those of the file'() {
    const s = await serve('long.h5'),
      page = await open(s.address),
      x = column('node2.x'),
      y = column('node2.y'),
      t = column('t');
    for (const k of [0, 12345, 20000]) {
      await page.evaluate(i => window.sinew.seek(i), k);
      await page.waitForFunction(
        want => document.querySelector('output[data-series="node2.x"]').dataset.value === String(want),
        x[k],
      );
      assert.equal(await value(page, 'node2.y'), y[k]);
      assert.equal(await page.locator('#clock').evaluate(e => Number(e.dataset.value)), t[k]);
      const p = await page.evaluate(() =>
        window.sinew.position(window.sinew.header.nodes.findIndex(n => n.name === 'n2')),
      );
      assert.ok(Math.abs(p[0] - x[k]) < 1e-6 * Math.abs(x[k]) + 1e-9, `${p[0]} is not ${x[k]}`);
    }
    assert.equal(await s.end(), 0);
  },

  async 'plots have the smallest and largest of the file, and all frames on zoom'() {
    const s = await serve('long.h5'),
      page = await open(s.address),
      x = column('node2.x'),
      t = column('t');
    const lines = () => page.evaluate(() => window.sinew.lines('node2'));
    await page.waitForFunction(() => window.sinew.lines('node2')[0].length > 0);
    const all = await lines();
    assert.ok(all[0].length < 3000 && all[0].length > 300, `${all[0].length} points`);
    assert.equal(Math.min(...all[1]), Math.min(...x));
    assert.equal(Math.max(...all[1]), Math.max(...x));
    /* each pair lies within its own frames */
    for (let i = 0; i < all[0].length; i += 2) {
      const part = x.slice(t.indexOf(all[0][i]), t.indexOf(all[0][i + 1]) + 1);
      assert.equal(all[1][i], Math.min(...part));
      assert.equal(all[1][i + 1], Math.max(...part));
    }
    const box = await page.locator('.u-over').first().boundingBox();
    await page.mouse.move(box.x + 0.5 * box.width, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.52 * box.width, box.y + 30, {steps: 4});
    await page.mouse.up();
    await page.waitForFunction(n => window.sinew.lines('node2')[0].length !== n, all[0].length);
    const part = await lines(),
      from = t.indexOf(part[0][0]);
    assert.ok(part[0][0] > 8 && part[0].at(-1) < 12, `${part[0][0]} to ${part[0].at(-1)}`);
    assert.deepEqual(part[0], t.slice(from, from + part[0].length));
    assert.deepEqual(part[1], x.slice(from, from + part[0].length));
    await s.end();
  },

  async 'the table of all frames is the file'() {
    const s = await serve('long.h5'),
      page = await open(s.address),
      rows = (await page.evaluate(() => window.sinew.csv())).trim().split('\n');
    assert.equal(rows.length, text.length);
    const k = rows[0].split(',').indexOf('node2.y'),
      y = column('node2.y');
    for (const i of [0, 777, 20000]) assert.equal(Number(rows[i + 1].split(',')[k]), y[i]);
    await s.end();
  },

  async 'plays, and modes swing'() {
    for (const file of ['long.h5', 'modes.h5']) {
      const s = await serve(file),
        page = await open(s.address);
      const n = await page.evaluate(() => window.sinew.drawn());
      await page.click('#play');
      await page.waitForFunction(k => window.sinew.drawn() > k + 3, n);
      await page.close();
      await s.end();
    }
  },

  async 'states between the coarse ones come when time stands still'() {
    /* a coarse page of this result would need many beams: the page is told that it has every 50th frame only */
    const s = await serve('long.h5'),
      page = await kit.page('coarse', {}, /./),
      x = column('node2.x');
    await page.route(s.address, async route => {
      const got = await route.fetch();
      await route.fulfill({
        response: got,
        body: (await got.text()).replace('"stride":1,"sights":20001', '"stride":50,"sights":401'),
      });
    });
    await page.goto(s.address);
    await kit.drawn(page);
    const there = k =>
      page.evaluate(i => {
        window.sinew.seek(i);
        return window.sinew.position(window.sinew.header.nodes.findIndex(n => n.name === 'n2'))[0];
      }, k);
    const k = 18325,
      coarse = await there(k),
      line = (x[k - 25] + x[k + 25]) / 2; /* in another piece than frame 0 */
    assert.ok(
      Math.abs(coarse - line) < 1e-6 && Math.abs(line - x[k]) > 1e-5,
      'begins with what lies between the coarse frames',
    );
    await page.waitForFunction(
      ([i, want]) =>
        Math.abs(window.sinew.position(window.sinew.header.nodes.findIndex(n => n.name === 'n2'))[0] - want) < 1e-6,
      [k, x[k]],
    );
    await s.end();
  },

  async 'colours, arrows and their ranges come when they are wanted'() {
    const s = await serve('long.h5'),
      page = await open(`${s.address}#t=2.5`),
      asked = [];
    page.on('request', r => asked.push(r.url()));
    const f = await page.evaluate(() =>
      window.sinew.header.fields.map(o => ({name: o.name, block: o.block, range: o.range})),
    );
    assert.ok(f.some(o => o.name === 'bending') && f.every(o => !o.range.length), 'the page has no ranges yet');
    assert.ok(!asked.some(u => u.includes('/range')));
    await page.evaluate(() => {
      window.sinew.looks().setField('bending');
      window.sinew.looks().setArrows('reaction', true);
    });
    await page.waitForFunction(
      () => Number.isFinite(window.sinew.field('bending', 0)) && window.sinew.arrows().length > 0,
    );
    /* the same as in the page that has everything */
    call('view', at('long.h5'), '-q', '-o', at('long.html'));
    const whole = await kit.open('long');
    await whole.evaluate(() => {
      window.sinew.seek(2500);
      window.sinew.looks().setField('bending');
      window.sinew.looks().setArrows('reaction', true);
    });
    const tell = p =>
      p.evaluate(() => {
        const w = window.sinew,
          e = w.header.elements.findIndex(o => o.name.startsWith('beam'));
        return {
          ends: [...document.querySelectorAll('#legend .ends output')].map(o => o.dataset.value),
          field: [0, 1, 2].map(k => w.field('bending', k)),
          painted: w.painted(e),
          arrows: w.arrows(),
        };
      });
    const a = await tell(page),
      b = await tell(whole);
    assert.equal(a.ends.length, 3);
    assert.deepEqual(a, b);
    await s.end();
  },

  async 'a run that goes on shows more on reload; a server that has ended is told'() {
    const run = spawn(sinew, ['run', twoBar, '-q', '--end', '5000', '-o', at('going.h5')], {stdio: 'ignore'});
    try {
      for (let i = 0; i < 100 && !require('node:fs').existsSync(at('going.h5')); i++)
        await new Promise(r => setTimeout(r, 100));
      const s = await serve('going.h5'),
        page = await open(s.address),
        frames = () => page.evaluate(() => window.sinew.header.frames);
      const before = await frames();
      assert.match(await page.textContent('#note'), /still going on/);
      let now = before;
      for (let i = 0; i < 20 && now === before; i++) {
        await page.reload();
        await kit.drawn(page);
        now = await frames();
      }
      assert.ok(now > before, `${before}, then ${now} frames`);
      await s.end(true);
      await page.evaluate(() => window.sinew.seek(Math.floor(window.sinew.header.frames / 2) + 1));
      await page.click('#csv');
      await page.waitForFunction(() => /server has ended/.test(document.getElementById('note').textContent));
      troubles.length = 0; /* the browser tells of failed requests by itself */
    } finally {
      run.kill('SIGKILL');
    }
  },

  async 'the address says time, view and traces'() {
    const s = await serve('long.h5'),
      page = await open(`${s.address}#t=2.5&view=6&trace=n3&bare`);
    await page.waitForFunction(() => window.sinew.frame() === 2500);
    assert.equal(await page.inputValue('#camera'), '5');
    assert.ok(!(await page.locator('#side').isVisible()));
    for (const [wish, text] of [
      ['t=99', /outside the result/],
      ['trace=nobody', /no node 'nobody'/],
      ['mode=1', /no modes/],
    ]) {
      const wrong = await open(`${s.address}#${wish}`);
      assert.match(await wrong.textContent('#note'), text);
    }
    await s.end();
  },
};

kit.all(tests, kit.endServers);
