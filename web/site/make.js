/* The documentation as a site: static pages with navigation and search, from README.md, docs/ and what they link to.
     node make.js PROJECT FOLDER
   A link to a file, a heading or a picture that does not exist stops it, and so does a document that docs/README.md
   does not list. */
import {copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {frame, relative} from './frame.js';
import {code, contents, escape, page as render} from './markdown.js';
import {Repository, isPicture, isText, pageOf} from './repository.js';

const here = path.dirname(fileURLToPath(import.meta.url)),
  [project, folder] = process.argv.slice(2),
  repository = new Repository(project),
  made = new Map() /* page: {file, title, html, headings, sections} */,
  waiting = [],
  copies = new Set(),
  troubles = [],
  anchored = []; /* links to headings, checked when all pages are there */

/* The address of what a link in a file names; what it leads to is made as well. */
const linkFrom = file => {
  const from = pageOf(file, repository.isFolder(file)),
    base = repository.isFolder(file) ? file : path.posix.dirname(file);
  return (href, picture) => {
    if (/^[a-z]+:/.test(href)) return href;
    const [name, anchor] = href.split('#'),
      target = name ? path.posix.normalize(path.posix.join(base, decodeURI(name))).replace(/\/$/, '') : file;
    if (target.startsWith('..') || !repository.has(target)) {
      troubles.push(`${file}: '${href}' does not exist`);
      return href;
    }
    const isFolder = repository.isFolder(target),
      page = pageOf(target, isFolder);
    if (isPicture(target)) copies.add(target);
    else if (picture || !(isFolder || target.endsWith('.md') || isText(target)))
      troubles.push(`${file}: '${href}' is neither a text nor a picture`);
    else waiting.push(target);
    if (anchor) anchored.push({file, href, page, anchor});
    return (name ? relative(from, page) : '') + (anchor ? `#${anchor}` : '');
  };
};

const list = folder => {
  const here = pageOf(folder, true),
    name = e =>
      `<a href="${relative(here, pageOf(e.file, e.isFolder))}">${escape(e.isFolder ? `${e.name}/` : e.name)}</a>`,
    entries = repository.list(folder).filter(e => e.name !== 'README.md');
  for (const e of entries) waiting.push(e.file);
  return `<h2 id="files">Files</h2><ul>${entries.map(e => `<li>${name(e)}</li>`).join('')}</ul>`;
};

const make = file => {
  const isFolder = repository.isFolder(file),
    readme = path.posix.join(file, 'README.md'),
    page = pageOf(file, isFolder);
  if (made.has(page)) return;
  if (isFolder || (path.posix.basename(file) === 'README.md' && file.startsWith('examples'))) {
    const where = isFolder ? file : path.posix.dirname(file),
      told = repository.has(path.posix.join(where, 'README.md'))
        ? render(repository.read(path.posix.join(where, 'README.md')), linkFrom(where))
        : null,
      title = told?.title || where,
      head = told ? told.html : `<h1>${escape(where)}</h1>`;
    made.set(page, {
      ...(told ?? {headings: [], sections: []}),
      file: told ? readme : where,
      title,
      html: head + list(where),
    });
  } else if (file.endsWith('.md')) made.set(page, {file, ...render(repository.read(file), linkFrom(file))});
  else {
    const html = `<h1>${escape(file)}</h1>${code(repository.read(file), file)}`;
    made.set(page, {file, title: file, html, headings: [], sections: []});
  }
};

const write = (name, text) => {
  const to = path.join(folder, name);
  mkdirSync(path.dirname(to), {recursive: true});
  writeFileSync(to, text);
};

/* The navigation, and what it lacks. */
const index = 'docs/README.md',
  link = linkFrom(index),
  groups = contents(repository.read(index)).map(g => ({
    title: g.title,
    items: g.items.map(i => ({title: i.title, page: path.posix.join('docs', link(i.href))})),
  })),
  listed = new Set(groups.flatMap(g => g.items.map(i => i.page))),
  documents = repository.documents();
for (const d of documents) if (d !== index && !listed.has(pageOf(d))) troubles.push(`${index} does not list ${d}`);

waiting.push(...documents);
while (waiting.length) make(waiting.shift());
for (const a of anchored)
  if (!made.get(a.page)?.headings.some(h => h.anchor === a.anchor))
    troubles.push(`${a.file}: '${a.href}': there is no such heading`);
if (troubles.length) {
  for (const t of troubles) console.error(t);
  process.exit(1);
}

rmSync(folder, {recursive: true, force: true});
const version = /SN_VERSION\s+"([^"]+)"/.exec(repository.read('include/sinew/version.h'))?.[1] ?? '';
for (const [page, p] of made) write(page, frame({...p, page, groups, version}));
for (const c of copies) {
  mkdirSync(path.dirname(path.join(folder, c)), {recursive: true});
  copyFileSync(repository.at(c), path.join(folder, c));
}
for (const f of ['site.css', 'site.js']) write(f, readFileSync(path.join(here, f), 'utf8'));

/* The words of all pages, section by section: [page, title of the page, heading, anchor, words]. */
const words = [...made].flatMap(([page, p]) =>
  p.sections
    .map(s => [page, p.title, s.title, s.anchor, s.words.join(' ').replace(/\s+/g, ' ')])
    .filter(([, , heading, , text]) => heading || text),
);
write('words.js', `window.sinewWords = ${JSON.stringify(words)};\n`);
console.log(`${folder}: ${made.size} pages, ${copies.size} pictures, ${words.length} sections to search`);
