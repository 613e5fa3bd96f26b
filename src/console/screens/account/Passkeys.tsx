import './account.css';
import { useState } from 'react';
import { useAction } from '../../data/action.tsx';
import { createPasskey, hasPasskeys } from '../../data/passkeys.ts';
import { useSession } from '../../data/session.tsx';
import { Button } from '../../design/Button.tsx';
import { FormDialog } from '../../design/FormDialog.tsx';
import { ProblemNote } from '../../design/Feedback.tsx';
import { Field } from '../../design/Field.tsx';
import { Section } from '../../design/Page.tsx';
import { Table } from '../../design/Table.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { When } from '../../design/Values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { findRefusal } from '../../texts/problems.ts';
import { FinishPasskeyRegistration, RemovePasskey, StartPasskeyRegistration, type Account } from './query.ts';
import { texts } from './texts.ts';

interface PartProps {
  account: Account;
  refetch: () => void;
}

/** The passkeys of the operator. */
export function Passkeys({ account, refetch }: PartProps) {
  const t = useTexts(texts);
  const [adding, setAdding] = useState(false);
  const remove = useAction(RemovePasskey);
  const { refresh } = useSession();
  const changed = () => {
    refetch();
    refresh();
  };
  return (
    <Section
      title={t.passkeys}
      actions={
        <Button
          icon="plus"
          refused={hasPasskeys() ? undefined : t.noPasskeys}
          onClick={() => setAdding(true)}
        >
          {t.addPasskey}
        </Button>
      }
    >
      {remove.problem && <ProblemNote problem={remove.problem} />}
      <Table
        caption={t.passkeys}
        rows={account.passkeys}
        rowKey={({ id }) => id}
        empty={t.noPasskey}
        columns={[
          { header: t.name, cell: ({ name }) => name },
          { header: t.created, cell: ({ createdAt }) => <When at={createdAt} /> },
          { header: t.lastUsed, cell: ({ lastUsedAt }) => <When at={lastUsedAt} as="past" /> },
          { header: t.synced, cell: ({ isBackedUp }) => (isBackedUp ? t.yes : t.no) },
          {
            header: t.actions,
            align: 'end',
            cell: ({ id, name }) => (
              <Button
                look="danger"
                busy={remove.busy}
                aria-label={`${t.remove} ${name}`}
                onClick={() => void remove.run({ id }).then((done) => done && changed())}
              >
                {t.remove}
              </Button>
            ),
          },
        ]}
      />
      {adding && <AddPasskey onClose={() => setAdding(false)} onDone={changed} />}
    </Section>
  );
}

/** The dialog in which a passkey is registered. */
export function AddPasskey({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const t = useTexts(texts);
  const toast = useToast();
  const start = useAction(StartPasskeyRegistration);
  const finish = useAction(FinishPasskeyRegistration);
  const [name, setName] = useState('');
  const submit = async () => {
    const started = await start.run({});
    const challenge = started?.startPasskeyRegistration;
    if (!challenge) return;
    const response = await createPasskey(challenge.options);
    if (!response) return;
    if (!(await finish.run({ challengeId: challenge.challengeId, name: name || null, response }))) return;
    toast(t.passkeyAdded);
    onClose();
    onDone();
  };
  const problem = start.problem ?? finish.problem;
  return (
    <FormDialog
      title={t.addPasskey}
      busy={start.busy || finish.busy}
      problem={problem}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <p>{t.passkeyText}</p>
      <Field
        label={t.name}
        hint={t.passkeyNameHint}
        maxLength={100}
        {...findRefusal(problem, 'name')}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
    </FormDialog>
  );
}
