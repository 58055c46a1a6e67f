'use strict';
/* Plots of many sensors: the list, legends, axes, spectra, one quantity over another; numbers that stay where they
   are. node test_plots.js SINEW FOLDER. Motions are prescribed, so that everything is known. */
const assert = require('node:assert/strict');
const fs = require('node:fs');

const [sinew, folder] = process.argv.slice(2),
  kit = require('./kit').make(sinew, folder),
  {at, call, open} = kit;

/* Forty nodes that swing with 5 Hz; the first one also by a two-hundredth of that with 12.5 Hz, across. */
const far = 0.3,
  little = 0.0015,
  count = 40;
const lines = make => Array.from({length: count}, (_, i) => make(i)).join('\n');
fs.writeFileSync(
  at('many.yaml'),
  `sinew: 1
title: Many sensors
nodes:
  still: [0, -1]
${lines(i => `  n${i}: [0, ${0.1 * i}]`)}
elements:
  held: {mass2d: still, mass: 1 kg}
${lines(i => `  m${i}: {mass2d: n${i}, mass: 1 kg}`)}
joints:
  rest: {fixed: still}
${lines(i => `  x${i}: {drive: n${i}.x, value: ${far}*sin(2*pi*5*t)}`)}
  y0: {drive: n0.y, value: ${little}*sin(2*pi*12.5*t)}
${lines(i => (i ? `  y${i}: {fixed: n${i}, only: y}` : ''))}
sensors:
${lines(i => `  p${i}: {position: n${i}}`)}
  rest: {position: still}
${lines(i => `  v${i}: {velocity: n${i}}`)}
run: {end: 2 s, step: 4 ms, output: 4 ms}
`,
);
call('run', at('many.yaml'), '-q', '-o', at('many.h5'));
call('view', at('many.h5'), '-q');
call('run', at('many.yaml'), '-q', '-o', at('twice.h5'), '--step', '2 ms', '--output', '8 ms');
call('view', at('many.h5'), at('twice.h5'), '-q', '-o', at('both.html'));
const file = kit.numbers('many');

const figures = page => page.locator('#plots figure');
const legend = (page, key) => page.locator(`button.series:has(output[data-series="${key}"])`);
const over = (page, i, what) => page.locator('select.over').nth(i).selectOption(what);
const visible = async page =>
  (await page.locator('#choices label:visible').allInnerTexts()).map(s => s.trim().replace(/\s+/g, ' '));

const tests = {
  async 'a hundred sensors: search, all, none, groups; what is constant is folded away'() {
    const page = await open('many');
    assert.equal(await figures(page).count(), 4);
    await page.locator('#list > summary').click();
    assert.equal((await visible(page)).length, 2 * count);
    assert.ok(!(await visible(page)).includes('rest (m)')); /* folded away */
    await page.fill('#search', 'v1');
    assert.deepEqual(
      await visible(page),
      [1, ...Array.from({length: 10}, (_, k) => 10 + k)].map(i => `v${i} (m/s)`),
    );
    await page.click('#everything');
    assert.equal(await figures(page).count(), 4 + 11);
    await page.click('#nothing');
    assert.equal(await figures(page).count(), 4);
    await page.fill('#search', 'rest');
    assert.deepEqual(await visible(page), ['rest (m)']);
    await page.fill('#search', '');
    await page.click('#nothing');
    assert.equal(await figures(page).count(), 0);
    await page.locator('#choices input[aria-label="all of velocity"]').check();
    assert.equal(await figures(page).count(), count);
    assert.match(await page.locator('#list > summary').innerText(), /40 of 81/);
    assert.equal(await page.locator('#choices label input:checked').count(), count);
    /* the keyboard belongs to who types */
    await page.locator('#search').press('f');
    assert.equal(await page.inputValue('#search'), 'f');
    assert.equal(await page.getAttribute('#follow', 'aria-pressed'), 'false');
  },

  async 'a constant component is a number and no line; a click on the legend draws it, another takes it away'() {
    const page = await open('many');
    const label = legend(page, 'p1.y');
    assert.equal(await label.getAttribute('aria-pressed'), 'false');
    assert.equal(await legend(page, 'p1.x').getAttribute('aria-pressed'), 'true');
    const before = (await page.evaluate(() => window.sinew.scales('p1'))).y;
    assert.ok(before[1] < 2 * far, `${before}`);
    await label.click();
    assert.equal(await legend(page, 'p1.y').getAttribute('aria-pressed'), 'true');
    await legend(page, 'p1.x').click();
    const alone = (await page.evaluate(() => window.sinew.scales('p1'))).y;
    assert.ok(alone[0] < 0.1 && alone[1] > 0.1 && alone[1] - alone[0] < 0.1, `${alone}`);
    await legend(page, 'p1.x').click({modifiers: ['Shift']});
    assert.equal(await legend(page, 'p1.y').getAttribute('aria-pressed'), 'false');
    await legend(page, 'p1.x').click({modifiers: ['Shift']});
    assert.equal(await legend(page, 'p1.y').getAttribute('aria-pressed'), 'true');
  },

  async 'what goes a thirtieth as far has an axis of its own, which follows the zoom'() {
    const page = await open('many');
    const {y, right} = await page.evaluate(() => window.sinew.scales('p0'));
    assert.ok(y[1] >= far && y[1] < 1.5 * far, `${y}`);
    assert.ok(right[1] >= little && right[1] < 1.5 * little, `${right}`);
    assert.ok(await legend(page, 'p0.y').evaluate(e => e.classList.contains('right')));
    assert.ok(!(await legend(page, 'p0.x').evaluate(e => e.classList.contains('right'))));
    /* to the first hundredth of the time: x is nearly straight there and small */
    const box = await page.locator('.u-over').first().boundingBox(),
      end = 0.012;
    await page.mouse.move(box.x + 0.5, box.y + 40);
    await page.mouse.down();
    await page.mouse.move(box.x + (end / 2) * box.width + 6, box.y + 60, {steps: 4});
    await page.mouse.up();
    const range = await page.evaluate(() => window.sinew.range()),
      most = far * Math.sin(2 * Math.PI * 5 * range[1]),
      zoomed = (await page.evaluate(() => window.sinew.scales('p1'))).y;
    assert.ok(range[1] < 0.05, `${range}`);
    assert.ok(zoomed[1] > 0.5 * most && zoomed[1] < 2 * most + 0.02, `${zoomed} for ${most}`);
    await page.click('#all');
    assert.ok((await page.evaluate(() => window.sinew.scales('p1'))).y[1] >= far);
  },

  async 'a spectrum has the amplitude at the frequency'() {
    const page = await open('many');
    await over(page, 0, 'spectrum');
    const [f, x, y] = await page.evaluate(() => window.sinew.lines('p0')),
      peak = a => a.reduce((best, v, i) => (v > a[best] ? i : best), 0);
    /* Hann's window, zeros up to four times the record: at most an eighth of 1/T from the peak, where the window has
       lost 1.1 % */
    assert.ok(Math.abs(f[peak(x)] - 5) < 0.125 / 2 + 1e-9, `${f[peak(x)]}`);
    assert.ok(Math.abs(x[peak(x)] - far) < 0.012 * far, `${x[peak(x)]}`);
    assert.ok(Math.abs(f[peak(y)] - 12.5) < 0.125 / 2 + 1e-9, `${f[peak(y)]}`);
    assert.ok(Math.abs(y[peak(y)] - little) < 0.012 * little, `${y[peak(y)]}`);
    assert.equal(await page.locator('.now').count(), 3); /* no mark of time */
    await over(page, 0, '');
    assert.equal(await page.locator('.now').count(), 4);
  },

  async 'one quantity over another: the point of the frame is marked, and a click goes to the frame'() {
    const page = await open('many');
    await over(page, 0, 'v0.x');
    const u = page.locator('.u-over').first(),
      box = await u.boundingBox();
    for (const k of [10, 37]) {
      await page.evaluate(i => window.sinew.seek(i), k);
      const dot = await u.locator('.dot').first().boundingBox(),
        {x, y} = await page.evaluate(() => window.sinew.scales('p0')),
        part = (v, [a, b]) => (v - a) / (b - a);
      assert.ok(Math.abs(dot.x + 4.5 - box.x - part(file.get('v0.x', k), x) * box.width) < 2, 'across');
      assert.ok(Math.abs(dot.y + 4.5 - box.y - (1 - part(file.get('p0.x', k), y)) * box.height) < 2, 'up');
    }
    /* the largest speed, to the right: where x passes zero, each 0.2 s */
    await u.click({position: {x: 0.98 * box.width, y: 0.5 * box.height}});
    const t = await page.evaluate(() => window.sinew.time());
    assert.ok(Math.abs(t / 0.2 - Math.round(t / 0.2)) < 0.05, `${t}`);
  },

  async 'numbers stay where they are while it plays, rounding is 0, every digit is there for who asks'() {
    const page = await open('many'),
      places = new Set(),
      texts = new Set();
    for (let k = 0; k < 500; k += 7) {
      await page.evaluate(i => window.sinew.seek(i), k);
      places.add(
        JSON.stringify(
          await page.locator('figure').evaluateAll(all =>
            all
              .flatMap(f => [...f.querySelectorAll('b, button.series, canvas')])
              .map(e => {
                const r = e.getBoundingClientRect();
                return [r.x, r.y, r.width, r.height];
              }),
          ),
        ),
      );
      const x = page.locator('output[data-series="p0.x"]');
      texts.add((await x.innerText()).replace('−', '').length);
      const exact = file.get('p0.x', k);
      assert.equal(Number(await x.getAttribute('data-value')), exact);
      assert.equal(Number(await x.getAttribute('title')), exact);
      /* five digits of the largest; multiples of pi in doubles are 1e-16 from zero */
      const text = (await x.innerText()).replace('−', '-');
      assert.ok(Math.abs(Number(text) - exact) <= 0.5001e-5, `${text} is not ${exact}`);
      if (Math.abs(exact) < 1e-13 * far) assert.equal(text, '0');
    }
    assert.equal(places.size, 1);
    assert.ok(texts.size <= 2, `${[...texts]}`);
  },

  async 'results that are the same are both seen; axes say what they are'() {
    const page = await open('both');
    await over(page, 0, 'spectrum');
    await over(page, 1, 'v0.x');
    const [f, a, b] = await page.evaluate(() => window.sinew.lines('p0')),
      at5 = y => Math.max(...f.map((x, i) => (Math.abs(x - 5) < 0.3 ? (y[i] ?? 0) : 0)));
    assert.ok(Math.abs(at5(a) - far) < 0.012 * far && Math.abs(at5(b) - far) < 0.012 * far);
    if (process.env.PICTURES) await page.screenshot({path: at('both.png')});
  },
};
kit.all(tests);
