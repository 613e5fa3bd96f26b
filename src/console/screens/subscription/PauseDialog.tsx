import { useState } from 'react';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { useAction } from '../../data/action.tsx';
import { graphql } from '../../data/graphql.ts';
import { Field, Select } from '../../design/Field.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { findRefusal } from '../../texts/problems.ts';
import type { SubscriptionDialogProps } from './dialogProps.ts';
import { texts } from './texts.ts';

const Pause = graphql(`
  mutation PauseSubscription($id: ID!, $resumesAt: DateTime) {
    pauseSubscription(id: $id, input: { resumesAt: $resumesAt }) {
      id
      status
      pausedAt
      resumesAt
      nextInvoiceAt
    }
  }
`);

/** Pauses until a day, at the start of it for the tenant, or until somebody resumes; moves the end of a pause. */
export function PauseDialog({ subscription, onClose, onDone }: SubscriptionDialogProps) {
  const t = useTexts(texts);
  const format = useFormat();
  const toast = useToast();
  const action = useAction(Pause);
  const { id, pausedAt } = subscription;
  const [until, setUntil] = useState(pausedAt === null ? 'request' : 'day');
  const [day, setDay] = useState('');
  const isTimed = until === 'day';
  const lacksDay = isTimed && day === '';
  const describe = (text: string) => format.date(`${text}T12:00:00Z`);
  const confirm = async () => {
    if (!(await action.run({ id, resumesAt: isTimed ? day : null }))) return;
    toast(isTimed ? t.pausedUntilDay(describe(day)) : t.pauseDone);
    onDone();
  };
  const label = isTimed && day ? t.pauseUntilText(describe(day)) : t.pauseText;
  return (
    <ConfirmAction
      title={pausedAt ? t.movePause : t.pause}
      label={label}
      refused={lacksDay ? t.chooseDay : undefined}
      action={action}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p className="soft">{t.pauseNote}</p>
      <Select
        label={t.pauseEnds}
        value={until}
        choices={[
          { value: 'day', label: t.onDay },
          { value: 'request', label: t.onRequest },
        ]}
        onChange={({ target }) => setUntil(target.value)}
      />
      {isTimed && (
        <Field
          label={t.resumesOn}
          type="date"
          autoFocus
          value={day}
          required
          {...findRefusal(action.problem, 'resumesAt')}
          onChange={({ target }) => setDay(target.value)}
        />
      )}
    </ConfirmAction>
  );
}
