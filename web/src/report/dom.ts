/* Elements of the page; texts go in as text, never as mark-up. */

type Attributes = Record<string, string | number | boolean | null | undefined>;
type Child = Node | string | null | undefined;

export const $ = (id: string): HTMLElement => document.getElementById(id)!;
export const clamp = (v: number, lo: number, hi: number): number => Math.min(Math.max(v, lo), hi);

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attributes))
    if (v !== null && v !== undefined && v !== false) e.setAttribute(k, v === true ? '' : String(v));
  e.append(...children.filter(c => c !== null && c !== undefined));
  return e;
}
export function svg(tag: string, attributes: Record<string, string | number> = {}, ...children: Node[]): SVGElement {
  const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, String(v));
  e.append(...children);
  return e;
}

export const nothing = (section: HTMLElement, words: string): void => section.append(el('p', {class: 'soft'}, words));

/* Rows of texts, the first of each a heading. */
export function plainTable(label: string, head: string[], rows: string[][]): HTMLElement {
  return el(
    'div',
    {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label},
    el(
      'table',
      {},
      el('thead', {}, el('tr', {}, ...head.map(h => el('th', {scope: 'col'}, h)))),
      el(
        'tbody',
        {},
        ...rows.map(row => el('tr', {}, ...row.map((c, i) => (i ? el('td', {}, c) : el('th', {scope: 'row'}, c))))),
      ),
    ),
  );
}
/* What is made when it is first unfolded. */
export function fold(parent: HTMLElement, words: string, make: () => HTMLElement, open = false): void {
  const d = el('details', {open}, el('summary', {}, words));
  let made = open;
  if (open) d.append(make());
  d.addEventListener('toggle', () => {
    if (!made) {
      made = true;
      d.append(make());
    }
  });
  parent.append(d);
}
