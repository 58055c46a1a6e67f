/* Moving pictures: GIF89a with one palette of 255 colours for all frames; what stays as it was in the frame before is
   transparent, which compresses well. https://www.w3.org/Graphics/GIF/spec-gif89a.txt */

const CLEAR = 256,
  END = 257,
  SAME = 255; /* codes of eight-bit pixels, and the transparent colour */
type Box = number[]; /* colours of fifteen bits */

const red = (c: number) => c >> 10,
  green = (c: number) => (c >> 5) & 31,
  blue = (c: number) => c & 31;
const short = (rgba: Uint8ClampedArray, i: number) =>
  ((rgba[i] >> 3) << 10) | ((rgba[i + 1] >> 3) << 5) | (rgba[i + 2] >> 3);

/* Median cut: the box with the most pixels times its widest side is halved until there are enough. */
export class Palette {
  private count = new Float64Array(1 << 15);
  private sum = new Float64Array(3 << 15);
  private index = new Uint8Array(1 << 15);
  readonly bytes = new Uint8Array(768);

  sample(rgba: Uint8ClampedArray): void {
    for (let i = 0; i < rgba.length; i += 4) {
      const c = short(rgba, i);
      this.count[c]++;
      for (let j = 0; j < 3; j++) this.sum[3 * c + j] += rgba[i + j];
    }
  }

  private widest(box: Box): {side: (c: number) => number; weight: number} {
    let best = {side: red, width: -1},
      pixels = 0;
    for (const side of [red, green, blue]) {
      let low = 31,
        high = 0;
      for (const c of box) {
        low = Math.min(low, side(c));
        high = Math.max(high, side(c));
      }
      if (high - low > best.width) best = {side, width: high - low};
    }
    for (const c of box) pixels += this.count[c];
    return {
      side: best.side,
      weight: best.width * Math.sqrt(pixels),
    }; /* the root: few pixels of a colour are not forgotten */
  }

  private halve(box: Box): [Box, Box] {
    const {side} = this.widest(box),
      half = box.reduce((a, c) => a + this.count[c], 0) / 2;
    box.sort((a, b) => side(a) - side(b));
    let k = 0;
    for (let n = 0; k < box.length - 2 && n + this.count[box[k]] <= half; k++) n += this.count[box[k]];
    return [box.slice(0, k + 1), box.slice(k + 1)];
  }

  make(): void {
    const used: Box = [];
    for (let c = 0; c < 1 << 15; c++) if (this.count[c]) used.push(c);
    let boxes: Box[] = [used];
    while (boxes.length < SAME) {
      const best = boxes.reduce(
        (a, b) => (b.length > 1 && this.widest(b).weight > (a ? this.widest(a).weight : 0) ? b : a),
        null as Box | null,
      );
      if (!best) break;
      boxes = boxes.filter(b => b !== best).concat(this.halve(best));
    }
    boxes.forEach((box, i) => {
      const pixels = box.reduce((a, c) => a + this.count[c], 0);
      for (let j = 0; j < 3; j++)
        this.bytes[3 * i + j] = Math.round(box.reduce((a, c) => a + this.sum[3 * c + j], 0) / Math.max(pixels, 1));
      for (const c of box) this.index[c] = i;
    });
    this.boxes = boxes.length;
  }
  private boxes = 0;

  of(rgba: Uint8ClampedArray, i: number): number {
    const c = short(rgba, i); /* a colour that no sample had gets the nearest */
    if (!this.count[c]) {
      this.index[c] = this.nearest(rgba[i], rgba[i + 1], rgba[i + 2]);
      this.count[c] = 1;
    }
    return this.index[c];
  }
  private nearest(r: number, g: number, b: number): number {
    let best = 0,
      least = Infinity;
    for (let i = 0; i < this.boxes; i++) {
      const d = (this.bytes[3 * i] - r) ** 2 + (this.bytes[3 * i + 1] - g) ** 2 + (this.bytes[3 * i + 2] - b) ** 2;
      if (d < least) {
        least = d;
        best = i;
      }
    }
    return best;
  }
}

class Bytes {
  private data = new Uint8Array(1 << 16);
  length = 0;
  put(...bytes: number[]): void {
    if (this.length + bytes.length > this.data.length) {
      const more = new Uint8Array(2 * this.data.length);
      more.set(this.data);
      this.data = more;
    }
    for (const b of bytes) this.data[this.length++] = b;
  }
  word(x: number): void {
    this.put(x & 255, (x >> 8) & 255);
  }
  get all(): Uint8Array {
    return this.data.subarray(0, this.length);
  }
}

/* Lempel, Ziv and Welch's codes of a frame, least bit first, in blocks of at most 255 bytes. */
function lzw(pixels: Uint8Array, out: Bytes): void {
  const table = new Int16Array(4096 * 256).fill(-1),
    block: number[] = [];
  let size = 9,
    next = END + 1,
    bits = 0,
    held = 0;
  const flush = () => {
    if (block.length) {
      out.put(block.length, ...block);
      block.length = 0;
    }
  };
  const emit = (code: number) => {
    held |= code << bits;
    bits += size;
    while (bits >= 8) {
      block.push(held & 255);
      held >>>= 8;
      bits -= 8;
      if (block.length === 255) flush();
    }
  };
  out.put(8);
  emit(CLEAR);
  let word = pixels[0];
  for (let i = 1; i < pixels.length; i++) {
    const p = pixels[i],
      at = (word << 8) | p,
      known = table[at];
    if (known >= 0) {
      word = known;
      continue;
    }
    emit(word);
    word = p;
    if (next === 4096) {
      emit(CLEAR);
      table.fill(-1);
      size = 9;
      next = END + 1;
      continue;
    }
    if (next === 1 << size) size++;
    table[at] = next++;
  }
  emit(word);
  if (next === 1 << size && size < 12) size++; /* the decoder has added an entry */
  emit(END);
  if (bits) block.push(held & 255);
  flush();
  out.put(0);
}

export class Gif {
  private out = new Bytes();
  private before: Uint8Array | null = null;

  /* wait: hundredths of a second a frame. It begins again for ever. */
  constructor(
    private width: number,
    private height: number,
    private palette: Palette,
    private wait: number,
  ) {
    const o = this.out;
    o.put(...Array.from('GIF89a', c => c.charCodeAt(0)));
    o.word(width);
    o.word(height);
    o.put(0xf7, 0, 0, ...palette.bytes);
    o.put(0x21, 0xff, 11, ...Array.from('NETSCAPE2.0', c => c.charCodeAt(0)), 3, 1, 0, 0, 0);
  }

  add(rgba: Uint8ClampedArray): void {
    const now = new Uint8Array(this.width * this.height),
      o = this.out;
    for (let i = 0; i < now.length; i++) now[i] = this.palette.of(rgba, 4 * i);
    const pixels = this.before ? now.map((c, i) => (c === this.before![i] ? SAME : c)) : now;
    this.before = now;
    o.put(0x21, 0xf9, 4, 0x05); /* the frame stays; a transparent colour */
    o.word(this.wait);
    o.put(SAME, 0, 0x2c, 0, 0, 0, 0);
    o.word(this.width);
    o.word(this.height);
    o.put(0);
    lzw(pixels, o);
  }

  end(): Uint8Array {
    this.out.put(0x3b);
    return this.out.all;
  }
}
