import { useEffect, useState } from 'react';
import type { AnyVariables, TypedDocumentNode } from 'urql';
import type { Problem } from '../data/errors.ts';
import { useScreenQuery, type Follows } from '../data/query.tsx';
import { ProblemNote, WarningNotes } from '../design/Feedback.tsx';
import { useFormat } from '../texts/format.ts';
import { useTexts } from '../texts/language.tsx';
import type { PreviewData } from './fragments.ts';
import { LineTable } from './LineTable.tsx';
import { Sums } from './Sums.tsx';
import { texts } from './texts.ts';

export interface PreviewState {
  preview: PreviewData | undefined;
  problem: Problem | undefined;
}

const pauseMs = 250;

/** Asks what something would cost, a moment after the last key; nothing while there are no variables. */
export function usePreview<Data, Variables extends AnyVariables>(
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables | undefined,
  pick: (data: Data) => PreviewData | null | undefined,
  follows?: Follows,
): PreviewState {
  const text = variables === undefined ? undefined : JSON.stringify(variables);
  const [asked, setAsked] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  const isPaused = asked === undefined;
  const { data, problem, answered } = useScreenQuery(
    document,
    (isPaused ? {} : JSON.parse(asked)) as Variables,
    follows,
    isPaused,
  );
  // The client keeps the former result until the next one arrives; the button would charge another amount than it names.
  if (isPaused || asked !== text || JSON.stringify(answered) !== text)
    return { preview: undefined, problem: undefined };
  return { preview: problem ? undefined : ((data && pick(data)) ?? undefined), problem };
}

/** What is billed now, and the next invoice after it. */
export function Preview({ preview, problem }: PreviewState) {
  const t = useTexts(texts);
  const format = useFormat();
  if (problem) return <ProblemNote problem={problem} />;
  if (!preview) return <p className="soft">{t.computing}</p>;
  const { nextInvoice: next } = preview;
  return (
    <div className="stack">
      <WarningNotes warnings={preview.warnings} />
      <h3>{t.now}</h3>
      {preview.lines.length === 0 ? (
        <p className="soft">{t.nothingNow}</p>
      ) : (
        <LineTable caption={t.now} lines={preview.lines}>
          <Sums {...preview} />
        </LineTable>
      )}
      {next && (
        <>
          <h3>{t.nextInvoice(format.date(next.date))}</h3>
          <LineTable caption={t.nextInvoice(format.date(next.date))} lines={next.lines}>
            <Sums taxes={next.taxes} total={next.total} />
          </LineTable>
        </>
      )}
      <p className="soft">{t.previewNote}</p>
    </div>
  );
}
