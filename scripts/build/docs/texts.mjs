// The texts of the pages for programs that read them: Markdown where a page is made from it, otherwise the words of the page.
import { toText } from './search.mjs';

/** Returns the title, the text and the headings of a page, each heading with its position in the text. */
export function describeText({ title, html, text, headings }) {
  if (text !== undefined) return { title, text, headings };
  const made = { title, text: `# ${title}\n\n`, headings: [] };
  for (const part of html.split(/(?=<h[23] id=")/)) {
    const [, id, name] = /^<h[23] id="([^"]+)">(.*?)<\/h[23]>/s.exec(part) ?? [];
    if (id !== undefined) {
      made.headings.push({ id, title: toText(name), at: made.text.length });
      made.text += `## ${toText(name)}\n\n`;
    }
    const words = toText(part.replace(/^<h[23] id=.*?<\/h[23]>/s, ''));
    if (words !== '') made.text += `${words}\n\n`;
  }
  return made;
}

/** Lists the pages for programs, and the file of the search index. */
export const describeContents = (sections, searchFile) => ({
  search: searchFile,
  pages: sections.flatMap(({ title: section, pages }) =>
    pages.filter(({ path }) => path !== '').map(({ path: page, title }) => ({ page, title, section })),
  ),
});
