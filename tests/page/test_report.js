'use strict';
/* The report page in a browser: node test_report.js MAKE_PAGE FOLDER. Pages and pictures go into the folder. */
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const {execFileSync} = require('node:child_process');
const stage = require('./kit').stage({width: 1280, height: 860}, ['--no-sandbox', '--disable-gpu']);
const {realistic, odd} = require('./study.js');

const [make, folder] = process.argv.slice(2);
const study = realistic({experiments: 5, samples: 1500}),
  first = study.experiments[0];
const profiled = realistic({experiments: 1, samples: 200, profiles: true});
const files = {};
for (const [name, data] of Object.entries({realistic: study, many: realistic(), profiled, ...odd})) {
  const json = path.join(folder, `${name}.json`);
  files[name] = path.join(folder, `${name}.html`);
  fs.writeFileSync(json, JSON.stringify(data));
  execFileSync(make, [json, files[name], 'Two bars: springs & masses from 26 drops']);
}

async function open(name, options) {
  const page = await stage.page(name, options);
  await page.goto('file://' + files[name]);
  return page;
}

/* A number as the page writes it. */
function number(s) {
  const [m, e] = s.replace('−', '-').split(/\s*×\s*10/);
  return +m * 10 ** (e ? +e.replace(/[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]/g, c => (c === '⁻' ? '-' : '⁰¹²³⁴⁵⁶⁷⁸⁹'.indexOf(c))) : 0);
}
/* Five digits are shown: half a unit of the fifth. */
const near = (shown, exact) =>
  assert.ok(Math.abs(number(shown) - exact) <= 0.5001e-4 * Math.abs(exact) + 1e-12, `${shown} is not ${exact}`);
const range = async page =>
  (await page.textContent('#range'))
    .match(/from (\S+) to (\S+)/)
    .slice(1)
    .map(number);
const settle = page =>
  page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))));
const noOverflow = page =>
  page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);

const tests = {
  async 'hovering a plot shows the data, the fit and the start at that time, in linked plots too'() {
    const page = await open('realistic'),
      figures = page.locator('#experiments .plots').first().locator('figure');
    const plot = figures.nth(1).locator('.canvas');
    await plot.scrollIntoViewIfNeeded();
    const box = await plot.boundingBox(),
      times = new Set();
    for (const part of [0.2, 0.5, 0.83]) {
      await page.mouse.move(box.x + part * box.width, box.y + 0.5 * box.height);
      await settle(page);
      const t = number((await figures.nth(1).locator('.at').textContent()).split('= ')[1]);
      const i = first.t.findIndex(v => Math.abs(v - t) < 1e-5);
      assert.ok(i >= 0, `no sample at ${t}`);
      /* left margin 56, right margin 8 pixels */
      assert.ok(Math.abs(t - (3 * (part * box.width - 56)) / (box.width - 64)) < 0.01, `${t} is not under the mouse`);
      times.add(t);
      for (const k of [0, 1])
        for (const s of ['data', 'fit', 'start'])
          near(await figures.nth(k).locator(`output[data-series=${s}]`).textContent(), first.channels[k][s][i]);
    }
    assert.equal(times.size, 3);
  },

  async 'a drag zooms, the wheel zooms, shift and drag move, a double click resets'() {
    const page = await open('realistic'),
      plot = page.locator('#experiments .canvas').first();
    await plot.scrollIntoViewIfNeeded();
    const box = await plot.boundingBox(),
      y = box.y + box.height / 2,
      x = part => box.x + 56 + part * (box.width - 64);
    assert.deepEqual(await range(page), [0, 3]);
    await page.mouse.move(x(0.25), y);
    await page.mouse.down();
    await page.mouse.move(x(0.5), y, {steps: 4});
    await page.mouse.up();
    const a = await range(page);
    assert.ok(Math.abs(a[0] - 0.75) < 0.01 && Math.abs(a[1] - 1.5) < 0.01, `${a}`);
    await page.mouse.move(x(0.5), y);
    const shown = await page.textContent('#range');
    await page.mouse.wheel(0, -200);
    await page.waitForFunction(old => document.querySelector('#range').textContent !== old, shown);
    const b = await range(page);
    assert.ok(b[0] > a[0] && b[1] < a[1], `${b}`);
    await page.keyboard.down('Shift');
    await page.mouse.down();
    await page.mouse.move(x(0.3), y, {steps: 4});
    await page.mouse.up();
    await page.keyboard.up('Shift');
    const c = await range(page);
    assert.ok(c[0] > b[0] && Math.abs(c[1] - c[0] - (b[1] - b[0])) < 2e-3, `${c}`);
    await page.mouse.dblclick(x(0.5), y);
    assert.deepEqual(await range(page), [0, 3]);
  },

  async 'the wheel scrolls the page over a plot that nobody chose'() {
    const page = await open('realistic'),
      plot = page.locator('#experiments .canvas').first();
    await plot.scrollIntoViewIfNeeded();
    const box = await plot.boundingBox(),
      before = await page.evaluate(() => scrollY);
    await page.mouse.move(box.x + 200, box.y + 80);
    await page.mouse.wheel(0, 120);
    await page.waitForFunction(y => scrollY > y, before);
    assert.deepEqual(await range(page), [0, 3]);
  },

  async 'the keyboard reaches the list of experiments and the plots, and works them'() {
    const page = await open('realistic');
    const reach = async want => {
      for (let i = 0; i < 80; i++) {
        await page.keyboard.press('Tab');
        if (await page.evaluate(s => document.activeElement.matches(s), want)) return;
      }
      assert.fail(`Tab does not reach ${want}`);
    };
    await reach('.chip');
    await page.keyboard.press('ArrowRight');
    assert.equal(await page.evaluate(() => document.activeElement.getAttribute('aria-checked')), 'true');
    assert.match(await page.textContent('#experiments h3'), /drop_02/);
    assert.equal(await page.inputValue('#choice'), '1');
    await reach('#choice');
    await page.keyboard.press('ArrowDown');
    assert.match(await page.textContent('#experiments h3'), /drop_03/);
    await reach('.canvas');
    const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    assert.equal(outline, 'solid');
    await page.keyboard.press('Home');
    await settle(page);
    near(
      await page.locator('#experiments output[data-series=fit]').first().textContent(),
      study.experiments[2].channels[0].fit[0],
    );
    assert.match(await page.textContent('#live'), /data .* fit /);
    await page.keyboard.press('+');
    assert.ok((await range(page))[1] < 3);
    await page.keyboard.press('Escape');
    assert.deepEqual(await range(page), [0, 3]);
    await reach('.heat');
    await page.keyboard.press('ArrowRight');
    assert.match(await page.textContent('#pair'), /k1 and k2: −0\.620/);
  },

  async 'estimates are written to two digits of their standard error'() {
    const page = await open('realistic'),
      row = name => page.locator('#parameters tr', {has: page.getByRole('rowheader', {name, exact: true})}).first();
    assert.match(await row('k1').innerText(), /701\.23 ± 0\.83/);
    assert.match(await row('bar.E').innerText(), /\(21\.037 ± 0\.041\)\s×\s10⁹/);
    assert.match(await page.locator('#parameters').innerText(), /at its lower bound/);
  },

  async 'profiles are drawn in the shown unit, twice the cost against the value, with the line of 95 %'() {
    assert.equal(await (await open('realistic')).locator('#profiles').count(), 0);
    const page = await open('profiled'),
      figures = page.locator('#parameters figure'),
      asked = profiled.parameters.filter(p => p.profile);
    assert.equal(await figures.count(), asked.length);
    for (const [k, p] of asked.entries()) {
      const plot = figures.nth(k).locator('.canvas'),
        factor = p.shown?.factor ?? 1;
      assert.match(await plot.getAttribute('aria-label'), new RegExp(`Profile of ${p.name}: .* interval`));
      await plot.scrollIntoViewIfNeeded();
      await plot.focus();
      for (const [key, i] of [
        ['Home', 0],
        ['End', 8],
      ]) {
        await page.keyboard.press(key);
        await settle(page);
        const shown = await figures.nth(k).locator('.at').textContent(),
          [line, curve] = await figures.nth(k).locator('output[data-series]').allTextContents();
        assert.match(shown, / = /);
        near(shown.split('= ')[1], p.profile.value[i] / factor);
        near(line, 2 * p.profile.limit);
        near(curve, 2 * p.profile.cost[i]);
      }
    }
    assert.match(await figures.nth(3 + 1).innerText(), /GPa/);
  },

  async 'plots out of sight are not drawn, a study of 26 experiments opens quickly, another appears at once'() {
    const page = await open('many');
    await settle(page);
    const untouched = await page.evaluate(
      () =>
        [...document.querySelectorAll('.canvas')].filter(
          h => !h.querySelector('canvas') || h.querySelector('canvas').width === 300,
        ).length,
    );
    assert.ok(untouched > 10, `${untouched}`);
    const took = await page.evaluate(async () => {
      const begin = performance.now(),
        s = document.querySelector('#choice');
      s.scrollIntoView();
      s.value = '7';
      s.dispatchEvent(new Event('change'));
      await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
      return performance.now() - begin;
    });
    /* two busy cores without a GPU take 20 to 90 ms; the limit tells a page that draws all from a slow machine */
    assert.ok(took < 2000, `${took} ms`);
  },

  async 'a curve can be switched off'() {
    const page = await open('realistic'),
      keys = page.locator('.key button', {hasText: /^start$/});
    await keys.first().click();
    for (const k of await keys.all()) assert.equal(await k.getAttribute('aria-pressed'), 'false');
  },

  async 'the dark scheme has other colours, on the canvas too'() {
    const page = await open('realistic'),
      look = async () => {
        await page.locator('#experiments .canvas').first().scrollIntoViewIfNeeded();
        await settle(page);
        return page.evaluate(() => {
          const c = document.querySelector('#experiments canvas'),
            d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
          let sum = 0;
          for (let i = 0; i < d.length; i += 4) sum += d[i] * d[i + 3];
          return [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color, sum];
        });
      };
    const light = await look();
    assert.ok(light[2] > 0);
    await page.emulateMedia({colorScheme: 'dark'});
    const dark = await look();
    for (const k of [0, 1, 2]) assert.notEqual(light[k], dark[k]);
  },

  async 'a phone needs no scrolling sideways, and touching works'() {
    const page = await open('many', {
      viewport: {width: 360, height: 740},
      deviceScaleFactor: 2,
      isMobile: true,
      hasTouch: true,
    });
    assert.ok(await noOverflow(page));
    for (const d of await page.locator('details').all())
      await d.evaluate(e => {
        e.open = true;
      });
    await settle(page);
    assert.ok(await noOverflow(page));
    const plot = page.locator('#experiments .canvas').first();
    await plot.scrollIntoViewIfNeeded();
    await plot.tap();
    await settle(page);
    assert.notEqual(await page.locator('#experiments output[data-series=fit]').first().textContent(), '');
    const box = await plot.boundingBox(),
      devtools = await page.context().newCDPSession(page);
    const touch = (type, ...x) =>
      devtools.send('Input.dispatchTouchEvent', {
        type,
        touchPoints: x.map((v, id) => ({x: box.x + v, y: box.y + 80, id})),
      });
    await touch('touchStart', 150);
    await touch('touchStart', 150, 200);
    for (let k = 1; k < 6; k++) await touch('touchMove', 150 - 10 * k, 200 + 10 * k);
    await touch('touchEnd');
    await settle(page);
    const [a, b] = await range(page);
    assert.ok(a > 0 && b < 3, `pinched to ${a}, ${b}`);
  },

  async 'headings, tables and labels are there'() {
    const page = await open('realistic');
    const bare = await page.evaluate(() => {
      const bad = [];
      for (const c of document.querySelectorAll('.canvas'))
        if (!c.getAttribute('aria-label') || c.tabIndex !== 0) bad.push('plot without a label');
      for (const b of document.querySelectorAll('button, select'))
        if (!(b.getAttribute('aria-label') || b.textContent.trim())) bad.push('control without a name');
      for (const t of document.querySelectorAll('table'))
        if (!t.querySelector('th[scope=col]')) bad.push('table without headings');
      const ids = [...document.querySelectorAll('[id]')].map(e => e.id);
      if (new Set(ids).size !== ids.length) bad.push('an id twice');
      for (const a of document.querySelectorAll('nav a'))
        if (!document.querySelector(a.hash)) bad.push(`no place ${a.hash}`);
      return bad;
    });
    assert.deepEqual(bare, []);
    const headings = await page.locator('h2').allTextContents();
    assert.equal(headings[0], 'Verdicts');
    assert.equal(headings.length, 7);
    assert.equal(await page.title(), 'Two bars: springs & masses from 26 drops');
  },

  async 'studies with gaps or without anything show what there is'() {
    for (const name of Object.keys(odd))
      for (const width of [1280, 360]) {
        const page = await stage.page(name);
        await page.setViewportSize({width, height: 800});
        await page.goto('file://' + files[name]);
        for (const d of await page.locator('main details').all())
          await d.evaluate(e => {
            e.open = true;
          });
        const n = await page.locator('#choice option').count();
        for (let i = 0; i < Math.max(n, 1); i++) {
          if (n) await page.selectOption('#choice', String(i));
          for (const c of (await page.locator('.canvas').all()).slice(0, name === 'nulls' ? 9 : 2)) {
            await c.evaluate(e => e.scrollIntoView({block: 'center', behavior: 'instant'}));
            await settle(page);
            const box = await c.boundingBox();
            await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
            await c.focus();
            if (width > 1000)
              for (const key of ['ArrowRight', 'End', '+', 'PageDown', '-', '0']) await page.keyboard.press(key);
          }
        }
        assert.ok(await noOverflow(page), `${name} at ${width}`);
        assert.equal(await page.locator('.banner.bad').count(), odd[name]?.converged === false ? 1 : 0, name);
        await page.close();
      }
  },
};

async function pictures() {
  for (const [name, options] of Object.entries({
    light: {},
    dark: {colorScheme: 'dark'},
    phone: {viewport: {width: 390, height: 844}, deviceScaleFactor: 2, isMobile: true, hasTouch: true},
  })) {
    const page = await open('many', options),
      height = await page.evaluate(() => document.documentElement.scrollHeight),
      view = page.viewportSize().height;
    for (let y = 0; y < height; y += view) {
      await page.evaluate(v => scrollTo({top: v, behavior: 'instant'}), y);
      await settle(page);
    }
    await page.evaluate(() => scrollTo({top: 0, behavior: 'instant'}));
    await settle(page);
    await page.screenshot({path: path.join(folder, `${name}.png`), fullPage: true});
  }
}

stage.all(tests, process.env.PICTURES ? pictures : null);
