import { Section } from '../../design/Page.tsx';
import { Table } from '../../design/Table.tsx';
import { Nothing, When } from '../../design/Values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { texts as listTexts } from '../meters/texts.ts';
import type { MeterData } from './query.ts';
import { texts } from './texts.ts';

/** What a meter counts and counted, by the time at which it began; nothing if its terms never changed. */
export function Versions({ versions }: Pick<MeterData, 'versions'>) {
  const t = useTexts(texts);
  const words = useTexts(listTexts);
  if (versions.length < 2) return null;
  return (
    <Section title={t.versions}>
      <Table
        caption={t.versions}
        rows={versions.toReversed()}
        rowKey={({ startsAt }) => startsAt}
        columns={[
          { header: t.from, cell: ({ startsAt }) => <When at={startsAt} as="time" /> },
          { header: words.property, cell: ({ value }) => value ?? <Nothing /> },
          { header: words.groupBy, cell: ({ groupBy }) => groupBy.join(', ') || <Nothing /> },
          { header: t.filter, cell: ({ filter }) => writeFilter(filter) ?? <Nothing /> },
        ]}
      />
    </Section>
  );
}

/** Writes the conditions of a meter: `model: large, small; region: eu`. Undefined for none. */
export const writeFilter = (filter: MeterData['filter']): string | undefined =>
  filter.length > 0
    ? filter.map(({ property, values }) => `${property}: ${values.join(', ')}`).join('; ')
    : undefined;
