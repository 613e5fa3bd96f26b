import { Link } from 'wouter';
import { useFailureWords } from '../../billing/failures.ts';
import { Button } from '../../design/Button.tsx';
import { Note } from '../../design/Feedback.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import type { BillData, SubscriptionData } from './query.ts';
import type { SubscriptionActionName } from './SubscriptionActions.tsx';
import { texts } from './texts.ts';

interface SubscriptionNotesProps {
  subscription: SubscriptionData;
  invoices: BillData[];
  onChoose: (name: SubscriptionActionName) => void;
}

/** What is not as usual: failed charges, a scheduled change or end, a pause. */
export function SubscriptionNotes({ subscription, invoices, onChoose }: SubscriptionNotesProps) {
  const t = useTexts(texts);
  const format = useFormat();
  const explain = useFailureWords();
  const { dunning, scheduledChange: change, parkedReason, pausedAt, cancelledAt } = subscription;
  const open = invoices.find(({ status }) => status === 'open');
  const ends =
    subscription.cancelAt ?? (subscription.cancelAtPeriodEnd ? subscription.currentPeriodEnd : null);
  return (
    <>
      {parkedReason && (
        <Note tone="bad">
          {t.parked} {parkedReason}
        </Note>
      )}
      {dunning && (
        <Note tone="bad">
          <div>
            <p>
              {t.failedSince(format.date(dunning.firstFailedAt), format.number(dunning.attempts))}{' '}
              {dunning.retriesStoppedReason && `${explain(dunning.retriesStoppedReason)}. `}
              {dunning.nextRetryAt ? t.nextTry(format.dateTime(dunning.nextRetryAt)) : t.noNextTry}
            </p>
            <p>{t[`final_${dunning.finalAction}`](format.date(dunning.finalAt))}</p>
            {open && <Link href={`/invoices/${open.id}`}>{t.openInvoice(format.money(open.amountDue))}</Link>}
          </div>
        </Note>
      )}
      {change && (
        <Note tone="waiting">
          <div>
            {t.changesOn(
              format.date(change.effectiveAt),
              change.quantity > 1 ? `${change.productName} × ${change.quantity}` : change.productName,
              format.money(change.agreedPrice),
            )}
          </div>
          <Button onClick={() => onChoose('undoChange')}>{t.undo}</Button>
        </Note>
      )}
      {ends && !cancelledAt && (
        <Note tone="late">
          <div>{t.endsOn(format.date(ends))}</div>
          <Button onClick={() => onChoose('uncancel')}>{t.undo}</Button>
        </Note>
      )}
      {pausedAt && <Note tone="late">{t.pausedSince(format.date(pausedAt))}</Note>}
      {cancelledAt && <Note>{t.endedOn(format.date(cancelledAt))}</Note>}
    </>
  );
}
