/* Which sensors are plotted: a list with a search, in groups of what sensors measure; what never changes is folded
   away. */
import {Channel, channels, still} from './channel';
import type {Plots} from './plots';

interface Row {
  channel: Channel;
  label: HTMLElement;
  box: HTMLInputElement;
}
interface Group {
  rows: Row[];
  box: HTMLInputElement;
  host: HTMLDetailsElement;
  constant: boolean;
}

const plain = (text: string): string => text.toLowerCase();
const nameOf = (c: Channel): string => `${c.title}${c.unit ? ` (${c.unit})` : ''}`;
const check = (): HTMLInputElement => Object.assign(document.createElement('input'), {type: 'checkbox'});

export class Chooser {
  private groups: Group[];
  private search: HTMLInputElement;

  constructor(
    private host: HTMLDetailsElement,
    private plots: Plots,
  ) {
    const box = host.querySelector('#choices')!,
      kinds = new Map<string, Channel[]>();
    for (const c of channels) {
      const kind = still(c) ? 'constant' : (c.sensor.kind ?? 'measured');
      kinds.set(kind, [...(kinds.get(kind) ?? []), c]);
    }
    const constant = kinds.get('constant') ?? [];
    kinds.delete('constant');
    if (constant.length) kinds.set('constant', constant); /* the last */
    this.groups = [...kinds].map(([kind, list]) => this.group(kind, list, kinds.size > 1));
    this.search = host.querySelector<HTMLInputElement>('#search')!;
    this.search.addEventListener('input', () => this.filter());
    for (const [id, on] of [
      ['#everything', true],
      ['#nothing', false],
    ] as const)
      host.querySelector(id)!.addEventListener('click', () => {
        for (const r of this.rows) if (!r.label.hidden) r.box.checked = on;
        this.changed();
      });
    box.append(...this.groups.map(g => g.host));
    host.querySelector<HTMLElement>('#find')!.hidden = channels.length < 7;
  }
  private get rows(): Row[] {
    return this.groups.flatMap(g => g.rows);
  }

  private group(kind: string, list: Channel[], named: boolean): Group {
    const host = document.createElement('details'),
      head = document.createElement('summary'),
      inside = document.createElement('div'),
      all = check(),
      rows = list.map(channel => {
        const label = document.createElement('label'),
          box = check();
        box.addEventListener('change', () => this.changed());
        label.append(box, ` ${nameOf(channel)}`);
        return {channel, label, box};
      });
    all.setAttribute('aria-label', `all of ${kind}`);
    all.addEventListener('change', () => {
      for (const r of rows) if (!r.label.hidden) r.box.checked = all.checked;
      this.changed();
    });
    head.append(
      all,
      ` ${kind.replaceAll('_', ' ')} `,
      Object.assign(document.createElement('small'), {textContent: list.length}),
    );
    head.hidden = !named;
    inside.append(...rows.map(r => r.label));
    host.open = kind !== 'constant' || !named;
    host.append(head, inside);
    return {rows, box: all, host, constant: kind === 'constant'};
  }

  /* The words that are sought, in any order. */
  private filter(): void {
    const words = plain(this.search.value).split(/\s+/);
    for (const g of this.groups) {
      for (const r of g.rows) {
        const text = plain(`${nameOf(r.channel)} ${r.channel.sensor.kind ?? ''}`);
        r.label.hidden = !words.every(w => text.includes(w));
      }
      g.host.hidden = g.rows.every(r => r.label.hidden);
      if (this.search.value) g.host.open = true;
    }
  }

  /* The first few of what changes, as a page begins. */
  begin(most: number): void {
    const changing = this.groups.filter(g => !g.constant).flatMap(g => g.rows);
    const first = new Set(
      channels
        .map(c => (changing.length ? changing : this.rows).find(r => r.channel === c))
        .filter(r => r !== undefined)
        .slice(0, most),
    );
    for (const r of this.rows) r.box.checked = first.has(r);
    this.changed();
  }

  changed(): void {
    const on = new Set(this.rows.filter(r => r.box.checked).map(r => r.channel));
    this.plots.set(c => on.has(c));
    for (const g of this.groups) {
      const n = g.rows.filter(r => r.box.checked).length;
      g.box.checked = n === g.rows.length;
      g.box.indeterminate = n > 0 && n < g.rows.length;
    }
    this.host.querySelector('summary')!.textContent = `Sensors: ${on.size} of ${channels.length}`;
  }
}
