/* How long the page works for a frame: from states to vertices and numbers, without the graphics card. */

const kept = 120,
  times = new Float64Array(kept),
  starts = new Float64Array(kept);
let n = 0;

/* Does what a frame needs, and keeps how long it took. */
export function worked(what: () => void): void {
  const begin = performance.now();
  what();
  starts[n % kept] = begin;
  times[n++ % kept] = performance.now() - begin;
}

/* The median of the last frames, in ms; and how many a second there have been while it moved. */
export function load(): {frames: number; ms: number; rate: number} {
  const frames = Math.min(n, kept),
    sorted = times.slice(0, frames).sort(),
    gaps = Array.from({length: Math.max(frames - 1, 0)}, (_, i) => {
      const k = n - frames + i;
      return starts[(k + 1) % kept] - starts[k % kept];
    })
      .filter(g => g < 1000)
      .sort((a, b) => a - b);
  return {
    frames,
    ms: frames ? sorted[frames >> 1] : 0,
    rate: gaps.length ? 1000 / Math.max(gaps[gaps.length >> 1], 1e-3) : 0,
  };
}
