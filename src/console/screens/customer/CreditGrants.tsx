import { useState } from 'react';
import { Link } from 'wouter';
import { useRefusal } from '../../app/permissions.ts';
import { useAction } from '../../data/action.tsx';
import { useScreenQuery } from '../../data/query.tsx';
import { Button } from '../../design/Button.tsx';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import { Section } from '../../design/Page.tsx';
import { Status, type Tone } from '../../design/Status.tsx';
import { Table } from '../../design/Table.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { When } from '../../design/Values.tsx';
import { CreditAmount, useWriteCredit } from '../../billing/credits/amounts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { GrantAlertDialog } from './GrantAlertDialog.tsx';
import { GrantFacts } from './GrantFacts.tsx';
import { CreditGrantsQuery, CreditGrantUsesQuery, VoidCreditGrant, type Grant } from './grantQueries.ts';
import { grantTexts as texts } from './texts.ts';

const tones: Record<Grant['status'], Tone> = {
  pending: 'waiting',
  active: 'good',
  used_up: 'neutral',
  expired: 'neutral',
  voided: 'neutral',
};

/** The credit grants of a customer: what is left of each, what used it, and a button that voids it. */
export function CreditGrants({ customerId }: { customerId: string }) {
  const t = useTexts(texts);
  const refused = useRefusal('credit');
  const [shown, setShown] = useState<Grant>();
  const [voided, setVoided] = useState<Grant>();
  const [alerting, setAlerting] = useState<Grant>();
  const { data, refetch } = useScreenQuery(CreditGrantsQuery, { id: customerId }, { ids: [customerId] });
  const grants = data?.creditGrants?.nodes ?? [];
  if (grants.length === 0) return null;
  return (
    <Section title={t.grants}>
      <Table
        caption={t.grants}
        rows={grants}
        rowKey={({ id }) => id}
        columns={[
          {
            header: t.name,
            cell: ({ name, category }) => (
              <>
                <span dir="auto">{name}</span>
                <div className="soft">{t[category]}</div>
              </>
            ),
          },
          { header: t.status, cell: ({ status }) => <Status tone={tones[status]}>{t[status]}</Status> },
          { header: t.expires, cell: ({ expiresAt }) => <When at={expiresAt} /> },
          {
            header: t.amount,
            align: 'end',
            cell: ({ amount, credits, creditType }) => <CreditAmount {...{ amount, credits, creditType }} />,
          },
          {
            header: t.remaining,
            align: 'end',
            cell: ({ remaining: amount, remainingCredits: credits, creditType }) => (
              <CreditAmount {...{ amount, credits, creditType }} />
            ),
          },
          {
            header: t.actions,
            align: 'end',
            cell: (grant) => (
              <>
                <Button look="quiet" onClick={() => setShown(grant)}>
                  {t.uses}
                </Button>
                {(grant.status === 'active' || grant.status === 'pending') && (
                  <>
                    <Button look="quiet" refused={refused} onClick={() => setAlerting(grant)}>
                      {t.alert}
                    </Button>
                    <Button look="quiet" refused={refused} onClick={() => setVoided(grant)}>
                      {t.void}
                    </Button>
                  </>
                )}
              </>
            ),
          },
        ]}
      />
      {shown && <Uses grant={shown} onClose={() => setShown(undefined)} />}
      {alerting && (
        <GrantAlertDialog grant={alerting} onClose={() => setAlerting(undefined)} onDone={refetch} />
      )}
      {voided && <Void grant={voided} onClose={() => setVoided(undefined)} onDone={refetch} />}
    </Section>
  );
}

/** What used, returned and ended parts of a grant. */
function Uses({ grant, onClose }: { grant: Grant; onClose: () => void }) {
  const t = useTexts(texts);
  const { id, name } = grant;
  const { data } = useScreenQuery(CreditGrantUsesQuery, { id }, { ids: [id] });
  return (
    <Dialog title={name} onClose={onClose} placement="side">
      <GrantFacts grant={grant} />
      {data && (
        <Table
          caption={t.uses}
          rows={data.creditGrant?.uses?.nodes ?? []}
          rowKey={(use) => use.id}
          empty={t.noUses}
          columns={[
            { header: t.date, cell: ({ createdAt }) => <When at={createdAt} /> },
            { header: t.kind, cell: ({ kind }) => t[`kind_${kind}`] },
            {
              header: t.invoice,
              cell: ({ invoice, line }) =>
                invoice && (
                  <>
                    <Link href={`/invoices/${invoice.id}`}>{invoice.documentNumber ?? t.invoice}</Link>
                    {line && <div className="soft">{line.description}</div>}
                  </>
                ),
            },
            {
              header: t.amount,
              align: 'end',
              cell: ({ amount, credits }) => (
                <CreditAmount
                  amount={amount}
                  credits={credits}
                  creditType={data.creditGrant?.creditType ?? null}
                />
              ),
            },
          ]}
        />
      )}
    </Dialog>
  );
}

interface VoidProps {
  grant: Grant;
  onClose: () => void;
  onDone: () => void;
}

function Void({ grant, onClose, onDone }: VoidProps) {
  const { id, name, remaining, remainingCredits, creditType } = grant;
  const t = useTexts(texts);
  const write = useWriteCredit();
  const toast = useToast();
  const action = useAction(VoidCreditGrant);
  const confirm = async () => {
    if (!(await action.run({ id }))?.voidCreditGrant) return;
    toast(t.voidedToast);
    onDone();
    onClose();
  };
  return (
    <ConfirmAction
      danger
      title={t.voidTitle(name)}
      label={t.void}
      action={action}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p>{t.voidText(write({ amount: remaining, credits: remainingCredits, creditType }))}</p>
    </ConfirmAction>
  );
}
