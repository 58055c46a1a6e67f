/* Markdown to HTML as the project writes it: headings get the anchors that code hosts give them, tables can be
   scrolled, links are asked of the caller. */
import MarkdownIt from 'markdown-it';

const escape = text => text.replace(/[&<>"]/g, c => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'})[c]);

const block = (text, language, head) =>
  `<figure class="code">${head}<pre><code>${coloured(text.trimEnd(), language)}</code></pre></figure>\n`;

/* Comments, and keys of YAML, told apart by colour. */
const coloured = (text, language) => {
  if (!/^(yaml|sh|c|python|matlab)$/.test(language)) return escape(text);
  const comment = {c: /\/\*.*?\*\/|\/\/.*/, matlab: /%.*/}[language] ?? /(?<=^|\s)#.*/;
  return text
    .split('\n')
    .map(line => {
      const note = comment.exec(line),
        code = escape(note ? line.slice(0, note.index) : line),
        rest = note ? escape(line.slice(note.index + note[0].length)) : '',
        marked =
          language === 'yaml' ? code.replace(/(^|[\s{,[])([A-Za-z_][\w.-]*)(?=:(\s|$))/g, '$1<b>$2</b>') : code;
      return marked + (note ? `<i>${escape(note[0])}</i>` : '') + rest;
    })
    .join('\n');
};

/* GitHub's anchors: small letters, spaces to hyphens, other marks dropped, repeated ones counted. */
const anchors = () => {
  const taken = new Map();
  return title => {
    const plain = title
        .trim()
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
        .replace(/ /g, '-'),
      n = taken.get(plain) ?? 0;
    taken.set(plain, n + 1);
    return n ? `${plain}-${n}` : plain;
  };
};

const words = token =>
  (token.children ?? []).map(c => (c.type === 'softbreak' ? ' ' : c.type === 'image' ? '' : c.content)).join('');

const md = new MarkdownIt({html: true});
const wrap = (open, close) => {
  md.renderer.rules.table_open = () => open;
  md.renderer.rules.table_close = () => close;
};
wrap('<div class="table"><table>\n', '</table></div>\n');
md.renderer.rules.fence = (tokens, i) => {
  const [language, ...name] = tokens[i].info.trim().split(/\s+/),
    head = name.length ? `<figcaption>${escape(name.join(' '))}</figcaption>` : '';
  return block(tokens[i].content, language, head);
};

/* The page of a text: its HTML, headings [{level, title, anchor}], the words under each for the search, and its title.
   link(href, isPicture) gives the address that is written. */
export const page = (text, link) => {
  const tokens = md.parse(text, {}),
    headings = [],
    sections = [{title: '', anchor: '', words: []}],
    anchor = anchors();
  tokens.forEach((t, i) => {
    if (t.type === 'heading_open') {
      const title = words(tokens[i + 1]),
        id = anchor(title);
      t.attrSet('id', id);
      headings.push({level: Number(t.tag[1]), title, anchor: id});
      sections.push({title, anchor: id, words: []});
    } else if (t.type === 'inline' && tokens[i - 1].type !== 'heading_open') sections.at(-1).words.push(words(t));
    else if (t.type === 'fence' || t.type === 'code_block') sections.at(-1).words.push(t.content);
    for (const c of t.children ?? []) {
      if (c.type === 'link_open') c.attrSet('href', link(c.attrGet('href'), false));
      if (c.type === 'image') c.attrSet('src', link(c.attrGet('src'), true));
    }
  });
  return {html: md.renderer.render(tokens, md.options, {}), headings, sections, title: headings[0]?.title ?? ''};
};

/* A list of links under headings, which is the navigation: [{title, items: [{title, href}]}]. */
export const contents = text => {
  const groups = [];
  const tokens = md.parse(text, {});
  tokens.forEach((t, i) => {
    if (t.type === 'heading_open' && t.tag === 'h2') groups.push({title: words(tokens[i + 1]), items: []});
    const at = (t.children ?? []).findIndex(c => c.type === 'link_open');
    if (t.type === 'inline' && groups.length && at === 0)
      groups.at(-1).items.push({title: t.children[1].content, href: t.children[0].attrGet('href')});
  });
  return groups.filter(g => g.items.length);
};

export const code = (text, file) => block(text, /\.(\w+)$/.exec(file)?.[1].replace(/^h$/, 'c') ?? 'sh', '');
export {escape};
