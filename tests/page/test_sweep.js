'use strict';
/* The page of a sweep in a browser: node test_sweep.js SINEW MODEL FOLDER. Pages and pictures go into the folder. */
const assert = require('node:assert/strict');
const path = require('node:path');
const {execFileSync} = require('node:child_process');
const stage = require('./kit').stage({width: 1200, height: 900}, ['--no-sandbox', '--disable-gpu']);

const [sinew, model, folder] = process.argv.slice(2);
const result = path.join(folder, 'rotor-sweep.h5'),
  html = path.join(folder, 'rotor.html');
const sweep = ['sweep', model, '--parameter', 'spin', '--from', '0', '--to', '600', '--points', '25'];
const data = JSON.parse(execFileSync(sinew, [...sweep, '--lines', '1', '-n', '6', '--json', '-q', '-o', result]));
execFileSync(sinew, ['view', result, '-o', html, '-q']);

async function open(options) {
  const page = await stage.page('sweep', options);
  await page.goto('file://' + html);
  return page;
}

const tests = {
  async 'all branches and points are drawn in each plot, and the line of the spin'() {
    const page = await open();
    for (const id of ['campbell', 'growth', 'locus']) {
      assert.equal(await page.locator(`#${id} .branch`).count(), data.branches.length);
      assert.equal(await page.locator(`#${id} .point`).count(), data.points.length);
    }
    assert.equal(await page.locator('#campbell .line').count(), 1);
    assert.equal(await page.locator('#points tr').count(), data.points.length + 1);
    await page.screenshot({path: path.join(folder, 'sweep-light.png'), fullPage: true});
  },
  async 'a critical point lies on the line and on its branch'() {
    const page = await open();
    const first = data.points.findIndex(p => p.kind === 'critical');
    const off = await page.evaluate(i => {
      const at = document.querySelectorAll('#campbell .point')[i],
        [a, b] = document
          .querySelector('#campbell .line')
          .getAttribute('d')
          .match(/[\d.]+ [\d.]+/g);
      const [x0, y0] = a.split(' ').map(Number),
        [x1, y1] = b.split(' ').map(Number),
        x = +at.getAttribute('cx');
      return +at.getAttribute('cy') - (y0 + ((x - x0) / (x1 - x0)) * (y1 - y0));
    }, first);
    assert.ok(Math.abs(off) < 0.1, `off the line by ${off}`);
  },
  async 'a click on a curve tells its values in all plots'() {
    const page = await open();
    await page.locator('#branches tr').nth(1).click();
    const b = data.branches[0],
      said = await page.textContent('#chosen');
    assert.match(said, /^branch 1 /);
    assert.ok(said.includes(`omega ${+b.eigenvalues[0][1].toPrecision(6)} rad/s`), said);
    assert.equal(await page.locator('.here').count(), 3);
    const box = await page.locator('#campbell svg').boundingBox(),
      here = await page.locator('#campbell .here').boundingBox();
    const plot = page.locator('#campbell svg');
    await plot.click({position: {x: 5, y: 5}}); /* far from all curves */
    assert.match(await page.textContent('#chosen'), /^Click/);
    await plot.click({position: {x: here.x - box.x + 5, y: here.y - box.y + 5}});
    assert.match(await page.textContent('#chosen'), /at spin = 0:/);
  },
  async 'hertz on request'() {
    const page = await open();
    await page.click('#unit');
    assert.equal(await page.textContent('#unit'), 'Hz');
    assert.ok((await page.textContent('#campbell svg')).includes('Hz'));
  },
  async 'dark, and narrow without scrolling sideways'() {
    const page = await open({colorScheme: 'dark', viewport: {width: 390, height: 800}});
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(20, 24, 31)');
    const wide = await page.evaluate(
      () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
    );
    assert.equal(wide, false);
    const page2 = await open({colorScheme: 'dark'});
    await page2.locator('#branches tr').nth(2).click();
    await page2.screenshot({path: path.join(folder, 'sweep-dark.png'), fullPage: true});
  },
};
stage.all(tests);
