/* The search over all pages, light and dark, the contents on a phone, and the heading that is in sight. Everything
   works from files. */
const root = document.currentScript.dataset.root,
  most = 20; /* results shown */

/* What was chosen stays, where the browser lets a page keep something. */
const keep = {
  get: () => {
    try {
      return localStorage.getItem('theme');
    } catch {
      return null;
    }
  },
  set: value => {
    try {
      localStorage.setItem('theme', value);
    } catch {
      /* until the next page */
    }
  },
};
const html = document.documentElement;
if (keep.get()) html.dataset.theme = keep.get();
document.getElementById('theme').addEventListener('click', () => {
  const dark = html.dataset.theme
    ? html.dataset.theme === 'dark'
    : matchMedia('(prefers-color-scheme: dark)').matches;
  html.dataset.theme = dark ? 'light' : 'dark';
  keep.set(html.dataset.theme);
});

const menu = document.getElementById('menu');
menu.addEventListener('click', () => {
  menu.setAttribute('aria-expanded', String(document.body.classList.toggle('menu')));
});

/* ---- search ---- */

const input = document.getElementById('words'),
  found = document.getElementById('found');
let loading = null,
  chosen = 0;

/* The words of all pages come when somebody begins to search. */
const load = () =>
  (loading ??= new Promise((done, failed) => {
    const script = document.createElement('script');
    script.src = `${root}words.js`;
    script.onload = () =>
      done(window.sinewWords.map(([page, title, heading, anchor, text]) => ({page, title, heading, anchor, text})));
    script.onerror = failed;
    document.head.append(script);
  }));

/* How well a section fits: every word must be there; headings and beginnings of words count more. 0: not at all. */
const score = (section, words) => {
  const heading = `${section.heading} ${section.title}`.toLowerCase(),
    text = section.text.toLowerCase();
  let sum = 0;
  for (const w of words) {
    const inHeading = heading.indexOf(w),
      inText = text.indexOf(w);
    if (inHeading < 0 && inText < 0) return 0;
    if (section.heading.toLowerCase() === w) sum += 40;
    if (section.heading.toLowerCase().includes(w)) sum += 20;
    if (inHeading >= 0) sum += 10;
    if (inText >= 0) sum += Math.min(text.split(w).length - 1, 5) + (/\W/.test(text[inText - 1] ?? ' ') ? 3 : 0);
  }
  if (words.length > 1 && `${heading} ${text}`.includes(words.join(' '))) sum += 25;
  return sum;
};

const escape = text => text.replace(/[&<>"]/g, c => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'})[c]);
const marked = (text, words) => {
  const any = new RegExp(words.map(w => w.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'), 'gi');
  let out = '',
    at = 0;
  for (const m of text.matchAll(any)) {
    out += `${escape(text.slice(at, m.index))}<mark>${escape(m[0])}</mark>`;
    at = m.index + m[0].length;
  }
  return out + escape(text.slice(at));
};

const snippet = (section, words) => {
  const at = Math.max(0, ...words.map(w => section.text.toLowerCase().indexOf(w)).filter(i => i >= 0));
  return section.text.slice(Math.max(0, at - 40), at + 120);
};

const choose = i => {
  const items = [...found.children];
  chosen = Math.max(0, Math.min(i, items.length - 1));
  items.forEach((item, k) => item.classList.toggle('chosen', k === chosen));
  items[chosen]?.scrollIntoView({block: 'nearest'});
};

const search = async () => {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  found.hidden = !words.length;
  if (!words.length) return;
  const sections = await load(),
    best = sections
      .map(s => ({s, points: score(s, words)}))
      .filter(r => r.points)
      .sort((a, b) => b.points - a.points)
      .slice(0, most);
  found.innerHTML = best
    .map(({s}) => {
      const where = s.heading && s.heading !== s.title ? `${s.title} › ${s.heading}` : s.title;
      const to = root + s.page + (s.anchor && `#${s.anchor}`),
        text = `${marked(where, words)}<small>${marked(snippet(s, words), words)}</small>`;
      return `<li><a href="${to}">${text}</a></li>`;
    })
    .join('');
  if (!best.length) found.innerHTML = '<li><a><small>nothing found</small></a></li>';
  choose(0);
};
const close = () => {
  found.hidden = true;
};

input.addEventListener('input', search);
input.addEventListener('focus', search);
input.addEventListener('keydown', e => {
  if (e.key === 'ArrowDown' || e.key === 'ArrowUp') choose(chosen + (e.key === 'ArrowDown' ? 1 : -1));
  else if (e.key === 'Enter') found.children[chosen]?.querySelector('a[href]')?.click();
  else if (e.key === 'Escape') input.blur();
  else return;
  if (e.key !== 'Enter') e.preventDefault();
  if (e.key !== 'ArrowDown' && e.key !== 'ArrowUp') close();
});
document.addEventListener('click', e => {
  if (!e.target.closest('.search') || e.target.closest('a')) close();
});
document.addEventListener('keydown', e => {
  if (e.key !== '/' || e.ctrlKey || e.metaKey || e.target === input) return;
  e.preventDefault();
  input.focus();
});

/* ---- where one is ---- */

document.querySelector('nav.all [aria-current]')?.scrollIntoView({block: 'center'});
const entries = new Map(
  [...document.querySelectorAll('nav.here a')].map(a => [decodeURIComponent(a.hash.slice(1)), a]),
);
if (entries.size) {
  const headings = [...entries.keys()].map(id => document.getElementById(id)),
    follow = () => {
      const at = headings.findLast(h => h.getBoundingClientRect().top < 120) ?? headings[0];
      for (const [id, a] of entries) a.classList.toggle('at', id === at.id);
    };
  addEventListener('scroll', follow, {passive: true});
  follow();
}
