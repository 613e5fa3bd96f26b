import type { List, Page } from './options.ts';

/** Reads a page of at most `first` items. */
export type ReadPage<T> = (first: number, after: string | undefined) => Promise<Page<T>>;

const largestPage = 100;

/** Creates a list that reads its pages one after another. */
export function createList<T>(
  readPage: ReadPage<T>,
  { pageSize = largestPage, after }: { pageSize?: number; after?: string },
): List<T> {
  const readItems = async function* (most: number): AsyncGenerator<T, void, undefined> {
    let cursor = after;
    let left = most;
    while (left > 0) {
      const { data, nextCursor } = await readPage(Math.min(pageSize, left), cursor);
      yield* data.slice(0, left);
      left -= data.length;
      if (nextCursor === null) return;
      cursor = nextCursor;
    }
  };
  return {
    [Symbol.asyncIterator]: () => readItems(Infinity),
    page: () => readPage(pageSize, after),
    first: async (count) => {
      const items: T[] = [];
      for await (const item of readItems(count)) items.push(item);
      return items;
    },
  };
}
