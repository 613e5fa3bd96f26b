import { useState } from 'react';
import { useRefusal } from '../../app/permissions.ts';
import { useAction } from '../../data/action.tsx';
import { useScreenQuery } from '../../data/query.tsx';
import { useCan, useSession } from '../../data/session.tsx';
import { Button } from '../../design/Button.tsx';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import { FormDialog } from '../../design/FormDialog.tsx';
import { Loaded, Note, ProblemNote } from '../../design/Feedback.tsx';
import { Field, Select } from '../../design/Field.tsx';
import { orNull, useForm } from '../../design/form.ts';
import { Section } from '../../design/Page.tsx';
import { Table } from '../../design/Table.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { Nothing, When } from '../../design/Values.tsx';
import { useTexts } from '../../texts/language.tsx';
import {
  ChangeOperatorRole,
  InviteOperator,
  OperatorsQuery,
  RemoveOperator,
  type Role,
  type TeamMember,
} from './query.ts';
import { teamTexts as texts } from './texts.ts';

const roles = ['owner', 'admin', 'finance', 'support', 'viewer'] as const;

/** The people who use the console, and their roles. */
export function Operators() {
  const t = useTexts(texts);
  const refusal = useRefusal('manage_operators');
  const [inviting, setInviting] = useState(false);
  const may = useCan('manage_operators');
  return (
    <Section
      title={t.operators}
      actions={
        <Button icon="plus" refused={refusal} onClick={() => setInviting(true)}>
          {t.invite}
        </Button>
      }
    >
      {may ? <Team onInvite={inviting} onClose={() => setInviting(false)} /> : <Note>{refusal}</Note>}
    </Section>
  );
}

function Team({ onInvite, onClose }: { onInvite: boolean; onClose: () => void }) {
  const t = useTexts(texts);
  const { operator } = useSession();
  const result = useScreenQuery(OperatorsQuery, { first: 100 }, { types: ['OperatorEvent'] });
  const [removing, setRemoving] = useState<TeamMember>();
  return (
    <>
      <Loaded result={result}>
        {({ operators }) => (
          <Table
            caption={t.operators}
            rows={operators?.nodes ?? []}
            rowKey={({ operatorId }) => operatorId}
            columns={[
              {
                header: t.person,
                cell: ({ operatorId, name, email }) => (
                  <>
                    {name ?? email} {operatorId === operator.id && <span className="soft">({t.you})</span>}
                    {name && <div className="soft">{email}</div>}
                  </>
                ),
              },
              { header: t.role, cell: (member) => <RoleChoice member={member} onDone={result.refetch} /> },
              {
                header: t.lastSeen,
                cell: ({ lastSeenAt }) => (lastSeenAt ? <When at={lastSeenAt} as="past" /> : <Nothing />),
              },
              {
                header: t.actions,
                align: 'end',
                cell: (member) => (
                  <Button look="quiet" onClick={() => setRemoving(member)}>
                    {t.remove}
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Loaded>
      {onInvite && <Invite onClose={onClose} onDone={result.refetch} />}
      {removing && (
        <Remove member={removing} onClose={() => setRemoving(undefined)} onDone={result.refetch} />
      )}
    </>
  );
}

function RoleChoice({ member, onDone }: { member: TeamMember; onDone: () => void }) {
  const t = useTexts(texts);
  const toast = useToast();
  const { run, busy, problem } = useAction(ChangeOperatorRole);
  const change = async (role: Role) => {
    if (await run({ id: member.operatorId, input: { role } })) toast(t.saved);
    onDone();
  };
  return (
    <>
      <Select
        compact
        label={`${t.role}: ${member.email ?? member.name ?? ''}`}
        value={member.role}
        disabled={busy}
        choices={roles.map((value) => ({ value, label: t[value] }))}
        onChange={({ target }) => void change(target.value as Role)}
      />
      {problem && <ProblemNote problem={problem} />}
    </>
  );
}

interface InviteValues {
  email: string;
  name: string;
  role: Role;
}

function Invite({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const t = useTexts(texts);
  const { run, busy, problem } = useAction(InviteOperator);
  const { values, bind } = useForm<InviteValues>({ email: '', name: '', role: 'support' }, problem);
  const [invited, setInvited] = useState<{ url: string | null; expiresAt: string | null }>();
  const submit = async () => {
    const done = await run({ input: { ...values, name: orNull(values.name) } });
    if (!done?.inviteOperator) return;
    onDone();
    setInvited({ url: done.inviteOperator.url ?? null, expiresAt: done.inviteOperator.expiresAt ?? null });
  };
  if (invited) return <Invited email={values.email} {...invited} onClose={onClose} />;
  return (
    <FormDialog
      title={t.invite}
      label={t.createLink}
      busy={busy}
      problem={problem}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Field label={t.email} type="email" required autoFocus {...bind('email')} />
      <Field label={t.operatorName} {...bind('name')} />
      <Select
        label={t.role}
        hint={t[`${values.role}Hint`]}
        choices={roles.map((value) => ({ value, label: t[value] }))}
        {...bind('role')}
      />
    </FormDialog>
  );
}

interface InvitedProps {
  email: string;
  url: string | null;
  expiresAt: string | null;
  onClose: () => void;
}

function Invited({ email, url, expiresAt, onClose }: InvitedProps) {
  const t = useTexts(texts);
  const toast = useToast();
  const copy = async () => {
    await navigator.clipboard.writeText(url ?? '');
    toast(t.copied);
  };
  return (
    <Dialog
      title={t.invited(email)}
      onClose={onClose}
      actions={
        <>
          {url && (
            <Button icon="copy" onClick={() => void copy()}>
              {t.copyLink}
            </Button>
          )}
          <Button look="main" onClick={onClose}>
            {t.done}
          </Button>
        </>
      }
    >
      <p>{url ? t.linkNote : t.knownNote}</p>
      {url && <Field label={t.link} readOnly dir="ltr" value={url} />}
      {expiresAt && (
        <p className="soft">
          {t.linkEnds} <When at={expiresAt} as="time" />
        </p>
      )}
    </Dialog>
  );
}

function Remove(props: { member: TeamMember; onClose: () => void; onDone: () => void }) {
  const { member, onClose, onDone } = props;
  const t = useTexts(texts);
  const toast = useToast();
  const action = useAction(RemoveOperator);
  const label = member.name ?? member.email ?? '';
  const remove = async () => {
    if (!(await action.run({ operatorId: member.operatorId }))) return;
    toast(t.removedToast(label));
    onDone();
    onClose();
  };
  return (
    <ConfirmAction
      danger
      title={t.removeTitle(label)}
      label={t.remove}
      action={action}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      <p>{t.removeText}</p>
    </ConfirmAction>
  );
}
