import { useState } from 'react';
import { Link } from 'wouter';
import { useRefusal } from '../../app/permissions.ts';
import { useAction } from '../../data/action.tsx';
import { graphql, type ResultOf } from '../../data/graphql.ts';
import { useScreenQuery } from '../../data/query.tsx';
import { Button } from '../../design/Button.tsx';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import { Section } from '../../design/Page.tsx';
import { Status, type Tone } from '../../design/Status.tsx';
import { Table } from '../../design/Table.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { Money, When } from '../../design/Values.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { grantTexts as texts } from './texts.ts';

const CreditGrantsQuery = graphql(`
  query CustomerCreditGrants($id: ID!) {
    creditGrants(customerId: $id, first: 50, order: DESC) {
      nodes {
        id
        name
        category
        status
        effectiveAt
        expiresAt
        amount {
          decimal
          currency
        }
        remaining {
          decimal
          currency
        }
        credits
        remainingCredits
        creditType {
          id
          name
        }
      }
    }
  }
`);

const CreditGrantUsesQuery = graphql(`
  query CreditGrantUses($id: ID!) {
    creditGrant(id: $id) {
      id
      creditType {
        id
        name
      }
      uses(first: 50, order: DESC) {
        nodes {
          id
          kind
          createdAt
          amount {
            decimal
            currency
          }
          credits
          invoice {
            id
            documentNumber
          }
          line {
            id
            description
          }
        }
      }
    }
  }
`);

const VoidCreditGrant = graphql(`
  mutation VoidCreditGrant($id: ID!) {
    voidCreditGrant(id: $id) {
      id
      status
    }
  }
`);

type Grant = NonNullable<ResultOf<typeof CreditGrantsQuery>['creditGrants']>['nodes'][number];

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
          { header: t.name, cell: ({ name }) => <span dir="auto">{name}</span> },
          { header: t.kind, cell: ({ category }) => t[category] },
          { header: t.status, cell: ({ status }) => <Status tone={tones[status]}>{t[status]}</Status> },
          { header: t.expires, cell: ({ expiresAt }) => <When at={expiresAt} /> },
          {
            header: t.amount,
            align: 'end',
            cell: ({ amount, credits, creditType }) => <Amount {...{ amount, credits, creditType }} />,
          },
          {
            header: t.remaining,
            align: 'end',
            cell: ({ remaining: amount, remainingCredits: credits, creditType }) => (
              <Amount {...{ amount, credits, creditType }} />
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
                  <Button look="quiet" refused={refused} onClick={() => setVoided(grant)}>
                    {t.void}
                  </Button>
                )}
              </>
            ),
          },
        ]}
      />
      {shown && <Uses grant={shown} onClose={() => setShown(undefined)} />}
      {voided && <Void grant={voided} onClose={() => setVoided(undefined)} onDone={refetch} />}
    </Section>
  );
}

type AmountProps = Pick<Grant, 'amount' | 'credits' | 'creditType'>;

/** An amount of money, or of credits of a type. */
function Amount({ amount, credits, creditType }: AmountProps) {
  return amount ? (
    <Money amount={amount} />
  ) : (
    <bdi>
      {credits} {creditType?.name}
    </bdi>
  );
}

/** What used, returned and ended parts of a grant. */
function Uses({ grant: { id, name }, onClose }: { grant: Grant; onClose: () => void }) {
  const t = useTexts(texts);
  const { data } = useScreenQuery(CreditGrantUsesQuery, { id }, { ids: [id] });
  return (
    <Dialog title={name} onClose={onClose} placement="side">
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
                  <Link href={`/invoices/${invoice.id}`}>
                    {invoice.documentNumber ?? line?.description ?? t.invoice}
                  </Link>
                ),
            },
            {
              header: t.amount,
              align: 'end',
              cell: ({ amount, credits }) => (
                <Amount amount={amount} credits={credits} creditType={data.creditGrant?.creditType ?? null} />
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
  const format = useFormat();
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
      <p>
        {t.voidText(remaining ? format.money(remaining) : `${remainingCredits} ${creditType?.name ?? ''}`)}
      </p>
    </ConfirmAction>
  );
}
