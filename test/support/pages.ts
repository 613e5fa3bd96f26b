/** What a reader sees of a page. */

/** Returns the text of a page without its head: elements within a line join, others are separated by a space. */
export const readText = (page: string): string =>
  page
    .replace(/<head>.*<\/head>/s, '')
    .replace(/<footer>.*<\/footer>/s, '')
    .replace(/<\/?(bdi|strong|span)[^>]*>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');

/** Returns the amount due on a payment page; undefined if it shows none. */
export const findDue = (page: string): string | undefined =>
  / Due today (\S+(?: \d[\d.,]*)?)/.exec(readText(page))?.[1];
