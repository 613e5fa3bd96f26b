/** Whether the search index agrees with the records, except those that it has still to follow. */
import { buildEntryText, searched } from '../../insights/search/searchedTypes.ts';
import { groupRecords } from '../../insights/search/unindexed.ts';
import { indexedTypes } from '../../storage/model/search.ts';
import type { Queries } from '../../storage/query/queries.ts';
import type { Store } from '../../storage/store.ts';
import { readPages } from '../tenantFiles/tableScan.ts';

type Report = (fault: { subject: string; found: string }) => void;

/** One entry of so many is looked up as a search does. */
const sampledOf = 200;

/** Checks the entries of a tenant whose index was built. */
export async function examineSearch(
  { textIndex }: Pick<Store, 'textIndex'>,
  queries: Queries,
  tenantAlias: string,
  report: Report,
): Promise<void> {
  const [progress] = await queries.select('searchProgress', { where: { tenantAlias } });
  if (!progress) return;
  const events = await queries.select('traces', {
    where: { tenantAlias, eventId: { after: progress.lastEvent } },
    leaveOut: ['payload'],
  });
  const waiting = new Set([...groupRecords(events).values()].flatMap((ids) => [...ids]));
  const entries = new Map<string, string>();
  for await (const page of readPages(queries, 'searchEntries', tenantAlias))
    for (const { id, text } of page) entries.set(id, text);
  for (const type of indexedTypes) {
    for await (const page of readPages(queries, searched[type].table, tenantAlias)) {
      for (const [place, row] of page.entries()) {
        const { id } = row as unknown as { id: string };
        const text = entries.get(id);
        entries.delete(id);
        if (waiting.has(id)) continue;
        if (text !== buildEntryText(type, row)) {
          report({
            subject: id,
            found:
              text === undefined ? 'is not in the search index' : 'is in the search index with other texts',
          });
        } else if (place % sampledOf === 0) {
          const found = await textIndex.find({ tenantAlias, type, parts: [id], limit: 1 });
          if (found.ids[0] !== id) report({ subject: id, found: 'is not found by the trigrams of its id' });
        }
      }
    }
  }
  for (const id of entries.keys())
    if (!waiting.has(id))
      report({ subject: id, found: 'is in the search index, but there is no such record' });
}
