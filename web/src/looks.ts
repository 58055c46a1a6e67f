/* What is shown how: colours, arrows, exaggeration, results; and the legend that says it on the picture. */
import {groups, largest, round} from './arrows';
import {modes, prefixes, result} from './data';
import {fieldOf, gradient, ofFrame, rangeByFrame, rangeOf, ranges, scalarOf, scalars, unitOf} from './fields';
import {nameOf, tints} from './layers';
import {bends, exaggerate, factor, hasStates, planar, still} from './pose';
import type {Scene} from './scene';

const $ = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;
const digits = (x: number): string =>
  String(Number(x.toPrecision(4)))
    .replace('-', '−')
    .replace('e+', 'e');
/* Numbers up to `most` with a prefix to their unit: by what to divide, and the unit. */
const prefix = ['n', 'µ', 'm', '', 'k', 'M', 'G', 'T'];
function scaled(most: number, unit: string): [number, string] {
  const k =
    most > 0
      ? Math.min(Math.max(Math.floor(Math.log10(most) / 3 + (most < 1 ? 0.334 : 1e-9)), -3), 4)
      : 0; /* 0.2 stays 0.2 */
  return [10 ** (3 * k), prefix[k + 3] + unit.replace('*', '·')];
}
const element = (tag: string, className: string, ...inside: (Node | string)[]): HTMLElement => {
  const e = document.createElement(tag);
  e.className = className;
  e.append(...inside);
  return e;
};
/* What is exaggerated: of beams alone in a run their bending. */
const deformation = (ofBeams: string): string =>
  still() ? 'displacements' : bends() === 'surfaces' ? 'deformation' : ofBeams;
const factors = [1, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000];

export class Looks {
  constructor(
    private scene: Scene,
    private redraw: () => void,
  ) {
    this.fillField();
    this.fillArrows();
    this.fillFactor();
    this.fillMesh();
    this.fillResults();
    $('looks').hidden = ![...$('looks').querySelectorAll<HTMLElement>('.look')].some(e => !e.hidden);
    scene.rendered = () => {
      this.scales();
      if (ofFrame) this.ends();
    };
    this.legend();
  }

  private changed(): void {
    this.redraw();
    this.legend();
  }

  private fillField(): void {
    const s = $<HTMLSelectElement>('field'),
      all = scalars();
    s.append(new Option('as it is', ''), ...all.map(o => new Option(o.label, o.key)));
    s.closest<HTMLElement>('.look')!.hidden = !all.length;
    s.addEventListener('change', () => this.setField(s.value));
    const by = $<HTMLSelectElement>('range');
    by.closest<HTMLElement>('.look')!.hidden = modes || !all.some(ranges);
    by.addEventListener('change', () => this.setRange(by.value));
  }
  /* Colours over the whole run, or over the frame shown. */
  setRange(of: string): void {
    $<HTMLSelectElement>('range').value = of;
    rangeByFrame(of === 'frame');
    this.changed();
  }
  /* The next thing to colour by. */
  next(): void {
    const s = $<HTMLSelectElement>('field');
    this.setField(s.options[(s.selectedIndex + 1) % s.options.length].value);
  }
  setField(name: string): void {
    $<HTMLSelectElement>('field').value = name;
    this.scene.field = name;
    this.changed();
  }

  private fillArrows(): void {
    for (const g of groups) {
      const box = $<HTMLInputElement>(`${g}s`);
      box.closest<HTMLElement>('.look')!.hidden = !fieldOf(g);
      box.addEventListener('change', () => this.setArrows(g, box.checked));
    }
  }
  /* All arrows, or none. */
  arrows(): void {
    const on = !groups.some(g => this.scene.arrowsOn(g));
    for (const g of groups) if (fieldOf(g)) this.setArrows(g, on);
  }
  setArrows(what: string, on: boolean): void {
    $<HTMLInputElement>(`${what}s`).checked = on;
    this.scene.arrows(what, on);
    if (on) this.scene.holds(what);
    this.changed();
  }

  private fillFactor(): void {
    const s = $<HTMLInputElement>('factor');
    s.max = String(factors.length - 1);
    s.closest<HTMLElement>('.look')!.hidden = modes || !hasStates || !(still() || bends());
    $('factorOf').textContent = deformation('bending of beams');
    s.addEventListener('input', () => this.setFactor(factors[+s.value]));
  }
  setFactor(f: number): void {
    exaggerate(f);
    $<HTMLInputElement>('factor').value = String(factors.findIndex(x => x >= f));
    $('factorNow').textContent = `× ${f}`;
    if (still()) this.scene.refit();
    this.changed();
  }

  private fillMesh(): void {
    const box = $<HTMLInputElement>('mesh');
    box.closest<HTMLElement>('.look')!.hidden = !this.scene.layers.some(
      l => !l.parts.surfaces.empty || l.parts.meshes.edged,
    );
    box.addEventListener('change', () => this.setMesh(box.checked));
  }
  setMesh(on: boolean): void {
    $<HTMLInputElement>('mesh').checked = on;
    for (const l of this.scene.layers) {
      l.parts.surfaces.mark(on);
      l.parts.meshes.mark(on);
    }
    this.changed();
  }

  private fillResults(): void {
    const host = $('results');
    host.hidden = this.scene.layers.length < 2;
    for (const l of this.scene.layers) {
      const row = element('label', 'result'),
        box = document.createElement('input'),
        fade = document.createElement('input');
      box.type = 'checkbox';
      box.checked = true;
      box.addEventListener('change', () => {
        l.visible = box.checked;
        this.changed();
      });
      Object.assign(fade, {
        type: 'range',
        min: '0.1',
        max: '1',
        step: '0.05',
        value: String(l.opacity),
        ariaLabel: `opacity of ${l.name}`,
      });
      fade.addEventListener('input', () => {
        l.setOpacity(+fade.value);
        this.changed();
      });
      row.style.setProperty('--c', l.tint ?? '');
      row.append(box, element('span', 'swatch'), l.name);
      host.append(row, fade);
    }
  }

  /* ---- legend ---- */

  private legend(): void {
    const parts: HTMLElement[] = [];
    if (prefixes.length > 1) parts.push(this.files());
    if (factor !== 1) parts.push(element('div', 'exaggerated', `${deformation('bending')} × ${factor}`));
    if (this.scene.field) parts.push(this.bar(this.scene.field));
    if (groups.some(g => this.scene.arrowsOn(g))) parts.push(this.arrowScales());
    $('legend').replaceChildren(...parts);
    this.scene.refree();
    this.scales();
  }

  private files(): HTMLElement {
    return element(
      'div',
      'files',
      ...prefixes.flatMap((p, i) => {
        const layer = this.scene.layers.find(l => l.ids === p),
          data = result(p).header.analysis === 'data';
        if (layer && !layer.visible) return [];
        const e = element('span', data ? 'file data' : 'file', element('span', 'swatch'), nameOf(p));
        e.style.setProperty('--c', tints[i % tints.length]);
        return [e];
      }),
    );
  }

  private bar(name: string): HTMLElement {
    const s = scalarOf(name),
      {texts, unit} = this.marks(name),
      strip = element('div', 'strip');
    strip.style.background = gradient(s);
    const ends = element('div', 'ends', ...texts.map(() => element('output', ''))),
      title = element('div', 'title', `${s.label}${unit === '1' ? '' : ` (${unit})`}`);
    if (ofFrame && ranges(s)) title.append(' in this frame');
    return this.write(element('div', 'bar', title, strip, ends), name);
  }
  private marks(name: string): {texts: [string, number][]; unit: string} {
    const s = scalarOf(name),
      [low, high] = rangeOf(s),
      /* the unit stays while the range of the frame changes */
      [by, unit] = scaled(Math.max(...this.widest(name, Math.max(high, -low))), unitOf(s));
    return {texts: [low, (low + high) / 2, high].map(x => [digits(x / by), x]), unit};
  }
  private most: [string, number] = ['', 0];
  private widest(name: string, x: number): number[] {
    if (this.most[0] !== name || !ofFrame) this.most = [name, x];
    return [this.most[1]];
  }
  private write(bar: HTMLElement, name: string): HTMLElement {
    const {texts} = this.marks(name);
    bar.querySelectorAll<HTMLElement>('.ends output').forEach((o, i) => {
      [o.textContent, o.dataset.value] = [texts[i][0], String(texts[i][1])];
    });
    return bar;
  }
  /* Of a frame: its numbers in the legend. */
  private ends(): void {
    const bar = document.querySelector<HTMLElement>('#legend .bar');
    if (bar && this.scene.field) this.write(bar, this.scene.field);
  }

  private arrowScales(): HTMLElement {
    const [f, m] = largest(this.scene.size),
      rows = [
        [f, 'N', 'force'],
        [m, 'N·m', planar ? 'moment arc' : 'moment'],
      ] as const;
    const names = groups.filter(g => this.scene.arrowsOn(g)).map(g => element('span', `kind ${g}`, `${g}s`));
    return element(
      'div',
      'arrow',
      ...names,
      ...rows
        .filter(([x]) => x > 0)
        .map(([x, unit, kind]) => {
          const line = element('span', 'scale'),
            value = round(x / 2),
            [by, of] = scaled(value, unit),
            o = element('output', '', `${digits(value / by)} ${of}`);
          o.dataset.value = String(value);
          line.dataset.part = String(value / x);
          line.className += ` ${kind}`;
          return element('span', 'size', line, o);
        }),
    );
  }
  /* Arrows in the legend are as long as they are on the picture. */
  private scales(): void {
    for (const e of document.querySelectorAll<HTMLElement>('#legend .scale')) {
      const px = `${Math.min(Math.max(Number(e.dataset.part) * this.scene.longest * this.scene.pixels, 2), 160)}px`;
      e.style.width = px;
      if (e.classList.contains('arc')) e.style.height = px;
    }
  }
  theme(): void {
    this.changed();
  }
  /* Ranges may have come. */
  renew(): void {
    if (this.scene.field || groups.some(g => this.scene.arrowsOn(g))) this.legend();
  }

  /* ---- wishes of the page's address ---- */

  wish(name: string): void {
    const there = scalars().map(s => s.key);
    if (!there.includes(name))
      throw new Error(
        `there is no colour '${name}': ` +
          `${there.length ? `this result has ${there.join(', ')}` : 'this result has no fields'}`,
      );
    this.setField(name);
  }
  wishRange(name: string): void {
    if (name !== 'run' && name !== 'frame') throw new Error(`colours have no range '${name}': say run or frame`);
    this.setRange(name);
  }
  wishArrows(name: string): void {
    const there = groups.filter(g => fieldOf(g)),
      g = groups.find(o => o === name);
    if (!g || !there.includes(g))
      throw new Error(
        `there are no arrows '${name}': ` +
          `${there.length ? `this result has ${there.join(', ')}` : 'this result has neither loads nor reactions'}`,
      );
    this.setArrows(g, true);
  }
}
