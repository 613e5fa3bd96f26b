import { useState } from 'react';
import { useRefusal } from '../../app/permissions.ts';
import { useAction } from '../../data/action.tsx';
import { graphql } from '../../data/graphql.ts';
import { Button } from '../../design/Button.tsx';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { Note, ProblemNote } from '../../design/Feedback.tsx';
import { More } from '../../design/More.tsx';
import { Section } from '../../design/Page.tsx';
import { Table } from '../../design/Table.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { Id, Money, When } from '../../design/Values.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { personTexts as texts } from './texts.ts';
import type { CustomerData } from './query.ts';

const DeleteItem = graphql(`
  mutation DeleteInvoiceItem($id: ID!) {
    deleteInvoiceItem(id: $id) {
      id
    }
  }
`);

export const UnblockMail = graphql(`
  mutation UnblockMail($customerId: ID!) {
    unblockMail(id: $customerId) {
      id
      mailBlockedAt
      mailBlockedReason
    }
  }
`);

const CheckVatId = graphql(`
  mutation CheckVatId($customerId: ID!) {
    checkVatId(id: $customerId) {
      id
      vatIdCheck {
        status
        value
        checkedAt
      }
    }
  }
`);

interface PartProps {
  customer: CustomerData;
  onDone: () => void;
}

type Item = CustomerData['invoiceItems'][number];

/** The lines that wait for the next invoice. A one-off charge can be taken back. */
export function WaitingItems({ customer: { invoiceItems }, onDone }: PartProps) {
  const t = useTexts(texts);
  const format = useFormat();
  const refused = useRefusal('manage_invoices');
  const [removed, setRemoved] = useState<Item>();
  if (invoiceItems.length === 0) return null;
  return (
    <Section title={t.waiting}>
      <Table
        caption={t.waiting}
        rows={invoiceItems}
        rowKey={({ id }) => id}
        columns={[
          { header: t.description, cell: ({ description }) => <span dir="auto">{description}</span> },
          { header: t.added, cell: ({ createdAt }) => <When at={createdAt} /> },
          { header: t.quantity, align: 'end', cell: ({ quantity }) => format.number(quantity) },
          { header: t.amount, align: 'end', cell: ({ amount }) => <Money amount={amount} /> },
          {
            header: t.actions,
            align: 'end',
            cell: (item) =>
              item.kind === 'item' && (
                <Button look="quiet" refused={refused} onClick={() => setRemoved(item)}>
                  {t.remove}
                </Button>
              ),
          },
        ]}
      />
      {removed && <RemoveItem item={removed} onClose={() => setRemoved(undefined)} onDone={onDone} />}
    </Section>
  );
}

function RemoveItem({ item, onClose, onDone }: { item: Item; onClose: () => void; onDone: () => void }) {
  const t = useTexts(texts);
  const toast = useToast();
  const action = useAction(DeleteItem);
  const remove = async () => {
    if (!(await action.run({ id: item.id }))) return;
    toast(t.saved);
    onDone();
    onClose();
  };
  return (
    <ConfirmAction
      danger
      title={t.removeItemTitle(item.description)}
      label={t.remove}
      action={action}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      <p>{t.removeItemText}</p>
    </ConfirmAction>
  );
}

/** Why no mail is sent to the customer, and the way to send again. */
export function BlockedMail({ customer, onDone }: PartProps) {
  const t = useTexts(texts);
  const toast = useToast();
  const refused = useRefusal('manage_customers');
  const { run, busy, problem } = useAction(UnblockMail);
  if (!customer.mailBlockedAt) return null;
  const unblock = async () => {
    if (!(await run({ customerId: customer.id }))) return;
    toast(t.unblocked);
    onDone();
  };
  return (
    <Note tone="late">
      <div className="row">
        <span>
          {t.mailBlocked}
          {customer.mailBlockedReason && `: ${customer.mailBlockedReason}`}
        </span>
        <Button refused={refused} busy={busy} onClick={() => void unblock()}>
          {t.unblock}
        </Button>
      </div>
      {problem && <ProblemNote problem={problem} />}
    </Note>
  );
}

/** What VIES said about the VAT id, and the way to ask again. */
export function VatIdCheck({ customer, onDone }: PartProps) {
  const t = useTexts(texts);
  const refused = useRefusal('manage_customers');
  const toast = useToast();
  const { run, busy, problem } = useAction(CheckVatId);
  const { vatIdCheck: check, taxIds } = customer;
  if (!taxIds.some(({ type }) => type === 'eu_vat')) return null;
  const ask = async () => {
    const done = await run({ customerId: customer.id });
    if (!done) return;
    if (!done.checkVatId?.vatIdCheck) toast(t.notChecked);
    onDone();
  };
  return (
    <>
      {check && (
        <div>
          {t[`vat_${check.status}`]} <small className="soft">{<When at={check.checkedAt} />}</small>
        </div>
      )}
      <VatIdEvidence answers={customer.vatIdEvidence?.nodes ?? []} />
      <Button look="quiet" refused={refused} busy={busy} onClick={() => void ask()}>
        {t.checkVatId}
      </Button>
      {problem && <ProblemNote problem={problem} />}
    </>
  );
}

type Answer = NonNullable<CustomerData['vatIdEvidence']>['nodes'][number];

/** The answers of VIES, as evidence for a tax office. */
function VatIdEvidence({ answers }: { answers: Answer[] }) {
  const t = useTexts(texts);
  if (answers.length === 0) return null;
  return (
    <More label={t.vatIdEvidence}>
      <ul>
        {answers.map(({ vatId, status, checkedAt, consultation, requester, name, address }) => (
          <li key={`${checkedAt} ${vatId} ${consultation}`}>
            <When at={checkedAt} /> <bdi>{vatId}</bdi>: {t[`vat_${status}`]}
            {consultation && <Id id={consultation} />}
            {requester && (
              <small className="soft">
                {' '}
                {t.vatIdRequester} <bdi>{requester}</bdi>
              </small>
            )}
            {[name, address].map(
              (line) =>
                line && (
                  <div key={line} dir="auto">
                    <small className="soft">{line}</small>
                  </div>
                ),
            )}
          </li>
        ))}
      </ul>
    </More>
  );
}
