/* What is around the text of every page: head, navigation, search, its headings, the pages before and behind. */
import path from 'node:path';
import {escape} from './markdown.js';

export const relative = (from, to) => path.posix.relative(path.posix.dirname(from), to) || path.posix.basename(to);

const navigation = (groups, here) =>
  groups
    .map(g => {
      const items = g.items
        .map(i => {
          const mark = i.page === here ? ' aria-current="page"' : '';
          return `<li><a href="${relative(here, i.page)}"${mark}>${escape(i.title)}</a></li>`;
        })
        .join('');
      return `<h2>${escape(g.title)}</h2><ul>${items}</ul>`;
    })
    .join('\n');

const onThisPage = headings => {
  const shown = headings.slice(1).filter(h => h.level === 2 || h.level === 3);
  if (shown.length < 2) return '';
  const items = shown.map(h => `<li class="h${h.level}"><a href="#${h.anchor}">${escape(h.title)}</a></li>`).join('');
  return `<nav class="here" aria-label="On this page"><h2>On this page</h2><ul>${items}</ul></nav>`;
};

const neighbours = (groups, here) => {
  const all = groups.flatMap(g => g.items),
    at = all.findIndex(i => i.page === here),
    one = (i, rel, sign) =>
      i
        ? `<a rel="${rel}" href="${relative(here, i.page)}">${sign.replace('T', escape(i.title))}</a>`
        : '<span></span>';
  if (at < 0) return '';
  const both = one(all[at - 1], 'prev', '← T') + one(all[at + 1], 'next', 'T →');
  return `<nav class="around" aria-label="Pages">${both}</nav>`;
};

/* page: where it lies; title, html, headings; groups: the navigation with pages; version: the program's. */
export const frame = ({page, title, html, headings, groups, version}) => {
  const root = relative(page, 'index.html').replace(/index\.html$/, '');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title === 'sinew' ? title : `${title} · sinew`)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${root}site.css">
<script src="${root}site.js" data-root="${root}" defer></script>
</head>
<body>
<header>
<button id="menu" aria-label="Contents" aria-expanded="false">☰</button>
<a class="name" href="${root}index.html">sinew</a><span class="version">${escape(version)}</span>
<div class="search" role="search">
<input id="words" type="search" placeholder="Search" aria-label="Search all pages" autocomplete="off"><kbd>/</kbd>
<ol id="found" hidden></ol></div>
<button id="theme" aria-label="Light or dark" title="Light or dark">◐</button>
</header>
<div class="columns">
<nav class="all" aria-label="All pages">${navigation(groups, page)}</nav>
<main>
${html}
${neighbours(groups, page)}
</main>
${onThisPage(headings)}
</div>
</body>
</html>
`;
};
