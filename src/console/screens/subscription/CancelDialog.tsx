import { useState } from 'react';
import { PreviewFields } from '../../billing/fragments.ts';
import { LineTable } from '../../billing/LineTable.tsx';
import { usePreview } from '../../billing/Preview.tsx';
import { Sums } from '../../billing/Sums.tsx';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { useAction } from '../../data/action.tsx';
import { graphql } from '../../data/graphql.ts';
import { ProblemNote } from '../../design/Feedback.tsx';
import { Select, TextArea } from '../../design/Field.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import type { SubscriptionDialogProps } from './dialogProps.ts';
import { texts } from './texts.ts';

const Cancel = graphql(`
  mutation CancelSubscription(
    $id: ID!
    $atPeriodEnd: Boolean
    $reason: CancellationReason
    $comment: String
  ) {
    cancelSubscription(id: $id, input: { atPeriodEnd: $atPeriodEnd, reason: $reason, comment: $comment }) {
      id
      status
      cancelAt
      cancelAtPeriodEnd
      cancelledAt
    }
  }
`);

const PreviewQuery = graphql(
  `
    query PreviewCancellation($id: ID!, $atPeriodEnd: Boolean) {
      previewCancellation(subscriptionId: $id, atPeriodEnd: $atPeriodEnd) {
        ...PreviewFields
      }
    }
  `,
  [PreviewFields],
);

const reasons = [
  'too_expensive',
  'missing_features',
  'switched_service',
  'unused',
  'customer_service',
  'too_complex',
  'low_quality',
  'other',
] as const;

/** Cancels at the period's end, or now; says what is no longer billed. */
export function CancelDialog({ subscription, forecast, onClose, onDone }: SubscriptionDialogProps) {
  const t = useTexts(texts);
  const format = useFormat();
  const toast = useToast();
  const action = useAction(Cancel);
  const { id, currentPeriodEnd, cancelAtPeriodEnd, status } = subscription;
  const canWait = currentPeriodEnd !== null && !cancelAtPeriodEnd && status !== 'paused';
  const [when, setWhen] = useState(canWait ? 'end' : 'now');
  const [reason, setReason] = useState('');
  const [comment, setComment] = useState('');
  const isLater = when === 'end' && currentPeriodEnd !== null;
  const end = currentPeriodEnd ? format.date(currentPeriodEnd) : '';
  const next = forecast.find(({ date }) => currentPeriodEnd !== null && date >= currentPeriodEnd);
  const confirm = async () => {
    const words = {
      ...(reason && { reason: reason as (typeof reasons)[number] }),
      ...(comment && { comment }),
    };
    if (!(await action.run({ id, atPeriodEnd: isLater, ...words }))) return;
    toast(isLater ? t.cancelledOn(end) : t.cancelledNow);
    onDone();
  };
  return (
    <ConfirmAction
      title={t.cancel}
      danger
      label={isLater ? t.cancelOn(end) : t.cancelNow}
      action={action}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <Select
        label={t.when}
        value={when}
        choices={[
          ...(canWait ? [{ value: 'end', label: t.atPeriodEnd(end) }] : []),
          { value: 'now', label: t.atOnce },
        ]}
        onChange={({ target }) => setWhen(target.value)}
      />
      <p className="soft">
        {isLater ? t.cancelLaterNote(end, next && format.money(next.total)) : t.cancelNowNote}
      </p>
      <FinalInvoice id={id} atPeriodEnd={isLater} />
      <Select
        label={t.reason}
        value={reason}
        choices={[{ value: '', label: t.noReason }, ...reasons.map((value) => ({ value, label: t[value] }))]}
        onChange={({ target }) => setReason(target.value)}
      />
      <TextArea
        label={t.comment}
        rows={2}
        value={comment}
        maxLength={1000}
        onChange={({ target }) => setComment(target.value)}
      />
    </ConfirmAction>
  );
}

/** The invoice that the end makes of what waits for the next one; nothing if nothing waits. */
function FinalInvoice({ id, atPeriodEnd }: { id: string; atPeriodEnd: boolean }) {
  const t = useTexts(texts);
  const format = useFormat();
  const variables = { id, atPeriodEnd };
  const { preview, problem } = usePreview(PreviewQuery, variables, (data) => data.previewCancellation, {
    ids: [id],
  });
  if (problem) return <ProblemNote problem={problem} />;
  if (!preview || preview.lines.length === 0) return null;
  return (
    <div className="stack">
      <p>{t.finalNote(format.date(preview.effectiveAt), format.money(preview.total))}</p>
      <LineTable caption={t.finalLines} lines={preview.lines}>
        <Sums {...preview} />
      </LineTable>
    </div>
  );
}
