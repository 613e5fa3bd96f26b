import { useState, type ReactNode } from 'react';
import { useClock } from '../data/clock.tsx';
import { useFormat, type Amount } from '../texts/format.ts';
import { useTexts } from '../texts/language.tsx';
import { texts } from './texts.ts';
import { Icon } from './Icon.tsx';
import './Values.css';

/** An amount: its figures, and its currency small beside them. */
export function Money({ amount }: { amount: Amount | null | undefined }) {
  const format = useFormat();
  if (!amount) return <Nothing />;
  return (
    <span className="money" dir="ltr">
      {format.figures(amount)} <small>{amount.currency.toUpperCase()}</small>
    </span>
  );
}

/** Amounts of several currencies, one below the other. */
export function MoneyList({ amounts }: { amounts: Amount[] }) {
  if (amounts.length === 0) return <Nothing />;
  return (
    <span className="money-list">
      {amounts.map((amount) => (
        <Money key={amount.currency} amount={amount} />
      ))}
    </span>
  );
}

interface WhenProps {
  at: string | null | undefined;
  /**
   * `date` by default; `time` with the time of day; `future` as "in 2 hours", and "now" for what is due; `past` as "2 hours ago",
   * and never later than now, although the clock of the screen may be a moment behind the server's.
   */
  as?: 'date' | 'time' | 'future' | 'past';
}

/** A date, short; the full instant with its zone appears when the pointer rests on it. */
export function When({ at, as = 'date' }: WhenProps) {
  const format = useFormat();
  const now = useClock();
  if (!at) return <Nothing />;
  const text = {
    date: () => format.date(at),
    time: () => format.dateTime(at),
    future: () => format.future(at, now),
    past: () => format.past(at, now),
  }[as]();
  return (
    <time dateTime={at} title={format.full(at)}>
      {text}
    </time>
  );
}

/** An id, shortened in the middle; a click copies it. */
export function Id({ id }: { id: string }) {
  const t = useTexts(texts);
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(id);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  const short = id.length > 16 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id;
  return (
    <button type="button" className="id" title={id} onClick={() => void copy()}>
      <code dir="ltr">{short}</code>
      <span className="unseen">{t.copy}</span>
      <Icon name={copied ? 'check' : 'copy'} />
      <span role="status" className="unseen">
        {copied ? t.copied : ''}
      </span>
    </button>
  );
}

/** Keeps a text that begins in another direction, such as `Energy Co.` on a Persian page, in one piece with its full stop. */
export const isolate = (content: ReactNode): ReactNode =>
  typeof content === 'string' ? <bdi>{content}</bdi> : content;

/** The place of a value that there is not. */
export function Nothing() {
  return (
    <span className="soft" aria-hidden="true">
      –
    </span>
  );
}
