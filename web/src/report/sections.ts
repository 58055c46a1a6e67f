/* Pages other than the report: their own sections in the same frame. */
import {$, el} from './dom';

export type Section = [id: string, title: string, link?: string];

export function showSections(all: Section[]): void {
  const links = document.querySelector('nav ul')!;
  links.replaceChildren(...all.map(([id, title, link]) => el('li', {}, el('a', {href: `#${id}`}, link ?? title))));
  for (const s of document.querySelectorAll('#main > section')) s.remove();
  $('main').append(...all.map(([id, title]) => el('section', {id}, el('h2', {}, title))));
}

export function showFigures(entries: [string, string | null][]): void {
  for (const [name, value] of entries)
    if (value !== null) $('figures').append(el('div', {}, el('dt', {}, name), el('dd', {}, value)));
}
