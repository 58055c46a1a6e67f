/* Bundle the pages: each HTML file of this folder with its script and styles inside, into the folder named. */
import {build} from 'esbuild';
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';

const pages = {
  'index.html': 'src/main.ts',
  'report.html': 'src/report/main.ts',
  'sweep.html': 'src/sweep/main.ts',
  'compare.html': 'src/compare/main.ts',
};

const folder = process.argv[2];
mkdirSync(folder, {recursive: true});
for (const [page, entry] of Object.entries(pages)) {
  const {outputFiles} = await build({
    entryPoints: [entry],
    outdir: folder,
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
  });
  const text = end => outputFiles.find(file => file.path.endsWith(end)).text.trim();
  const inside = (html, place, piece) => {
    if (html.split(place).length !== 2) throw new Error(`${page}: '${place}' must be there once`);
    return html.replace(place, () => piece);
  };
  let html = readFileSync(page, 'utf8');
  html = inside(html, '</head>', `<style>${text('.css')}</style>\n</head>`);
  html = inside(
    html,
    `<script type="module" src="/${entry}"></script>`,
    `<script type="module">${text('.js')}</script>`,
  );
  writeFileSync(`${folder}/${page}`, html);
}
