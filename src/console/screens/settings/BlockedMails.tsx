import { Link } from 'wouter';
import { useRefusal } from '../../app/permissions.ts';
import { useAction } from '../../data/action.tsx';
import { useScreenQuery } from '../../data/query.tsx';
import { Button } from '../../design/Button.tsx';
import { Loaded, ProblemNote } from '../../design/Feedback.tsx';
import { Section } from '../../design/Page.tsx';
import { Table } from '../../design/Table.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { When } from '../../design/Values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { nameCustomer } from '../../texts/names.ts';
import { UnblockMail } from '../customer/parts.tsx';
import { blockedTexts } from './blockedTexts.ts';
import { RefusedMailsQuery, type RefusedMails } from './templateQuery.ts';

/** The customers whose addresses refused mail for good, among the latest mails that did not arrive. */
export function BlockedMails() {
  const t = useTexts(blockedTexts);
  const toast = useToast();
  const refusal = useRefusal('manage_customers');
  const result = useScreenQuery(RefusedMailsQuery, {}, { types: ['CustomerEvent'] });
  const { run, busy, problem } = useAction(UnblockMail);
  const unblock = async (customerId: string) => {
    if (!(await run({ customerId }))) return;
    toast(t.unblocked);
    result.refetch();
  };
  return (
    <Section title={t.title}>
      <p className="soft">{t.intro}</p>
      {problem && <ProblemNote problem={problem} />}
      <Loaded result={result}>
        {(data) => (
          <Table
            caption={t.title}
            rows={listBlocked(data)}
            rowKey={({ id }) => id}
            empty={t.none}
            columns={[
              {
                header: t.customer,
                cell: (customer) => (
                  <>
                    <Link href={`/customers/${customer.id}`}>{nameCustomer(customer)}</Link>
                    <div className="soft">{customer.email}</div>
                  </>
                ),
              },
              { header: t.reason, cell: ({ mailBlockedReason }) => <bdi>{mailBlockedReason}</bdi> },
              { header: t.since, cell: ({ mailBlockedAt }) => <When at={mailBlockedAt} /> },
              {
                header: t.actions,
                align: 'end',
                cell: ({ id }) => (
                  <Button look="quiet" refused={refusal} busy={busy} onClick={() => void unblock(id)}>
                    {t.unblock}
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}

/** The customers of mails that did not arrive, each once, as far as they are still blocked. */
function listBlocked({ failed, bounced }: RefusedMails) {
  const customers = [...(failed?.nodes ?? []), ...(bounced?.nodes ?? [])].flatMap(({ customer }) =>
    customer?.mailBlockedAt ? [customer] : [],
  );
  return [...new Map(customers.map((customer) => [customer.id, customer])).values()];
}
