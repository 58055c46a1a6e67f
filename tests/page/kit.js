'use strict';
/* What tests of pages share: a browser, results, numbers as sinew export writes them. */
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const {execFileSync, spawn} = require('node:child_process');
const {chromium} = require('playwright-core');

/* One browser for all tests of a file. Pages without options of their own share a context: a new one takes as long as
   a page. */
const drawing = ['--no-sandbox', '--enable-unsafe-swiftshader', '--use-angle=swiftshader', '--ignore-gpu-blocklist'];
exports.stage = (viewport, args = drawing) => {
  const stage = {troubles: [], browser: null};
  let common;
  /* An empty page; what goes wrong on it, and questions to anybody but `own`, are troubles. */
  stage.page = async (name, options = {}, own = /^(file|data|blob):/) => {
    const context = Object.keys(options).length
        ? await stage.browser.newContext({viewport, ...options})
        : (common ??= await stage.browser.newContext({viewport})),
      page = await context.newPage();
    page.setDefaultTimeout(120000); // a busy machine draws slowly
    page.on('console', m => {
      if (m.type() === 'error') stage.troubles.push(`${name}: ${m.text()}`);
    });
    page.on('pageerror', e => stage.troubles.push(`${name}: ${e.stack}`));
    page.on('response', r => {
      if (r.status() >= 400) stage.troubles.push(`${name}: ${r.status()} ${r.url()}`);
    });
    page.on('request', r => {
      if (!own.test(r.url())) stage.troubles.push(`${name}: asks for ${r.url()}`);
    });
    return page;
  };
  stage.clear = async () => {
    for (const c of stage.browser.contexts())
      if (c === common) for (const p of c.pages()) await p.close();
      else await c.close();
  };
  stage.all = async (tests, last) => {
    stage.browser = await chromium.launch({executablePath: process.env.CHROMIUM, args});
    let failed = 0;
    for (const [name, test] of Object.entries(tests)) {
      const begin = Date.now();
      stage.troubles.length = 0;
      try {
        await test();
        assert.deepEqual(stage.troubles, []);
        console.log(`good  ${name} (${Date.now() - begin} ms)`);
      } catch (e) {
        failed++;
        console.log(`BAD   ${name}\n${e.stack}`);
      }
      await stage.clear();
    }
    if (last) await last();
    await stage.browser.close();
    process.exitCode = failed ? 1 : 0;
  };
  return stage;
};

/* Results, and the pages of sinew view. */
exports.make = (sinew, folder) => {
  const at = name => path.join(folder, name),
    kit = Object.assign(exports.stage({width: 1280, height: 760}), {at});
  kit.call = (...args) =>
    execFileSync(sinew, args, {cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe']});
  /* A model written here; its result NAME.h5. */
  kit.run = (name, text, ...args) => {
    fs.writeFileSync(at(`${name}.yaml`), text);
    kit.call('run', at(`${name}.yaml`), '-q', '-o', at(`${name}.h5`), ...args);
  };
  /* Columns of a result by name. */
  kit.numbers = name => {
    const [head, ...rows] = kit
      .call('export', at(`${name}.h5`), '-o', '-', '--all')
      .trim()
      .split('\n')
      .map(l => l.split(','));
    return {
      rows: rows.length,
      get: (column, i) => {
        assert.ok(head.includes(column), column);
        return Number(rows[i][head.indexOf(column)]);
      },
      t: i => Number(rows[i][0]),
    };
  };
  /* sinew view --serve; end(): as Ctrl-C does, gives the exit status. Pages are closed before, since one that still
     loads would tell of the server's end; end(true) keeps them. */
  const servers = [];
  kit.serve = async file => {
    const server = spawn(sinew, ['view', at(file), '--serve'], {stdio: ['ignore', 'pipe', 'inherit']});
    servers.push(server);
    const address = await new Promise((done, fail) => {
      let said = '';
      server.stdout.on('data', d => {
        said += d;
        const m = /^(http:\/\/127\.0\.0\.1:\d+\/)$/m.exec(said);
        if (m) done(m[1]);
      });
      server.on('exit', code => fail(new Error(`the server ended: ${code}`)));
    });
    return {
      address,
      end: async keep => {
        if (!keep) await kit.clear();
        return new Promise(done => {
          server.removeAllListeners('exit');
          server.on('exit', code => done(code));
          server.kill('SIGINT');
        });
      },
    };
  };
  kit.endServers = () => {
    for (const s of servers) s.kill('SIGKILL');
  };
  kit.drawn = page => page.waitForFunction(() => window.sinew && window.sinew.drawn() > 0);
  kit.open = async (name, options) => {
    const page = await kit.page(name, options);
    await page.goto('file://' + at(`${name}.html`));
    await kit.drawn(page);
    return page;
  };
  kit.picture = async page => (await page.locator('#view canvas').screenshot()).toString('base64');
  return kit;
};
