'use strict';
/* The documentation in a browser: node test_site.js SITE FOLDER MANUAL. FOLDER has the page swing.html, which links to
   the file MANUAL, and gets pictures. */
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const stage = require('./kit').stage({width: 1300, height: 850}, ['--no-sandbox', '--disable-gpu']);

const [site, folder, manual] = process.argv.slice(2);
const pages = fs.readdirSync(site, {recursive: true}).filter(f => f.endsWith('.html'));
const address = page => 'file://' + path.join(site, page);
const shot = (page, name) => page.screenshot({path: path.join(folder, `site-${name}.png`)});
const search = async (page, words) => {
  await page.fill('#words', words);
  await page.waitForSelector('#found:not([hidden]) a');
};

const tests = {
  'every address of every page exists, headings included'() {
    const ids = new Map(),
      read = page => fs.readFileSync(path.join(site, page), 'utf8'),
      has = (page, id) => {
        if (!ids.has(page)) ids.set(page, new Set([...read(page).matchAll(/ id="([^"]+)"/g)].map(m => m[1])));
        return ids.get(page).has(id);
      };
    let followed = 0;
    for (const page of pages)
      for (const [, to] of read(page).matchAll(/ (?:href|src)="([^"]*)"/g)) {
        if (/^(https?|data):/.test(to)) continue;
        const [name, anchor] = decodeURI(to).split('#'),
          target = name ? path.join(path.dirname(page), name) : page;
        assert.ok(fs.existsSync(path.join(site, target)), `${page}: ${to}`);
        if (anchor) assert.ok(has(target, anchor), `${page}: ${to}`);
        followed++;
      }
    assert.ok(pages.length > 40 && followed > 1000);
  },
  async 'the keys of a page of results lead to the documentation'() {
    const page = await stage.page('results');
    await page.goto('file://' + path.join(folder, 'swing.html'));
    await page.keyboard.press('?');
    await page.click('text=Documentation');
    assert.equal(decodeURI(new URL(page.url()).pathname), manual);
    assert.equal(await page.textContent('h1'), 'sinew');
  },
  async 'the first page leads to the tutorial'() {
    const page = await stage.page('first');
    await page.goto(address('index.html'));
    await shot(page, 'light');
    await page.click('nav.all >> text=Tutorial 1');
    assert.match(page.url(), /docs\/tutorial\.html$/);
    assert.equal(await page.locator('nav.all [aria-current]').count(), 1);
    await page.click('a[rel=next]');
    assert.notEqual(await page.textContent('h1'), 'Tutorial');
    assert.ok(await page.$$eval('img', all => all.every(i => i.loading === 'lazy' || i.naturalWidth > 0)));
  },
  async 'pictures are there'() {
    const page = await stage.page('pictures');
    await page.goto(address('docs/gallery.html'));
    await page.$$eval('img', all => all.forEach(i => (i.loading = 'eager')));
    await page.waitForFunction(() => [...document.images].every(i => i.complete));
    assert.ok(await page.$$eval('img', all => all.length > 20 && all.every(i => i.naturalWidth > 0)));
  },
  async 'the search finds sections of all pages'() {
    const page = await stage.page('search');
    await page.goto(address('docs/statics.html'));
    await page.keyboard.press('/');
    await search(page, 'shell4_mitc');
    assert.match(await page.textContent('#found li'), /shell4_mitc \(element\)/);
    await shot(page, 'search');
    await page.keyboard.press('Enter');
    await page.waitForURL(/reference\.html#shell4_mitc-element$/);
    await search(page, 'score test');
    assert.match(await page.textContent('#found li.chosen'), /What the model may lack/);
    await search(page, 'no such words anywhere qqq');
    assert.match(await page.textContent('#found'), /nothing found/);
    await search(page, 'a < b & "c');
    assert.deepEqual(await page.$$eval('#found script', all => all.length), 0);
  },
  async 'dark by the system, or by the button, and it stays'() {
    const page = await stage.page('dark', {colorScheme: 'dark'}),
      back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.goto(address('docs/model-file.html'));
    const dark = await back();
    await shot(page, 'dark');
    await page.click('#theme');
    const light = await back();
    assert.equal(light, 'rgb(255, 255, 255)');
    assert.notEqual(dark, light);
    await page.goto(address('docs/modes.html'));
    assert.equal(await back(), light);
  },
  async 'on a phone nothing is wider than the page, and the contents unfold'() {
    const page = await stage.page('phone', {viewport: {width: 390, height: 844}});
    for (const name of pages.filter(p => !p.startsWith('examples') && !p.startsWith('include'))) {
      await page.goto(address(name), {waitUntil: 'domcontentloaded'});
      const [wide, seen] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(wide <= seen, `${name}: ${wide} pixels`);
    }
    await page.goto(address('docs/tutorial.html'));
    await shot(page, 'phone');
    assert.ok(!(await page.isVisible('nav.all')));
    await page.click('#menu');
    await shot(page, 'phone-menu');
    await page.click('nav.all >> text=Statics');
    assert.match(page.url(), /statics\.html$/);
  },
};
stage.all(tests);
