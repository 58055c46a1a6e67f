'use strict';
/* The page of a linearisation: node test_linear.js SINEW EXAMPLES FOLDER. Curves are compared with closed forms and
   with the matrices that sinew linearise prints. */
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');

const [sinew, examples, folder] = process.argv.slice(2);
const kit = require('./kit').make(sinew, folder),
  {at} = kit;

const oscillator = `sinew: 1
title: Two masses <b>on</b> springs
nodes: {w: [0, 0], a: [1, 0], b: [2, 0]}
signals: {push: {input: 0}, lead: {input: 0}}
elements:
  mw: {mass2d: w, mass: 2 kg}
  ma: {mass2d: a, mass: 3 kg}
  mb: {mass2d: b, mass: 1 kg}
  s1: {spring2d: [w, a], k: 50 N/m, c: 0.4 N*s/m}
  s2: {spring2d: [a, b], k: 80 N/m, c: 0.2 N*s/m}
  f: {force2d: b, force: [push, 0]}
joints:
  r1: {fixed: a, only: y}
  r2: {fixed: b, only: y}
  r3: {fixed: w, only: y}
  base: {drive: w.x, value: lead}
sensors: {tip: {position: b}, acc: {acceleration: b}, r: {reaction: base}}
`;

function linearise(name, model, ...args) {
  const out = JSON.parse(kit.call('linearise', model, '-o', at(`${name}.h5`), '--json', ...args));
  kit.call('view', at(`${name}.h5`), '-q', '-o', at(`${name}.html`));
  return out;
}
fs.writeFileSync(at('oscillator.yaml'), oscillator);

/* ---- complex numbers ---- */

const add = (a, b) => [a[0] + b[0], a[1] + b[1]],
  mul = (a, b) => [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]],
  div = (a, b) => {
    const d = b[0] ** 2 + b[1] ** 2;
    return [(a[0] * b[0] + a[1] * b[1]) / d, (a[1] * b[0] - a[0] * b[1]) / d];
  };

/* b.x by a force on it, and by the motion of the wall. */
function closed(hz) {
  const w = 2 * Math.PI * hz,
    z1 = [50, 0.4 * w],
    z2 = [80, 0.2 * w],
    da = add(add(z1, z2), [-3 * w * w, 0]),
    db = add(z2, [-w * w, 0]),
    det = add(mul(da, db), mul([-1, 0], mul(z2, z2)));
  return {push: div(da, det), lead: div(mul(z1, z2), det)};
}

/* H of a system by elimination with all entries. */
function response(s, input, output, hz) {
  const w = 2 * Math.PI * hz,
    n = s.n,
    M = s.A.map((row, i) => [...row.map((a, j) => [-a, i === j ? w : 0]), [s.B[i][input], 0]]);
  for (let k = 0; k < n; k++) {
    let p = k;
    for (let i = k; i < n; i++) if (Math.hypot(...M[i][k]) > Math.hypot(...M[p][k])) p = i;
    [M[k], M[p]] = [M[p], M[k]];
    for (let i = 0; i < n; i++) {
      if (i === k || (M[i][k][0] === 0 && M[i][k][1] === 0)) continue;
      const f = div(M[i][k], M[k][k]);
      for (let j = k; j <= n; j++) M[i][j] = add(M[i][j], mul([-1, 0], mul(f, M[k][j])));
    }
  }
  let h = [s.D[output][input], 0];
  for (let k = 0; k < n; k++) h = add(h, mul([s.C[output][k], 0], div(M[k][n], M[k][k])));
  return h;
}

/* What is drawn agrees with H(hz) to rounding: amplitudes relative, phases but for whole turns. */
function same([hz, amplitude, phase], H, tolerance) {
  assert.ok(hz.length > 300);
  let most = 0;
  for (let i = 0; i < hz.length; i++) {
    const h = H(hz[i]),
      a = Math.hypot(...h),
      turn = (phase[i] * Math.PI) / 180 - Math.atan2(h[1], h[0]);
    most = Math.max(most, Math.abs(amplitude[i] - a) / a, Math.abs(Math.sin(turn)));
    assert.ok(Math.cos(turn) > 0);
    assert.ok(i === 0 || (hz[i] > hz[i - 1] && Math.abs(phase[i] - phase[i - 1]) < 180));
  }
  assert.ok(most < tolerance, `off by ${most}`);
}
const choose = async (page, from, to) => {
  await page.selectOption('#linear-from', {label: from});
  await page.selectOption('#linear-to', {label: to});
  return page.evaluate(() => window.sinew.response());
};

const tests = {
  'curves of closed forms': async () => {
    linearise('oscillator', at('oscillator.yaml'));
    const page = await kit.open('oscillator');
    assert.equal(await page.locator('figure[data-kind] .uplot').count(), 3);
    /* rounding, times the damping of the anti-resonances */
    same(await choose(page, 'push', 'tip.x'), f => closed(f).push, 1e-10);
    same(await choose(page, 'lead', 'tip.x'), f => closed(f).lead, 1e-10);
    same(await choose(page, 'lead', 'acc.x'), f => mul([-((2 * Math.PI * f) ** 2), 0], closed(f).lead), 1e-9);
    assert.match(await page.locator('figure[data-kind=amplitude] b').textContent(), /m\/s\^2 \/ m/);
    const dead = await choose(page, 'push', 'tip.y');
    assert.ok(dead[1].every(a => a < 1e-12));
    assert.equal(await page.locator('#pick').isVisible(), false);
    assert.match(await page.locator('figure[data-kind=poles] b').textContent(), /^6 poles \(1\/s\), 2 at 0$/);
  },
  'a number under the mouse, of the curve and of a pole': async () => {
    const page = await kit.open('oscillator');
    const box = await page.locator('figure[data-kind=amplitude] .u-over').boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    assert.match(await page.locator('figure[data-kind=amplitude] output').textContent(), /^[\d.e−]+ at [\d.]+ Hz$/);
    const poles = await page.locator('figure[data-kind=poles] .u-over').boundingBox();
    const [x, y] = await page.evaluate(() => {
      const {linear} = window.sinew.header;
      return [linear.poles[0], linear.poles[1]];
    });
    assert.deepEqual([x, y], [0, 0]);
    /* the pole at 0 is the rightmost; the poles are symmetric about the real axis */
    const seen = new Set();
    for (let right = 0; right < 80; right += 8) {
      await page.mouse.move(poles.x + poles.width - right, poles.y + poles.height / 2);
      seen.add(await page.locator('figure[data-kind=poles] output').textContent());
    }
    assert.deepEqual([...seen].sort(), ['', '0']);
  },
  'a mechanism with beams, by the matrices that are printed': async () => {
    const {system} = linearise('crank', path.join(examples, 'slider-crank/slider-crank.yaml'));
    const page = await kit.open('crank');
    const drawn = await page.evaluate(() => window.sinew.response());
    const order = system.inputs[0].name.match(/'*$/)[0].length;
    const some = drawn.map(c => c.filter((_, i) => i % 10 === 0));
    let most = 0;
    for (let i = 0; i < some[0].length; i++) {
      let h = response(system, 0, 0, some[0][i]);
      for (let k = 0; k < order; k++) h = mul(h, [0, 2 * Math.PI * some[0][i]]);
      most = Math.max(most, Math.abs(some[1][i] - Math.hypot(...h)) / Math.hypot(...h));
    }
    /* two orders of elimination, poles over six decades */
    assert.ok(most < 1e-7, `off by ${most}`);
  },
  'what the address asks for, light and dark': async () => {
    const page = await kit.page('address');
    await page.goto('file://' + at('oscillator.html') + '#theme=dark&from=lead&to=acc.x');
    await kit.drawn(page);
    assert.equal(await page.locator('#linear-from option:checked').textContent(), 'lead');
    assert.equal(await page.locator('#linear-to option:checked').textContent(), 'acc.x');
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(20, 24, 31)');
    await page.click('#theme');
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
    const wrong = await kit.page('wrong');
    await wrong.goto('file://' + at('oscillator.html') + '#from=nobody');
    await kit.drawn(wrong);
    assert.match(await wrong.locator('#note').textContent(), /no input 'nobody'/);
  },
  'no inputs': async () => {
    linearise('still', path.join(examples, 'bicycle/bicycle.yaml'));
    const page = await kit.open('still');
    assert.match(await page.locator('#plots .empty').textContent(), /no inputs/);
    assert.equal(await page.locator('figure[data-kind] .uplot').count(), 1);
  },
  served: async () => {
    const server = await kit.serve('oscillator.h5'),
      page = await kit.page('served', {}, /^http:\/\/127\.0\.0\.1:/);
    await page.goto(server.address);
    await kit.drawn(page);
    same(await choose(page, 'push', 'tip.x'), f => closed(f).push, 1e-10);
    await server.end();
  },
  'a phone': async () => {
    const page = await kit.open('oscillator', {viewport: {width: 390, height: 844}});
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `${wide}`);
  },
};

async function pictures() {
  for (const [kind, hash, viewport] of [
    ['light', '', {width: 1280, height: 760}],
    ['dark', '#theme=dark&from=lead&to=acc.x', {width: 1280, height: 760}],
    ['phone', '', {width: 390, height: 844}],
  ]) {
    const page = await kit.page(kind, {viewport});
    await page.goto('file://' + at('oscillator.html') + hash);
    await kit.drawn(page);
    await page.waitForTimeout(300);
    await page.screenshot({path: at(`linear-${kind}.png`)});
  }
}

kit.all(tests, async () => {
  kit.endServers();
  if (process.env.PICTURES) await pictures();
});
