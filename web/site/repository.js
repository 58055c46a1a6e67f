/* The files of the project as pages of the site. The site has the folders of the project; README.md becomes
   index.html, any other text gets the ending .html, a folder a list of what is in it. */
import {existsSync, readFileSync, readdirSync, statSync} from 'node:fs';
import path from 'node:path';

const texts = /(\.(yaml|c|h|csv|txt|py|geo|inp|m|trc)|\/(LICENSE|[a-z][a-z-]*))$/,
  pictures = /\.(png|svg|gif|jpg)$/,
  longest = 100_000; /* bytes of a text that is shown */

export const isText = file => texts.test(`/${file}`);
export const isPicture = file => pictures.test(file);

/* The page of a file or folder of the project. */
export const pageOf = (file, isFolder) => {
  if (isFolder) return path.posix.join(file, 'index.html');
  if (isPicture(file)) return file;
  if (path.posix.basename(file) === 'README.md') return path.posix.join(path.posix.dirname(file), 'index.html');
  return file.endsWith('.md') ? file.replace(/\.md$/, '.html') : `${file}.html`;
};

export class Repository {
  constructor(root) {
    this.root = root;
  }
  at(file) {
    return path.join(this.root, file);
  }
  has(file) {
    return existsSync(this.at(file));
  }
  isFolder(file) {
    return statSync(this.at(file)).isDirectory();
  }
  read(file) {
    return readFileSync(this.at(file), 'utf8');
  }
  /* What a folder's page lists: texts that are not too long, and folders. */
  list(folder) {
    return readdirSync(this.at(folder), {withFileTypes: true})
      .filter(e => !/^[.]|-fit$|^build$|^node_modules$/.test(e.name))
      .map(e => ({name: e.name, file: path.posix.join(folder, e.name), isFolder: e.isDirectory()}))
      .filter(
        e => e.isFolder || e.name.endsWith('.md') || (isText(e.name) && statSync(this.at(e.file)).size <= longest),
      )
      .sort((a, b) => Number(a.isFolder) - Number(b.isFolder) || a.name.localeCompare(b.name));
  }
  /* All Markdown files that are pages whether anything links to them or not. */
  documents() {
    const found = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md'],
      walk = folder => {
        for (const e of readdirSync(this.at(folder), {withFileTypes: true}))
          if (e.isDirectory()) walk(path.posix.join(folder, e.name));
          else if (e.name.endsWith('.md')) found.push(path.posix.join(folder, e.name));
      };
    walk('docs');
    return found;
  }
}
