import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import MiniSearch from 'minisearch';
import { readAsset } from '../lib/assets.ts';
import { refuse } from '../lib/errors.ts';
import { makeOnce } from '../lib/makeOnce.ts';

/** A page of the documentation. */
interface GuidePage {
  /** Without a slash at the beginning: `guides/pricing`. */
  page: string;
  title: string;
  section: string;
}

/** What a search finds: a page, or a part of one. */
interface FoundPart {
  page: string;
  /** The id of its heading; null for the beginning of the page. */
  heading: string | null;
  title: string;
  /** The title of the page that it is part of; empty for the page itself. */
  pageTitle: string;
}

/** The text of a page, and where its headings are in it. */
interface PageText {
  title: string;
  text: string;
  headings: { id: string; title: string; at: number }[];
}

/** The documentation that the server has built in. */
export interface Guides {
  /** Searches as the field of the pages does. Error: `unavailable` without documentation. */
  search(query: string, most: number): FoundPart[];
  /** Lists the pages. Error: `unavailable` without documentation. */
  list(): GuidePage[];
  /** Returns the text of a page, or undefined. Error: `unavailable` without documentation. */
  read(page: string): PageText | undefined;
}

interface Contents {
  /** The file of the search index. */
  search: string;
  pages: GuidePage[];
}

/** As the script of the pages searches. */
const indexOptions = {
  fields: ['title', 'page', 'text'],
  storeFields: ['title', 'page', 'url'],
  idField: 'url',
};
const shortestTellingWord = 4;
const guideBoost = 2;
const searchOptions = {
  prefix: true,
  fuzzy: 0.15,
  boost: { title: 4, page: 2 },
  // A guide says how; architecture and decisions have the same words.
  boostDocument: (url: string) => (url.startsWith('/docs/guides/') ? guideBoost : 1),
};

/** Opens the documentation in a folder; its files are read when they are needed. */
export function openGuides(folder: string): Guides {
  const read = (name: string) => readAsset(path.join(folder, name));
  const getContents = makeOnce(
    () => JSON.parse((read('contents.json') ?? refuse('unavailable')).toString('utf8')) as Contents,
  );
  const getIndex = makeOnce(() => {
    const json = read(getContents().search) ?? refuse('unavailable');
    return MiniSearch.loadJSON(json.toString('utf8'), indexOptions);
  });
  const searchAll = (words: string, combineWith: 'AND' | 'OR') =>
    getIndex().search(words, { ...searchOptions, combineWith });
  const search = (query: string) => {
    // A question has words that say nothing, and words that no page has.
    const telling = query.split(/\s+/).filter((word) => word.length >= shortestTellingWord);
    const words = telling.length > 0 ? telling.join(' ') : query;
    const whole = searchAll(query, 'AND');
    if (whole.length > 0) return whole;
    const most = searchAll(words, 'AND');
    return most.length > 0 ? most : searchAll(words, 'OR');
  };
  return {
    search: (query, most) =>
      search(query)
        .map(toFound)
        // The first page of all is a list of the others.
        .filter(({ page }) => page !== '')
        .slice(0, most),
    list: () => getContents().pages,
    read: (page) => {
      if (!getContents().pages.some((each) => each.page === page)) return undefined;
      const packed = read(`${page}.json.br`) ?? refuse('unavailable');
      return JSON.parse(brotliDecompressSync(packed).toString('utf8')) as PageText;
    },
  };
}

function toFound({ title, page: pageTitle, url }: Record<string, unknown>): FoundPart {
  const [page, heading = null] = String(url)
    .replace(/^\/docs\/?/, '')
    .split('#') as [string, string?];
  return { page, heading, title: String(title), pageTitle: String(pageTitle) };
}
