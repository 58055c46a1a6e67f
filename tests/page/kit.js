'use strict';
/* What tests of pages share: results, pages in a browser, numbers as sinew export writes them. */
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const {execFileSync} = require('node:child_process');
const {chromium} = require('playwright-core');

exports.make = (sinew, folder) => {
  const at = name => path.join(folder, name);
  const kit = {at, troubles: [], browser: null};
  kit.call = (...args) => execFileSync(sinew, args, {cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe']});
  /* A model written here; its result NAME.h5. */
  kit.run = (name, text, ...args) => { fs.writeFileSync(at(`${name}.yaml`), text); kit.call('run', at(`${name}.yaml`), '-q', '-o', at(`${name}.h5`), ...args); };
  /* Columns of a result by name. */
  kit.numbers = name => {
    const [head, ...rows] = kit.call('export', at(`${name}.h5`), '-o', '-', '--all').trim().split('\n').map(l => l.split(','));
    return {rows: rows.length, get: (column, i) => { assert.ok(head.includes(column), column); return Number(rows[i][head.indexOf(column)]); }, t: i => Number(rows[i][0])};
  };
  kit.open = async (name, options = {}) => {
    const context = await kit.browser.newContext({viewport: {width: 1280, height: 760}, ...options}), page = await context.newPage();
    page.on('console', m => { if (m.type() === 'error') kit.troubles.push(`${name}: ${m.text()}`); });
    page.on('pageerror', e => kit.troubles.push(`${name}: ${e.stack}`));
    page.on('request', r => { if (!/^(file|data|blob):/.test(r.url())) kit.troubles.push(`${name}: asks for ${r.url()}`); });
    await page.goto('file://' + at(`${name}.html`));
    await page.waitForFunction(() => window.sinew && window.sinew.drawn() > 0);
    return page;
  };
  kit.picture = async page => (await page.locator('#view canvas').screenshot()).toString('base64');
  kit.all = async (tests, last) => {
    kit.browser = await chromium.launch({executablePath: process.env.CHROMIUM, args: ['--no-sandbox', '--enable-unsafe-swiftshader', '--use-angle=swiftshader', '--ignore-gpu-blocklist']});
    let failed = 0;
    for (const [name, test] of Object.entries(tests)) {
      const begin = Date.now();
      kit.troubles.length = 0;
      try {
        await test();
        assert.deepEqual(kit.troubles, []);
        console.log(`good  ${name} (${Date.now() - begin} ms)`);
      } catch (e) {
        failed++;
        console.log(`BAD   ${name}\n${e.stack}`);
      }
      for (const c of kit.browser.contexts()) await c.close();
    }
    if (last) await last();
    await kit.browser.close();
    process.exitCode = failed ? 1 : 0;
  };
  return kit;
};
