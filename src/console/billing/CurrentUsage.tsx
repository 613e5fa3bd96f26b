import { graphql } from '../data/graphql.ts';
import { useScreenQuery } from '../data/query.tsx';
import { ProblemNote, WarningNotes } from '../design/Feedback.tsx';
import { Section } from '../design/Page.tsx';
import { Money } from '../design/Values.tsx';
import { useFormat } from '../texts/format.ts';
import { useTexts } from '../texts/language.tsx';
import { PreviewLineFields } from './fragments.ts';
import { LineTable, SumRow } from './LineTable.tsx';
import { sumAmounts } from './arithmetic.ts';
import { texts } from './texts.ts';

const CurrentUsageQuery = graphql(
  `
    query CurrentUsage($id: ID!) {
      currentUsage(subscriptionId: $id) {
        effectiveAt
        warnings {
          code
        }
        total {
          decimal
          currency
        }
        lines {
          ...PreviewLineFields
        }
      }
    }
  `,
  [PreviewLineFields],
);

interface CurrentUsageProps {
  subscriptionId: string;
  /** The name of the subscription, if several are shown. */
  name?: string;
}

/** The usage of a subscription so far, with what it costs: lines of its next invoice. Nothing without a price of usage. */
export function CurrentUsage({ subscriptionId: id, name }: CurrentUsageProps) {
  const t = useTexts(texts);
  const format = useFormat();
  const { data, problem } = useScreenQuery(CurrentUsageQuery, { id }, { ids: [id], types: ['InvoiceEvent'] });
  const bill = data?.currentUsage;
  const lines = (bill?.lines ?? []).filter(({ kind }) => kind === 'usage');
  if (problem) return <ProblemNote problem={problem} />;
  if (!bill || lines.length === 0) return null;
  const caption = name ? t.usageOf(name) : t.usageSoFar;
  return (
    <Section title={caption}>
      <WarningNotes warnings={bill.warnings} />
      <LineTable caption={caption} lines={lines}>
        <SumRow strong name={t.usageSum}>
          <Money amount={sumAmounts(lines.map(({ amount }) => amount))} />
        </SumRow>
      </LineTable>
      <p className="soft">{t.usageBilled(format.date(bill.effectiveAt))}</p>
    </Section>
  );
}
