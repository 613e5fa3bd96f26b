'use client';

import { useActionState } from 'react';
import Link from 'next/link';
import { summarize } from './summarize';

const refusals: Record<string, string> = {
  no_subscription: 'You have no plan yet.',
  limit_reached: 'Your plan has no summaries left in this period.',
  past_due: 'Your last payment has failed.',
};

export function Form({ id }: { id: string }) {
  const [answer, submit, isBusy] = useActionState(summarize, { id });
  return (
    <form action={submit}>
      <label>
        Text <textarea name="text" rows={6} required maxLength={20_000} />
      </label>
      <input type="hidden" name="id" value={answer.id} />
      <button type="submit" disabled={isBusy}>
        Summarize
      </button>
      <div aria-live="polite">
        {answer.summary && <p>{answer.summary}</p>}
        {answer.remaining && <p>{answer.remaining} left in this period</p>}
        {answer.refusal && (
          <p>
            {refusals[answer.refusal] ?? 'Your plan does not include summaries.'}{' '}
            <Link href="/">See the plans</Link>
          </p>
        )}
      </div>
    </form>
  );
}
