// The search index: a part of a page for each heading.
import MiniSearch from 'minisearch';
import { urlOf } from './layout.mjs';

/** The options of the index; the script of the pages has the same. */
export const indexOptions = {
  fields: ['title', 'page', 'text'],
  storeFields: ['title', 'page', 'url'],
  idField: 'url',
};

const longestText = 600;

/** Returns the text of a piece of a page, on one line. */
export const toText = (html) =>
  html
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** Builds the index of all pages as JSON. */
export function buildIndex(pages) {
  const index = new MiniSearch(indexOptions);
  for (const page of pages) {
    const [first, ...rest] = page.html.split(/(?=<h[23] id=")/);
    const parts = [
      { url: urlOf(page.path), title: page.title, page: '', text: toText(first).slice(0, longestText) },
    ];
    for (const part of rest) {
      const [, id, title] = /^<h[23] id="([^"]+)">(.*?)<\/h/s.exec(part);
      const text = toText(part.replace(/^.*?<\/h[23]>/s, '').replaceAll(/<pre.*?<\/pre>/gs, '')).slice(
        0,
        longestText,
      );
      parts.push({ url: `${urlOf(page.path)}#${id}`, title: toText(title), page: page.title, text });
    }
    index.addAll(parts);
  }
  return JSON.stringify(index);
}
