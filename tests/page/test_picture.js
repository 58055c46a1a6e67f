'use strict';
/* Pictures of a result: node test_picture.js SINEW EXAMPLES FOLDER. PNG and GIF are decoded by the browser, and compared with
   each other and with what is asked for. */
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const {spawnSync} = require('node:child_process');
const {chromium} = require('playwright-core');

const [sinew, examples, folder] = process.argv.slice(2);
fs.mkdirSync(path.join(folder, 'temp'));
const at = name => path.join(folder, name);
const call = (...args) => spawnSync(sinew, args, {cwd: folder, encoding: 'utf8', env: {...process.env, TMPDIR: at('temp')}});
const good = (...args) => { const r = call(...args); assert.equal(r.status, 0, r.stderr); return r; };
good('run', path.join(examples, 'two-bar', 'two-bar.yaml'), '-q', '-o', at('bars.h5'));
good('modes', path.join(examples, 'plane', 'plane.yaml'), '-o', at('modes.h5'));

let page;
/* Frames of a picture: their sizes, durations in ms and pixels. */
async function look(name) {
  const data = fs.readFileSync(at(name)).toString('base64'), type = name.endsWith('.gif') ? 'image/gif' : 'image/png';
  return page.evaluate(async ([base64, kind]) => {
    const bytes = Uint8Array.from(atob(base64), c => c.charCodeAt(0)), d = new ImageDecoder({data: bytes, type: kind}), out = [];
    await d.tracks.ready;
    for (let i = 0; i < d.tracks.selectedTrack.frameCount; i++) {
      const {image} = await d.decode({frameIndex: i}), c = new OffscreenCanvas(image.displayWidth, image.displayHeight), pen = c.getContext('2d');
      pen.drawImage(image, 0, 0);
      out.push({w: c.width, h: c.height, wait: (image.duration ?? 0) / 1000, pixels: Array.from(pen.getImageData(0, 0, c.width, c.height).data)});
    }
    return out;
  }, [data, type]);
}
/* Part of the pixels that differ by more than a palette of 255 colours does. */
const differ = (a, b) => { let n = 0; for (let i = 0; i < a.length; i += 4) if (Math.max(Math.abs(a[i] - b[i]), Math.abs(a[i + 1] - b[i + 1]), Math.abs(a[i + 2] - b[i + 2])) > 24) n++; return 4 * n / a.length; };

const tests = {
  async 'a PNG has its size, and shows its time'() {
    good('export', 'bars.h5', '--png', '--time', '0.4', '--size', '320x200', '-o', 'a.png');
    good('export', 'bars.h5', '--png', '--time', '0.9', '--size', '320x200', '-o', 'b.png');
    good('export', 'bars.h5', '--png', '--time', '0.4', '--size', '320x200', '--trace', 'n3', '-o', 'trace.png');
    const [a] = await look('a.png'), [b] = await look('b.png'), [trace] = await look('trace.png');
    assert.deepEqual([a.w, a.h], [320, 200]);
    assert.ok(differ(a.pixels, b.pixels) > 0.002);
    assert.ok(differ(a.pixels, trace.pixels) > 0.0005 && differ(a.pixels, trace.pixels) < differ(a.pixels, b.pixels));
  },

  async 'a GIF has its frames, and each is what the PNG of its time is'() {
    good('export', 'bars.h5', '--gif', '--from', '0.5', '--to', '1.5', '--fps', '10', '--speed', '1', '--size', '320x200', '-o', 'a.gif');
    const gif = await look('a.gif');
    assert.equal(gif.length, 11);
    for (const f of gif) assert.deepEqual([f.w, f.h, f.wait], [320, 200, 100]);
    assert.equal(fs.readFileSync(at('a.gif')).subarray(0, 6).toString(), 'GIF89a');
    good('export', 'bars.h5', '--png', '--time', '1.2', '--size', '320x200', '-o', 'f.png');
    const [png] = await look('f.png'), off = differ(gif[7].pixels, png.pixels);
    assert.ok(off < 0.002, `${off} of the pixels`);
    assert.ok(differ(gif[0].pixels, gif[7].pixels) > 0.01);
  },

  async 'modes: a still of one and a swing of one'() {
    good('export', 'modes.h5', '--png', '--mode', '7', '--size', '200x150', '-o', 'm7.png');
    const [a] = await look('m7.png');
    good('export', 'modes.h5', '--gif', '--mode', '7', '--fps', '8', '--size', '200x150', '-o', 'm.gif');
    const gif = await look('m.gif');
    assert.equal(gif.length, 8);
    assert.ok(differ(gif[2].pixels, gif[6].pixels) > 0.01);
    assert.ok(differ(gif[2].pixels, a.pixels) < 0.004, 'a quarter of the swing is the still');
  },

  async 'what cannot be shown is told'() {
    const r = call('export', 'bars.h5', '--png', '--time', '99', '-o', 'no.png');
    assert.equal(r.status, 2, r.stderr);
    assert.ok(r.stderr.includes('outside the result, which has 0 to 3 s'), r.stderr);
    assert.ok(!fs.existsSync(at('no.png')));
    assert.deepEqual(fs.readdirSync(at('temp')), []);
  },
};

(async () => {
  const browser = await chromium.launch({executablePath: process.env.CHROMIUM, args: ['--no-sandbox']});
  page = await browser.newPage();
  fs.writeFileSync(at('blank.html'), '<!doctype html><title>blank</title>');
  await page.goto('file://' + at('blank.html'));
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    const begin = Date.now();
    try {
      await test();
      console.log(`good  ${name} (${Date.now() - begin} ms)`);
    } catch (e) {
      failed++;
      console.log(`BAD   ${name}\n${e.stack}`);
    }
  }
  await browser.close();
  process.exitCode = failed ? 1 : 0;
})();
