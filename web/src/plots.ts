/* The plots of a page: they share their range of time and the cursor. */
import {Channel, channels} from './channel';
import {comparing, span} from './compare';
import {axis, columnOf, component, gather, header, sensor, served} from './data';
import {abscissa, equilibria, reach} from './equilibria';
import {Desk, Panel} from './panel';

export class Plots implements Desk {
  private open = new Map<Channel, Panel>();
  private frame = 0;
  range: [number, number] | null = null;

  constructor(
    private host: HTMLElement,
    readonly seek: (frame: number, chosen: boolean) => void,
  ) {
    new ResizeObserver(() => this.resize()).observe(host);
  }

  get chosen(): Channel[] {
    return channels.filter(c => this.open.has(c));
  }
  get width(): number {
    return Math.max(this.host.clientWidth - 16, 120);
  }
  get height(): number {
    return innerWidth < 800 ? 162 : 182;
  }
  private resize(): void {
    for (const p of this.open.values()) p.resize();
    this.at(this.frame);
  }

  /* These, in the order of the list. */
  set(wanted: (c: Channel) => boolean): void {
    for (const [c, p] of this.open)
      if (!wanted(c)) {
        p.destroy();
        this.open.delete(c);
      }
    for (const c of channels) if (wanted(c) && !this.open.has(c)) this.open.set(c, new Panel(c, this));
    for (const c of this.chosen) {
      const p = this.open.get(c)!,
        fresh = !p.box.isConnected;
      this.host.append(p.box);
      if (fresh) p.draw();
    }
    this.at(this.frame);
  }

  get whole(): [number, number] {
    return comparing ? span() : equilibria ? reach(abscissa) : [axis[0], axis[axis.length - 1]];
  }
  zoom(range: [number, number] | null): void {
    this.range = range;
    for (const p of this.open.values()) p.zoomed();
    this.at(this.frame);
  }
  get shownRange(): [number, number] {
    return this.range ?? this.whole;
  }
  /* What the first plot of a sensor draws; from where to where. */
  private panel(name: string): Panel | undefined {
    return [...this.open.values()].find(p => p.channel.sensor.name === name);
  }
  lines(name: string): number[][] {
    return this.panel(name)?.data ?? [];
  }
  scales(name: string): Record<string, [number, number]> {
    return this.panel(name)?.scales ?? {};
  }
  redraw(): void {
    for (const p of this.open.values()) p.redraw();
  }
  at(frame: number): void {
    this.frame = frame;
    for (const p of this.open.values()) p.at(frame);
  }

  /* What is shown of the first result, all frames, every digit. */
  async csv(): Promise<string> {
    const own = this.chosen.filter(c => header.sensors.includes(c.sensor));
    const all = new Map(
      await Promise.all(
        own.map(
          async c =>
            [
              c,
              served
                ? await gather(columnOf(c.sensor), c.sensor.width, 0, header.frames, 1, false)
                : sensor(c.sensor).data,
            ] as const,
        ),
      ),
    );
    const list = own.flatMap(c => c.parts.map(k => ({c, k})));
    const rows = [['t', ...list.map(({c, k}) => `${c.sensor.name}.${component(c.sensor, k)}`)].join(',')];
    for (let i = 0; i < header.frames; i++)
      rows.push([axis[i], ...list.map(({c, k}) => all.get(c)![i * c.sensor.width + k])].join(','));
    return rows.join('\n') + '\n';
  }
}
