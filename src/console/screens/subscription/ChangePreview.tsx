import { useEffect, useState } from 'react';
import { LineFields, TaxFields } from '../../billing/fragments.ts';
import { LineTable } from '../../billing/LineTable.tsx';
import { Sums } from '../../billing/Sums.tsx';
import { texts as words } from '../../billing/texts.ts';
import type { Problem } from '../../data/errors.ts';
import { graphql, type ResultOf, type VariablesOf } from '../../data/graphql.ts';
import { useScreenQuery } from '../../data/query.tsx';
import { Note, ProblemNote } from '../../design/Feedback.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';

const PreviewQuery = graphql(
  `
    query PreviewSubscriptionChange($id: ID!, $input: SubscriptionChangeInput!) {
      previewSubscriptionChange(id: $id, input: $input) {
        effectiveAt
        warnings
        subtotal {
          decimal
          currency
        }
        discount {
          decimal
          currency
        }
        total {
          decimal
          currency
        }
        lines {
          ...LineFields
        }
        taxes {
          ...TaxFields
        }
        nextInvoice {
          date
          total {
            decimal
            currency
          }
          lines {
            ...LineFields
          }
          taxes {
            ...TaxFields
          }
        }
      }
    }
  `,
  [LineFields, TaxFields],
);

type ChangeInput = VariablesOf<typeof PreviewQuery>['input'];
type Preview = NonNullable<ResultOf<typeof PreviewQuery>['previewSubscriptionChange']>;

interface PreviewState {
  preview: Preview | undefined;
  problem: Problem | undefined;
}

const pauseMs = 250;

/** Asks what a change would cost, a moment after the last key. */
export function usePreview(id: string, input: ChangeInput): PreviewState {
  const text = JSON.stringify(input);
  const [asked, setAsked] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  const variables = { id, input: JSON.parse(asked) as ChangeInput };
  const { data, problem } = useScreenQuery(PreviewQuery, variables, { ids: [id] });
  const isCurrent = asked === text && problem === undefined;
  return { preview: isCurrent ? (data?.previewSubscriptionChange ?? undefined) : undefined, problem };
}

/** What a change costs now, and the next invoice after it. */
export function ChangePreview({ preview, problem }: PreviewState) {
  const t = useTexts(words);
  const format = useFormat();
  if (problem) return <ProblemNote problem={problem} />;
  if (!preview) return <p className="soft">{t.computing}</p>;
  const { nextInvoice: next } = preview;
  return (
    <div className="stack">
      {preview.warnings.map((warning) => (
        <Note key={warning} tone="late">
          {warning}
        </Note>
      ))}
      <h3>{t.now}</h3>
      {preview.lines.length === 0 ? (
        <p className="soft">{t.nothingNow}</p>
      ) : (
        <LineTable caption={t.now} lines={preview.lines}>
          <Sums {...preview} />
        </LineTable>
      )}
      <h3>{next ? t.nextInvoice(format.date(next.date)) : t.noNextInvoice}</h3>
      {next && (
        <LineTable caption={t.nextInvoice(format.date(next.date))} lines={next.lines}>
          <Sums taxes={next.taxes} total={next.total} />
        </LineTable>
      )}
      <p className="soft">{t.previewNote}</p>
    </div>
  );
}
