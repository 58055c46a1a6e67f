/* Mouse, touch and keyboard on a plot: they move its axis' cursor and range. */
import type {Plot} from './plot';
import {$, clamp} from './dom';

interface Drag {
  kind: 'zoom' | 'pan' | 'pinch' | 'still';
  from: number;
  to: number;
  moved: boolean;
}

export function listen(p: Plot): void {
  const h = p.host,
    a = p.axis,
    touches = new Map<number, number>(),
    px = (e: MouseEvent) => e.clientX - h.getBoundingClientRect().left;
  let drag: Drag | null = null,
    tapped = -1e9;
  const hover = (e: MouseEvent, chosen = false) => {
    if (p.x.length) a.point(p.x[p.nearest(p.invert(px(e)))], chosen);
  };
  const mark = () => p.drawCursor(drag?.kind === 'zoom' && drag.moved ? [drag.from, drag.to] : null);
  h.addEventListener('pointerdown', e => {
    if (e.button > 1) return;
    h.focus({preventScroll: true});
    h.setPointerCapture(e.pointerId);
    if (e.pointerType === 'touch') {
      touches.set(e.pointerId, px(e));
      drag = {kind: touches.size > 1 ? 'pinch' : 'pan', from: px(e), to: px(e), moved: false};
      hover(e, true);
    } else {
      drag = {kind: e.shiftKey || e.button === 1 ? 'pan' : 'zoom', from: px(e), to: px(e), moved: false};
      e.preventDefault();
    }
  });
  h.addEventListener('pointermove', e => {
    const d = drag,
      x = px(e),
      span = a.range[1] - a.range[0],
      b = p.inner;
    if (!d) {
      hover(e);
      return;
    }
    if (d.kind === 'pinch' && touches.size === 2 && touches.has(e.pointerId)) {
      const other = [...touches].find(([id]) => id !== e.pointerId)![1],
        old = touches.get(e.pointerId)!;
      if (Math.abs(x - other) > 8 && Math.abs(old - other) > 8)
        a.zoom(p.invert((x + other) / 2), clamp(Math.abs((old - other) / (x - other)), 0.5, 2));
    } else if (d.kind === 'pan') {
      if (a.zoomed) a.move(((d.to - x) / (b.right - b.left)) * span);
      hover(e);
    }
    if (touches.has(e.pointerId)) touches.set(e.pointerId, x);
    d.to = clamp(x, b.left, b.right);
    if (d.kind === 'zoom') d.from = clamp(d.from, b.left, b.right);
    else d.to = x;
    d.moved ||= Math.abs(d.to - d.from) > 5;
    if (d.kind === 'zoom') {
      hover(e);
      mark();
    }
  });
  const end = (e: PointerEvent) => {
    const d = drag,
      up = e.type === 'pointerup';
    touches.delete(e.pointerId);
    drag = touches.size ? {kind: 'still', from: 0, to: 0, moved: false} : null;
    if (up && d?.kind === 'zoom' && d.moved) {
      const from = p.invert(d.from),
        to = p.invert(d.to);
      a.set(Math.min(from, to), Math.max(from, to));
    } else if (up && d?.kind === 'zoom') hover(e, true);
    else if (up && e.pointerType === 'touch' && d?.kind === 'pan' && !d.moved) {
      if (e.timeStamp - tapped < 350) a.reset();
      tapped = e.timeStamp;
    }
    mark();
  };
  h.addEventListener('pointerup', end);
  h.addEventListener('pointercancel', end);
  h.addEventListener('pointerleave', e => {
    if (e.pointerType === 'mouse' && !drag) a.point(null);
  });
  h.addEventListener('dblclick', () => a.reset());
  h.addEventListener(
    'wheel',
    e => {
      if (!e.ctrlKey && document.activeElement !== h) return;
      e.preventDefault();
      const unit = e.deltaMode === 1 ? 30 : 1,
        span = a.range[1] - a.range[0];
      if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY))
        a.move((((e.deltaX || e.deltaY) * unit) / 800) * span);
      else a.zoom(p.invert(px(e)), Math.exp(clamp(e.deltaY * unit, -200, 200) / (e.ctrlKey ? 150 : 400)));
    },
    {passive: false},
  );
  h.addEventListener('keydown', e => {
    if (!e.altKey && !e.ctrlKey && !e.metaKey && key(p, e)) e.preventDefault();
  });
  h.addEventListener('blur', () => a.point(null));
}

function key(p: Plot, e: KeyboardEvent): boolean {
  const a = p.axis,
    n = p.x.length,
    [lo, hi] = a.range,
    span = hi - lo,
    middle = a.cursor ?? (lo + hi) / 2;
  const step = Math.max(1, Math.round((p.find(hi) - p.find(lo)) / 200)) * (e.shiftKey ? 10 : 1);
  const go = (i: number) => {
    if (!n) return;
    const x = p.x[clamp(i, 0, n - 1)];
    if (x < lo || x > hi) a.set(x - span / 2, x + span / 2);
    a.point(x, true);
    $('live').textContent = p.say();
  };
  const by = (i: number) => go(a.cursor === null ? p.nearest(middle) : p.nearest(a.cursor) + i);
  const does: Record<string, () => void> = {
    ArrowLeft: () => by(-step),
    ArrowRight: () => by(step),
    Home: () => go(0),
    End: () => go(n - 1),
    '+': () => a.zoom(middle, 0.7),
    '=': () => a.zoom(middle, 0.7),
    '-': () => a.zoom(middle, 1 / 0.7),
    _: () => a.zoom(middle, 1 / 0.7),
    PageUp: () => a.move(-span / 2),
    PageDown: () => a.move(span / 2),
    0: () => a.reset(),
    Escape: () => a.reset(),
  };
  does[e.key]?.();
  return e.key in does;
}
