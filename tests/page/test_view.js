'use strict';
/* The pages of sinew view in a browser: node test_view.js SINEW EXAMPLES FOLDER. Results, pages and pictures go into
   the folder. What the pages show is compared with what sinew export writes. */
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');

const [sinew, examples, folder] = process.argv.slice(2),
  kit = require('./kit').make(sinew, folder),
  {at, call, numbers, open, picture} = kit;
for (const name of ['two-bar', 'heavy-top', 'plane', 'slider-crank', 'four-bar']) {
  call('run', path.join(examples, name, `${name}.yaml`), '-q', '-o', at(`${name}.h5`));
  call('view', at(`${name}.h5`));
}
call('modes', path.join(examples, 'plane', 'plane.yaml'), '-o', at('modes.h5'));
call('view', at('modes.h5'), '-o', at('modes.html'));

const frame = page => page.evaluate(() => window.sinew.frame());
const where = (page, node) =>
  page.evaluate(n => window.sinew.position(window.sinew.header.nodes.findIndex(o => o.name === n)), node);
const value = (page, series) =>
  page
    .locator(`output[data-series="${series}"]`)
    .first()
    .evaluate(e => ({exact: Number(e.dataset.value), shown: Number(e.textContent.replace('−', '-'))}));
/* Numbers of modes have nine digits; those beside plots five of the largest of all frames. */
const near = (a, b, digits = 9) =>
  assert.ok(Math.abs(a - b) <= 0.51 * 10 ** (1 - digits) * Math.abs(b) + 1e-300, `${a} is not ${b}`);

const tests = {
  async 'play moves the mechanism, pause stops it'() {
    for (const name of ['two-bar', 'heavy-top', 'plane']) {
      const page = await open(name),
        before = await picture(page);
      await page.click('#play');
      await page.waitForFunction(() => window.sinew.frame() > 10);
      await page.click('#play');
      const k = await frame(page);
      assert.ok(Number.isInteger(k) && k > 10);
      assert.notEqual(await picture(page), before);
      await page.waitForTimeout(150);
      assert.equal(await frame(page), k);
    }
  },

  async 'numbers under the cursor, the clock and the scene are those of the file'() {
    const page = await open('two-bar'),
      file = numbers('two-bar'),
      over = page.locator('.u-over').first(),
      box = await over.boundingBox();
    const seen = new Set();
    for (const part of [0.15, 0.52, 0.9]) {
      await page.mouse.move(box.x + part * box.width, box.y + 0.4 * box.height);
      await page.waitForFunction(p => Math.abs(window.sinew.time() - 3 * p) < 0.02, part);
      const k = await frame(page);
      seen.add(k);
      near(await page.locator('#clock').evaluate(e => Number(e.dataset.value)), file.t(k), 15);
      for (const s of ['node2.x', 'node2.y', 'node2.theta', 'node3.x', 'node3.y']) {
        const v = await value(page, s);
        assert.equal(v.exact, file.get(s, k), s);
        let most = 0;
        for (let i = 0; i < file.rows; i++) most = Math.max(most, Math.abs(file.get(s, i)));
        assert.ok(Math.abs(v.shown - v.exact) <= 0.51e-4 * 10 ** Math.floor(Math.log10(most)), `${s}: ${v.shown}`);
      }
      /* the scene has single precision */
      const p = await where(page, 'n2');
      near(p[0], file.get('node2.x', k), 7);
      near(p[1], file.get('node2.y', k), 7);
      /* the mark stands under the mouse: frames are a hundredth of a second apart */
      const now = await page.locator('.now').first().boundingBox();
      assert.ok(Math.abs(now.x - (box.x + part * box.width)) <= (0.006 * box.width) / 3 + 2.5, `${now.x}`);
      assert.equal(Number(await page.inputValue('#scrub')), k);
    }
    assert.equal(seen.size, 3);
  },

  async 'a spatial body turns as the file says'() {
    const page = await open('heavy-top'),
      file = numbers('heavy-top');
    for (const k of [37, 250, 400]) {
      await page.evaluate(i => window.sinew.seek(i), k);
      const centre = await page.evaluate(() =>
        window.sinew.point(
          window.sinew.header.nodes.findIndex(n => n.name === 'tip'),
          [0, 1, 0],
        ),
      );
      /* a quaternion in single precision */
      'xyz'.split('').forEach((c, j) => assert.ok(Math.abs(centre[j] - file.get(`centre.${c}`, k)) < 1e-6, c));
      assert.equal((await value(page, 'centre.z')).exact, file.get('centre.z', k));
    }
  },

  async 'keys play, step, and choose views'() {
    const page = await open('plane');
    await page.keyboard.press('ArrowRight');
    assert.equal(await frame(page), 1);
    await page.keyboard.press('Shift+ArrowRight');
    assert.equal(await frame(page), 11);
    await page.keyboard.press('ArrowLeft');
    assert.equal(await frame(page), 10);
    await page.keyboard.press('End');
    assert.equal(await frame(page), 300);
    await page.keyboard.press('Home');
    const pictures = new Set();
    for (const k of '123456') {
      await page.keyboard.press(k);
      assert.equal(await page.inputValue('#camera'), String(k - 1));
      pictures.add(await picture(page));
    }
    assert.equal(pictures.size, 6);
    await page.keyboard.press(' ');
    await page.waitForFunction(() => window.sinew.frame() > 5);
    await page.keyboard.press(' ');
    assert.equal(await page.getAttribute('#play', 'aria-label'), 'play');
  },

  async 'the end of a run is its end without loop, its start with it'() {
    const page = await open('two-bar');
    await page.selectOption('#speed', '10');
    await page.evaluate(() => window.sinew.seek(290));
    await page.click('#loop');
    await page.click('#play');
    await page.waitForFunction(() => document.querySelector('#play').getAttribute('aria-label') === 'play');
    assert.equal(await frame(page), 300);
    await page.click('#loop');
    await page.evaluate(() => window.sinew.seek(295));
    await page.click('#play');
    await page.waitForFunction(() => window.sinew.frame() < 200);
  },

  async 'sensors are chosen from a list; CSV has every digit; PNG is a picture; a trace appears'() {
    const page = await open('two-bar'),
      file = numbers('two-bar');
    await page.click('#list summary');
    const boxes = page.locator('#choices label input'),
      n = await boxes.count(),
      plots = await page.locator('#plots figure').count();
    await boxes.nth(n - 1).check();
    assert.equal(await page.locator('#plots figure').count(), plots + 1);
    await boxes.nth(0).uncheck();
    assert.equal(await page.locator('#plots figure').count(), plots);
    const [csv] = await Promise.all([page.waitForEvent('download'), page.click('#csv')]);
    const [head, ...rows] = fs
      .readFileSync(await csv.path(), 'utf8')
      .trim()
      .split('\n')
      .map(l => l.split(','));
    assert.equal(csv.suggestedFilename(), 'two-bar.csv');
    assert.equal(rows.length, file.rows);
    for (const k of [0, 133, 300])
      head.forEach((c, j) => assert.equal(Number(rows[k][j]), j ? file.get(c, k) : file.t(k)));
    const [png] = await Promise.all([page.waitForEvent('download'), page.click('#png')]);
    assert.equal(
      fs
        .readFileSync(await png.path())
        .subarray(1, 4)
        .toString(),
      'PNG',
    );
    await page.evaluate(() => window.sinew.seek(200));
    const before = await picture(page);
    await page.selectOption('#trace', {label: 'n5'});
    await page.waitForTimeout(100);
    assert.notEqual(await picture(page), before);
  },

  async 'a drag zooms all plots, a double click shows everything again'() {
    const page = await open('two-bar'),
      box = await page.locator('.u-over').first().boundingBox(),
      y = box.y + 40;
    const labels = () =>
      page
        .locator('.u-over')
        .nth(1)
        .evaluate(() => window.sinew.range());
    assert.deepEqual(await labels(), [0, 3]);
    await page.mouse.move(box.x + 0.25 * box.width, y);
    await page.mouse.down();
    await page.mouse.move(box.x + 0.5 * box.width, y, {steps: 5});
    await page.mouse.up();
    const [a, b] = await labels();
    assert.ok(Math.abs(a - 0.75) < 0.02 && Math.abs(b - 1.5) < 0.02, `${a} ${b}`);
    await page.mouse.dblclick(box.x + 0.5 * box.width, y);
    assert.deepEqual(await labels(), [0, 3]);
  },

  async 'modes swing, each with its frequency'() {
    const page = await open('modes'),
      file = numbers('modes'),
      n = await page.locator('#plots button').count();
    assert.equal(n, file.rows);
    for (const k of [0, n - 1])
      assert.equal(
        await page
          .locator('#plots button output')
          .nth(k)
          .evaluate(e => Number(e.dataset.value)),
        file.t(k),
      );
    await page
      .locator('#plots button')
      .nth(n - 1)
      .click();
    assert.match(await page.textContent('#clock'), new RegExp(`mode ${n}:`));
    const a = await picture(page);
    await page.waitForTimeout(300);
    assert.notEqual(await picture(page), a);
  },

  async 'partial results and results without states say so and show the rest'() {
    const page = await open('partial');
    assert.match(await page.textContent('#note'), /interrupted|killed|going on/);
    assert.ok((await page.locator('#plots figure').count()) > 0);
    const whole = fs.readFileSync(at('two-bar.html'), 'utf8'),
      less = (name, change) => fs.writeFileSync(at(`${name}.html`), change(whole));
    const without = (text, id) =>
      text.replace(new RegExp(`(<script id="${id}" type="application/octet-stream">)[^<]*`, 'g'), '$1');
    less('no-states', t => without(t, 'sq').replace(/"nq":\d+/, '"nq":0'));
    less('no-frames', t =>
      without(t, '(?:sq|axis|c\\d+)')
        .replace(/"frames":\d+/, '"frames":0')
        .replace(/"sights":\d+/, '"sights":0'),
    );
    for (const [name, note] of [
      ['no-states', /no states/],
      ['no-frames', /no frames/],
    ]) {
      const p = await open(name);
      assert.match(await p.textContent('#note'), note);
      assert.ok((await p.locator('#plots figure').count()) > 0);
      await p.click('#play');
      for (const k of ['ArrowRight', 'End', ' ', '6']) await p.keyboard.press(k);
      await p.click('#csv');
    }
  },

  async 'light and dark, on the scene too'() {
    const page = await open('two-bar'),
      light = await picture(page),
      look = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor),
      white = await look();
    await page.click('#theme');
    await page.waitForTimeout(100);
    assert.notEqual(await look(), white);
    assert.notEqual(await picture(page), light);
  },

  async 'a phone needs no scrolling sideways, and a touch on a plot moves the time'() {
    const page = await open('plane', {
      viewport: {width: 360, height: 740},
      deviceScaleFactor: 2,
      isMobile: true,
      hasTouch: true,
    });
    assert.ok(
      await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth),
    );
    const box = await page.locator('.u-over').first().boundingBox();
    await page.touchscreen.tap(box.x + box.width / 2, box.y + box.height / 2);
    await page.waitForFunction(() => Math.abs(window.sinew.frame() - 150) < 6);
  },

  async 'beams have the sections of the model'() {
    const page = await open('plane');
    const rows = (p, table) =>
      p.evaluate(name => {
        const h = window.sinew.header;
        return Object.fromEntries(h[name].map(x => [h.elements[x[0]].name.split(':')[1], x]));
      }, table);
    const size = await rows(page, 'lines');
    /* pieces of the wing are as large as the wing in their middle: the last one at 0.95 of its length */
    near(size.left_wing[1], 0.2 + 0.95 * (0.05 - 0.2), 12);
    near(size.left_wing[2], 1.4 + 0.95 * (0.1 - 1.4), 12);
    near(size.fuselage1[1], 1.5, 12);
    const crank = await open('slider-crank'),
      {rod1} = await rows(crank, 'lines');
    assert.equal(rod1[12], 2, 'round');
    near(rod1[1], 0.006, 12);
    near((await rows(crank, 'bodies')).crank[2], 0.05, 12);
  },

  async 'one bad wish drops no other, and each is said'() {
    const page = await kit.page('wishes');
    await page.goto(
      'file://' + at('two-bar.html') + '#colour=nothing&view=back&trace=nobody&trace=n3&t=1&arrows=wind&view=under',
    );
    await kit.drawn(page);
    assert.equal(await page.inputValue('#camera'), '1');
    assert.ok(Math.abs((await page.evaluate(() => window.sinew.time())) - 1) < 0.006);
    assert.match(await page.locator('#trace').innerText(), /✓ n3/);
    const note = await page.locator('#note').innerText();
    for (const text of [
      "There is no view 'under': there are front,",
      "There is no node 'nobody'.",
      "There is no colour 'nothing'",
      "There are no arrows 'wind'",
    ])
      assert.ok(note.includes(text), note);
  },

  async 'a page begins as it was asked to be written, unless its address says otherwise'() {
    call(
      'view',
      at('two-bar.h5'),
      '-q',
      '-o',
      at('begins.html'),
      '--time',
      '1',
      '--view',
      'oblique',
      '--colour',
      'bending',
    );
    const page = await open('begins');
    assert.equal(await page.inputValue('#camera'), '5');
    assert.equal(await page.inputValue('#field'), 'bending');
    assert.ok(Math.abs((await page.evaluate(() => window.sinew.time())) - 1) < 0.006);
    const other = await kit.page('other');
    await other.goto('file://' + at('begins.html') + '#view=left');
    await kit.drawn(other);
    assert.equal(await other.inputValue('#camera'), '2');
    assert.equal(await frame(other), 0);
  },

  async 'a ? shows the keys and the work for a frame, each key does what it says'() {
    const page = await open('two-bar');
    await page.click('#play');
    await page.waitForFunction(() => window.sinew.work().frames > 15);
    await page.click('#play');
    await page.keyboard.press('?');
    assert.ok(await page.isVisible('#keys'));
    const text = await page.locator('#keys').innerText();
    for (const key of ['space', '←', 'Home', 'F', 'N', 'C', 'A', '?']) assert.ok(text.includes(key), key);
    assert.match(text, /works [0-9.]+ ms for a frame/);
    const before = await frame(page);
    await page.keyboard.press('ArrowRight'); /* not behind the dialog */
    assert.equal(await frame(page), before);
    await page.keyboard.press('?');
    assert.ok(!(await page.isVisible('#keys')));
    await page.keyboard.press('ArrowRight');
    assert.equal(await frame(page), before + 1);
    await page.keyboard.press('5');
    assert.equal(await page.inputValue('#camera'), '4');
    await page.click('#help');
    await page.locator('#keys button').click();
    assert.ok(!(await page.isVisible('#keys')));
  },

  async 'controls have names'() {
    const page = await open('plane');
    const bare = await page.evaluate(() =>
      [...document.querySelectorAll('button, select, input')]
        .filter(b => !(b.getAttribute('aria-label') || b.textContent.trim() || b.closest('label')))
        .map(b => b.id),
    );
    assert.deepEqual(bare, []);
    assert.equal(await page.title(), 'Plane with flexible wings in a gust');
  },
};

async function pictures() {
  const phone = {viewport: {width: 390, height: 844}, deviceScaleFactor: 2, isMobile: true, hasTouch: true};
  for (const [name, k, kind, options] of [
    ['two-bar', 80, 'light', {}],
    ['plane', 195, 'light', {}],
    ['heavy-top', 100, 'dark', {colorScheme: 'dark'}],
    ['four-bar', 100, 'light', {}],
    ['slider-crank', 300, 'dark', {colorScheme: 'dark'}],
    ['modes', 7, 'light', {}],
    ['two-bar', 80, 'phone', phone],
    ['plane', 195, 'phone', phone],
  ]) {
    const page = await open(name, options);
    await page.evaluate(f => window.sinew.seek(f), k);
    await page.waitForTimeout(300);
    await page.screenshot({path: at(`${name}-${kind}.png`)});
    await page.context().close();
  }
}

kit.all(tests, process.env.PICTURES ? pictures : null);
