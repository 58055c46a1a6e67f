/* The abscissa that several plots share: whole range, shown range, cursor; and who else follows the cursor. */
import {clamp} from './dom';
import {fin} from './numbers';
import {Drawn, redraw} from './sight';

interface Follower extends Drawn {
  tell(): void;
  drawCursor(): void;
}

export class Axis {
  readonly full: [number, number];
  range: [number, number];
  cursor: number | null = null;
  rest: number | null = null; /* where the cursor goes when nobody points */
  readonly plots = new Set<Follower>();
  told: () => void = () => {};
  pointed: (at: number, chosen: boolean) => boolean = () => true; /* false: somebody else moves the cursor now */

  constructor(lo: number, hi: number) {
    if (!(hi > lo)) {
      const c = fin(lo) ? lo : 0;
      lo = c - 0.5;
      hi = c + 0.5;
    }
    this.full = [lo, hi];
    this.range = [lo, hi];
  }
  get zoomed(): boolean {
    return this.range[0] > this.full[0] || this.range[1] < this.full[1];
  }
  set(lo: number, hi: number): void {
    const whole = this.full[1] - this.full[0],
      span = clamp(hi - lo, whole * 1e-5, whole);
    lo = clamp(lo, this.full[0], this.full[1] - span);
    this.range = span === whole ? [...this.full] : [lo, lo + span];
    this.told();
    for (const p of this.plots) redraw(p);
  }
  reset(): void {
    this.set(...this.full);
  }
  zoom(at: number, factor: number): void {
    const [a, b] = this.range;
    this.set(at - (at - a) * factor, at + (b - at) * factor);
  }
  move(by: number): void {
    this.set(this.range[0] + by, this.range[1] + by);
  }
  /* Somebody points at a time, or no longer. */
  point(at: number | null, chosen = false): void {
    if (at === null || this.pointed(at, chosen)) this.show(at ?? this.rest);
  }
  show(at: number | null): void {
    this.cursor = at;
    for (const p of this.plots) {
      p.tell();
      if (p.seen) p.drawCursor();
      else p.stale = true;
    }
  }
}
