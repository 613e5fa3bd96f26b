import { useState } from 'react';
import { useRefusal } from '../../app/permissions.ts';
import { useAction } from '../../data/action.tsx';
import { readMachineClock } from '../../data/clock.tsx';
import { graphql, type ResultOf } from '../../data/graphql.ts';
import { useScreenQuery } from '../../data/query.tsx';
import { Button } from '../../design/Button.tsx';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { Section } from '../../design/Page.tsx';
import { Table } from '../../design/Table.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { When } from '../../design/Values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { sessionTexts as texts } from './texts.ts';

const CustomerSessionsQuery = graphql(`
  query CustomerSessions($id: ID!) {
    customerSessions(customerId: $id, first: 20, order: DESC) {
      nodes {
        id
        allow
        createdAt
        expiresAt
        revokedAt
      }
    }
  }
`);

const RevokeSession = graphql(`
  mutation RevokeCustomerSession($id: ID!) {
    revokeCustomerSession(id: $id) {
      id
      revokedAt
    }
  }
`);

type Session = NonNullable<ResultOf<typeof CustomerSessionsQuery>['customerSessions']>['nodes'][number];

/** The sessions with which pages act for the customer now, and a button that ends each. */
export function Sessions({ customerId }: { customerId: string }) {
  const t = useTexts(texts);
  const refused = useRefusal('manage_customers');
  const [revoked, setRevoked] = useState<Session>();
  const { data, refetch } = useScreenQuery(CustomerSessionsQuery, { id: customerId }, { ids: [customerId] });
  const open = (data?.customerSessions?.nodes ?? []).filter(
    ({ revokedAt, expiresAt }) => revokedAt === null && Date.parse(expiresAt) > readMachineClock(),
  );
  if (open.length === 0) return null;
  return (
    <Section title={t.sessions}>
      <Table
        caption={t.sessions}
        rows={open}
        rowKey={({ id }) => id}
        columns={[
          { header: t.begun, cell: ({ createdAt }) => <When at={createdAt} /> },
          { header: t.ends, cell: ({ expiresAt }) => <When at={expiresAt} /> },
          {
            header: t.allows,
            cell: ({ allow }) => (allow.length === 0 ? t.reads : allow.map((action) => t[action]).join(', ')),
          },
          {
            header: t.revoke,
            align: 'end',
            cell: (session) => (
              <Button look="quiet" refused={refused} onClick={() => setRevoked(session)}>
                {t.revoke}
              </Button>
            ),
          },
        ]}
      />
      {revoked && <Revoke session={revoked} onClose={() => setRevoked(undefined)} onDone={refetch} />}
    </Section>
  );
}

interface RevokeProps {
  session: Session;
  onClose: () => void;
  onDone: () => void;
}

function Revoke({ session: { id }, onClose, onDone }: RevokeProps) {
  const t = useTexts(texts);
  const toast = useToast();
  const action = useAction(RevokeSession);
  const revoke = async () => {
    if (!(await action.run({ id }))?.revokeCustomerSession) return;
    toast(t.revoked);
    onDone();
    onClose();
  };
  return (
    <ConfirmAction
      danger
      title={t.revokeTitle}
      label={t.revoke}
      action={action}
      onConfirm={() => void revoke()}
      onClose={onClose}
    >
      <p>{t.revokeText}</p>
    </ConfirmAction>
  );
}
