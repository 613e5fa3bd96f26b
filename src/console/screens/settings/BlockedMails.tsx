import { Link } from 'wouter';
import { useRefusal } from '../../app/permissions.ts';
import { useAction } from '../../data/action.tsx';
import { useLive } from '../../data/live.tsx';
import { usePages } from '../../data/pages.ts';
import { Button } from '../../design/Button.tsx';
import { ProblemNote } from '../../design/Feedback.tsx';
import { Section } from '../../design/Page.tsx';
import { Table } from '../../design/Table.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { When } from '../../design/Values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { nameCustomer } from '../../texts/names.ts';
import { UnblockMail } from '../customer/parts.tsx';
import { blockedTexts } from './texts.ts';
import { BlockedCustomersQuery } from './templateQuery.ts';

/** The customers whose addresses refused mail for good or were blocked by hand, the latest first. */
export function BlockedMails() {
  const t = useTexts(blockedTexts);
  const toast = useToast();
  const refusal = useRefusal('manage_customers');
  const {
    rows,
    hasMore,
    loading,
    problem: failure,
    loadMore,
    reload,
  } = usePages({
    document: BlockedCustomersQuery,
    variables: {},
    connection: (data) => data.blockedCustomers,
  });
  useLive((traces) => {
    if (traces.some(({ activityType }) => activityType === 'CustomerEvent')) reload();
  });
  const { run, busy, problem } = useAction(UnblockMail);
  const unblock = async (customerId: string) => {
    if (!(await run({ customerId }))) return;
    toast(t.unblocked);
    reload();
  };
  return (
    <Section title={t.title}>
      <p className="soft">{t.intro}</p>
      {(problem ?? failure) && <ProblemNote problem={(problem ?? failure)!} />}
      <Table
        caption={t.title}
        rows={rows}
        rowKey={({ id }) => id}
        empty={loading ? '…' : t.none}
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
      {hasMore && (
        <Button busy={loading} onClick={loadMore}>
          {t.more}
        </Button>
      )}
    </Section>
  );
}
