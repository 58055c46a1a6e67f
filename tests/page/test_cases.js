'use strict';
/* The page of `sinew compare` in a browser: node test_cases.js SINEW CASES FOLDER. Pages and pictures go there. */
const assert = require('node:assert/strict');
const path = require('node:path');
const {execFileSync} = require('node:child_process');
const stage = require('./kit').stage({width: 1200, height: 900}, ['--no-sandbox', '--disable-gpu']);

const [sinew, cases, folder] = process.argv.slice(2);
const only = ['elastica', 'rod/newmark', 'rod/adams'].flatMap(name => ['--only', name]);
const data = JSON.parse(execFileSync(sinew, ['compare', cases, ...only, '--repeat', '1', '--json', '-o', folder]));
const done = data.problems.map(p => p.cases.filter(c => c.state === 'done' && c.error > 0));

async function open(options) {
  const page = await stage.page('cases', options);
  await page.goto('file://' + path.join(folder, 'compare.html'));
  return page;
}

const tests = {
  async 'each case is a point and a row, what failed is a row and a reason'() {
    const page = await open();
    for (const [i, p] of data.problems.entries()) {
      assert.equal(await page.locator(`#${p.name} .mark`).count(), done[i].length);
      assert.equal(await page.locator(`#${p.name} tbody tr`).count(), p.cases.length);
    }
    assert.ok(data.problems[1].cases.some(c => c.state === 'failed'));
    assert.match(await page.textContent('#rod'), /newmark, run.step 20 ms failed: no solution at/);
    await page.screenshot({path: path.join(folder, 'cases-light.png'), fullPage: true});
  },
  async 'scales are logarithmic: order two falls by two decades in one'() {
    const page = await open();
    await page.click('#elastica .bar >> text=beam.elements');
    const [slope, decade] = await page.evaluate(() => {
      const at = i => {
        const m = document.querySelectorAll('#elastica [data-variant=beam2d_cr].mark')[i];
        return [+m.getAttribute('cx'), +m.getAttribute('cy')];
      };
      const tick = text =>
        +[...document.querySelectorAll('#elastica text')].find(t => t.textContent === text).getAttribute('y');
      return [at(4)[1] - at(2)[1], tick('10⁻⁵') - tick('10⁻⁴')];
    });
    const [a, b] = [2, 4].map(i => data.problems[0].cases.filter(c => c.variant === 'beam2d_cr')[i].error);
    assert.ok(Math.abs(slope / decade - Math.log10(a / b)) < 0.02, `${slope / decade}`);
  },
  async 'a name hides its variant, a point tells its values'() {
    const page = await open();
    const all = await page.locator('#elastica .mark').count();
    await page.click('#elastica .legend button >> text=cable_ancf');
    assert.equal(await page.locator('#elastica .mark').count(), all - 5);
    await page.locator('#elastica .mark').first().click();
    assert.match(await page.textContent('#elastica .told'), /beam2d_cr, beam.elements 2: error 3.92e−2.*tip.x = /);
  },
  async 'a head sorts the table'() {
    const page = await open();
    await page.click('#elastica th >> text=error');
    const first = await page.locator('#elastica tbody tr').first().textContent();
    const least = done[0].reduce((a, c) => (c.error < a.error ? c : a));
    assert.ok(first.includes(least.variant) && first.includes(least.refined), first);
  },
  async 'dark, and narrow without scrolling sideways'() {
    const page = await open({colorScheme: 'dark', viewport: {width: 390, height: 800}});
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(20, 24, 31)');
    const wide = await page.evaluate(
      () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
    );
    assert.equal(wide, false);
    const page2 = await open({colorScheme: 'dark'});
    await page2.screenshot({path: path.join(folder, 'cases-dark.png'), fullPage: true});
  },
};
stage.all(tests);
