'use strict';
/* Frame rate of the page of sinew view: node bench/view.js PAGE-OR-ADDRESS. Called by bench/view. The page's own work
   for a frame (states to vertices and numbers, no drawing), what a frame asks of the graphics card, its shadow
   included, and frames a second while it plays. */
const path = require('node:path');
const {chromium} = require(path.join(__dirname, '../tests/page/node_modules/playwright-core'));

const gl = process.env.GL
  ? process.env.GL.split(' ')
  : ['--enable-unsafe-swiftshader', '--use-angle=swiftshader', '--ignore-gpu-blocklist'];

function work(n) {
  const s = window.sinew,
    last = s.header.frames - 1,
    times = [];
  for (let i = 0; i < n; i++) {
    const begin = performance.now();
    s.seek(Math.round(last * ((i * 0.381966) % 1)));
    times.push(performance.now() - begin);
  }
  times.sort((a, b) => a - b);
  return {best: times[Math.floor(0.1 * n)], median: times[n >> 1], worst: times[Math.floor(0.95 * n)]};
}

async function play(seconds) {
  const s = window.sinew,
    from = s.drawn(),
    begin = performance.now();
  document.getElementById('play').click();
  await new Promise(done => setTimeout(done, 1000 * seconds));
  document.getElementById('play').click();
  return ((s.drawn() - from) / (performance.now() - begin)) * 1000;
}

(async () => {
  const target = process.argv[2];
  const browser = await chromium.launch({executablePath: process.env.CHROMIUM, args: ['--no-sandbox', ...gl]});
  const page = await browser.newPage({viewport: {width: 1280, height: 760}});
  page.on('pageerror', e => {
    console.error(e.stack);
    process.exitCode = 1;
  });
  const begin = Date.now();
  await page.goto(/^http:/.test(target) ? target : 'file://' + path.resolve(target));
  await page.waitForFunction(() => window.sinew && window.sinew.drawn() > 0, null, {timeout: 120000});
  const loaded = Date.now() - begin;
  const what = await page.evaluate(() => {
    const g = document.createElement('canvas').getContext('webgl2'),
      info = g?.getExtension('WEBGL_debug_renderer_info');
    return {
      gl: g ? g.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : g.RENDERER) : 'none',
      beams: window.sinew.header.elements.filter(e => e.name.startsWith('beam')).length,
      frames: window.sinew.header.frames,
      heap: performance.memory?.usedJSHeapSize,
    };
  });
  await page.evaluate(work, 60);
  const own = await page.evaluate(work, 300),
    rate = await page.evaluate(play, 6);
  await page.waitForTimeout(1000); /* at rest it is drawn in full */
  const drawing = await page.evaluate(() => window.sinew.drawing());
  console.log(`${what.beams} beams, ${what.frames} frames, ${what.gl}`);
  console.log(`loaded in ${loaded} ms, heap ${(what.heap / 1e6).toFixed(0)} MB`);
  console.log(
    `own work ${own.median.toFixed(2)} ms a frame ` +
      `(median of 300; a tenth is below ${own.best.toFixed(2)}, a twentieth above ${own.worst.toFixed(2)} ms)`,
  );
  console.log(`${drawing.calls} draw calls, ${drawing.triangles} triangles a frame`);
  console.log(`${rate.toFixed(1)} frames a second while it plays`);
  await browser.close();
})();
