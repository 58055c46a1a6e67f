/* What draws is drawn when it is in sight, once a frame at most. */

export interface Drawn {
  host: HTMLElement;
  seen: boolean;
  stale: boolean;
  draw(): void;
  gone?(): void;
}

const drawn = new Map<Element, Drawn>();
const waiting = new Set<Drawn>();
let frame = 0;

export function redraw(p: Drawn): void {
  p.stale = true;
  if (!p.seen) return;
  waiting.add(p);
  frame ||= requestAnimationFrame(() => {
    frame = 0;
    const now = [...waiting];
    waiting.clear();
    for (const q of now) {
      q.stale = false;
      q.draw();
    }
  });
}

const sight = new IntersectionObserver(
  entries => {
    for (const e of entries) {
      const p = drawn.get(e.target);
      if (!p) continue;
      p.seen = e.isIntersecting;
      if (p.seen && p.stale) redraw(p);
    }
  },
  {rootMargin: '250px'},
);
const size = new ResizeObserver(entries => {
  for (const e of entries) if (drawn.has(e.target)) redraw(drawn.get(e.target)!);
});

export function watch(p: Drawn): void {
  drawn.set(p.host, p);
  p.stale = true;
  sight.observe(p.host);
  size.observe(p.host);
}
export function unwatch(within: HTMLElement): void {
  for (const [host, p] of [...drawn])
    if (within.contains(host)) {
      p.gone?.();
      waiting.delete(p);
      drawn.delete(host);
      sight.unobserve(host);
      size.unobserve(host);
    }
}
export const all = (): Iterable<Drawn> => drawn.values();
export const redrawAll = (): void => {
  for (const p of drawn.values()) redraw(p);
};
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redrawAll);
addEventListener('beforeprint', () => {
  for (const p of drawn.values()) {
    p.stale = false;
    p.draw();
  }
});
