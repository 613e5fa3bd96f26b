import { useEffect, type ReactNode } from 'react';
import type { Problem } from '../data/errors.ts';
import type { ScreenResult } from '../data/query.tsx';
import { useTexts } from '../texts/language.tsx';
import { useProblemWords } from '../texts/problems.ts';
import { problemTexts } from '../texts/texts.ts';
import { Button } from './Button.tsx';
import { Link } from 'wouter';
import { useScope } from './formScope.ts';
import { Icon } from './Icon.tsx';
import { texts } from './texts.ts';
import './Feedback.css';

/** Grey lines in the place of text that is loading. */
export function Skeleton({ lines = 3 }: { lines?: number }) {
  const t = useTexts(texts);
  return (
    <div className="skeleton" role="status">
      <span className="unseen">{t.loading}</span>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} className="skeleton-line" />
      ))}
    </div>
  );
}

interface EmptyProps {
  title: string;
  /** What the place will hold, and how it gets there. */
  children?: ReactNode;
  action?: ReactNode;
}

/** An empty place: what it will hold, and the first step. */
export function Empty({ title, children, action }: EmptyProps) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {children && <div className="soft">{children}</div>}
      {action}
    </div>
  );
}

/** A problem in words that say what to do. */
export function ProblemNote({ problem, retry }: { problem: Problem; retry?: () => void }) {
  const t = useTexts(texts);
  const scope = useScope();
  const words = useProblemWords()(problem, scope?.labels);
  const leadsOut = problem.reason === 'payments_not_set_up';
  // What was refused is still to be saved; a refusal that leads to the settings does not ask on the way there.
  useEffect(() => {
    if (!leadsOut) scope?.setTyped(true);
  }, [scope, problem, leadsOut]);
  return (
    <div className="note bad" role="alert">
      <Icon name="warning" />
      <div>
        <p>{words.title}</p>
        {words.detail.map((line) => (
          <p key={line} className="note-detail">
            {line}
          </p>
        ))}
      </div>
      {leadsOut && (
        <Link href="/settings/providers" className="button plain">
          {t.toPayments}
        </Link>
      )}
      {retry && <Button onClick={retry}>{t.retry}</Button>}
    </div>
  );
}

/** A note within a screen, for example that a preview is not yet an invoice. */
export function Note({
  tone = 'neutral',
  children,
}: {
  tone?: 'neutral' | 'late' | 'bad' | 'good' | 'waiting';
  children: ReactNode;
}) {
  return <div className={`note ${tone}`}>{children}</div>;
}

/** Notes for the warnings of a preview or a price, one for each code. */
export function WarningNotes({ warnings }: { warnings: { code: keyof typeof problemTexts.en.warnings }[] }) {
  const t = useTexts(problemTexts);
  return [...new Set(warnings.map(({ code }) => code))].map((code) => (
    <Note key={code} tone="late">
      {t.warnings[code]}
    </Note>
  ));
}

interface LoadedProps<Data> {
  result: ScreenResult<Data>;
  skeleton?: ReactNode;
  children: (data: Data) => ReactNode;
}

/** Shows the data of a screen, or its problem, or after a moment a skeleton. */
export function Loaded<Data>({ result, skeleton = <Skeleton lines={6} />, children }: LoadedProps<Data>) {
  if (result.data) return children(result.data);
  if (result.problem) return <ProblemNote problem={result.problem} retry={result.refetch} />;
  return result.waiting ? skeleton : null;
}
