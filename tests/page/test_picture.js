'use strict';
/* Pictures of a result: node test_picture.js SINEW EXAMPLES FOLDER. PNG and GIF are decoded by the browser, and
   compared with each other and with what is asked for. */
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const {spawnSync} = require('node:child_process');
const stage = require('./kit').stage({width: 320, height: 200}, ['--no-sandbox']);

const [sinew, examples, folder] = process.argv.slice(2);
fs.mkdirSync(path.join(folder, 'temp'));
const at = name => path.join(folder, name);
const call = (...args) =>
  spawnSync(sinew, args, {cwd: folder, encoding: 'utf8', env: {...process.env, TMPDIR: at('temp')}});
const good = (...args) => {
  const r = call(...args);
  assert.equal(r.status, 0, r.stderr);
  return r;
};
good('run', path.join(examples, 'two-bar', 'two-bar.yaml'), '-q', '-o', at('bars.h5'));
good('modes', path.join(examples, 'plane', 'plane.yaml'), '-o', at('modes.h5'));

let page;
/* Frames of a picture: their sizes, durations in ms and pixels. */
async function look(name) {
  const data = fs.readFileSync(at(name)).toString('base64'),
    type = name.endsWith('.gif') ? 'image/gif' : 'image/png';
  return page
    .evaluate(
      async ([base64, kind]) => {
        const bytes = Uint8Array.from(atob(base64), c => c.charCodeAt(0)),
          d = new ImageDecoder({data: bytes, type: kind}),
          out = [];
        await d.tracks.ready;
        for (let i = 0; i < d.tracks.selectedTrack.frameCount; i++) {
          const {image} = await d.decode({frameIndex: i}),
            c = new OffscreenCanvas(image.displayWidth, image.displayHeight),
            pen = c.getContext('2d');
          pen.drawImage(image, 0, 0);
          const raw = pen.getImageData(0, 0, c.width, c.height).data,
            url = await new Promise(done => {
              const r = new FileReader();
              r.onload = () => done(r.result);
              r.readAsDataURL(new Blob([raw]));
            });
          out.push({w: c.width, h: c.height, wait: (image.duration ?? 0) / 1000, pixels: url.split(',')[1]});
        }
        return out;
      },
      [data, type],
    )
    .then(all =>
      all.map(f => ({...f, pixels: Buffer.from(f.pixels, 'base64')})),
    ); /* numbers one by one would take seconds */
}
/* Part of the pixels that differ by more than a palette of 255 colours does. */
const differ = (a, b) => {
  let n = 0;
  for (let i = 0; i < a.length; i += 4)
    if (Math.max(Math.abs(a[i] - b[i]), Math.abs(a[i + 1] - b[i + 1]), Math.abs(a[i + 2] - b[i + 2])) > 24) n++;
  return (4 * n) / a.length;
};

const tests = {
  async 'a PNG has its size, and shows its time'() {
    good('export', 'bars.h5', '--png', '--time', '0.4', '--size', '320x200', '-o', 'a.png');
    good('export', 'bars.h5', '--png', '--time', '1.2', '--size', '320x200', '-o', 'b.png');
    good('export', 'bars.h5', '--png', '--time', '0.4', '--size', '320x200', '--trace', 'n3', '-o', 'trace.png');
    const [a] = await look('a.png'),
      [b] = await look('b.png'),
      [trace] = await look('trace.png');
    assert.deepEqual([a.w, a.h], [320, 200]);
    assert.ok(differ(a.pixels, b.pixels) > 0.002);
    assert.ok(differ(a.pixels, trace.pixels) > 0.0005 && differ(a.pixels, trace.pixels) < differ(a.pixels, b.pixels));
  },

  async 'a GIF has its frames, and each is what the PNG of its time is'() {
    good(
      'export',
      'bars.h5',
      '--gif',
      '--from',
      '0.5',
      '--to',
      '1.5',
      '--fps',
      '10',
      '--speed',
      '1',
      '--size',
      '320x200',
      '-o',
      'a.gif',
    );
    const gif = await look('a.gif');
    assert.equal(gif.length, 11);
    for (const f of gif) assert.deepEqual([f.w, f.h, f.wait], [320, 200, 100]);
    assert.equal(fs.readFileSync(at('a.gif')).subarray(0, 6).toString(), 'GIF89a');
    const [png] = await look('b.png'),
      off = differ(gif[7].pixels, png.pixels);
    assert.ok(off < 0.002, `${off} of the pixels`);
    assert.ok(differ(gif[0].pixels, gif[7].pixels) > 0.01);
  },

  async 'colours and arrows are drawn, the legend with them'() {
    good(
      'export',
      'bars.h5',
      '--png',
      '--time',
      '0.4',
      '--size',
      '320x200',
      '--colour',
      'bending',
      '--arrows',
      'reaction',
      '-o',
      'c.png',
    );
    const [a] = await look('a.png'),
      [c] = await look('c.png'),
      part = (f, x0, x1, y0, y1) =>
        Buffer.concat(
          Array.from({length: y1 - y0}, (_, y) =>
            f.pixels.subarray(4 * (f.w * (y0 + y) + x0), 4 * (f.w * (y0 + y) + x1)),
          ),
        );
    assert.deepEqual([c.w, c.h], [320, 200]);
    assert.ok(differ(a.pixels, c.pixels) > 0.005);
    assert.ok(
      differ(part(a, 160, 320, 130, 200), part(c, 160, 320, 130, 200)) > 0.05,
      'the legend is at the lower right',
    );
    const r = call('export', 'bars.h5', '--png', '--colour', 'red', '-o', 'no.png');
    assert.equal(r.status, 2, r.stderr);
    assert.ok(r.stderr.includes("no colour 'red': this result has axial"), r.stderr);
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

fs.writeFileSync(at('blank.html'), '<!doctype html><title>blank</title>');
stage.all(
  Object.fromEntries(
    Object.entries(tests).map(([name, test]) => [
      name,
      async () => {
        page = await stage.page('blank');
        await page.goto('file://' + at('blank.html'));
        await test();
      },
    ]),
  ),
);
