import { useClient } from 'urql';
import { isPositive } from '../../billing/arithmetic.ts';
import { graphql } from '../../data/graphql.ts';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import type { SubscriptionDialogProps } from './dialogProps.ts';
import { texts } from './texts.ts';

const NewestInvoiceQuery = graphql(`
  query NewestInvoice($id: ID!) {
    invoices(subscriptionId: $id, first: 1) {
      nodes {
        id
        status
        total {
          decimal
          currency
        }
      }
    }
  }
`);

/** Returns a function that says what an action has charged, or returns `otherwise` if the action issued no invoice. */
export function useOutcome({
  subscription: { id },
  invoices,
}: SubscriptionDialogProps): (otherwise: string) => Promise<string> {
  const client = useClient();
  const t = useTexts(texts);
  const format = useFormat();
  return async (otherwise) => {
    const { data } = await client
      .query(NewestInvoiceQuery, { id }, { requestPolicy: 'network-only' })
      .toPromise();
    const newest = data?.invoices?.nodes[0];
    const isNew = newest && invoices.every((invoice) => invoice.id !== newest.id);
    if (!isNew || !isPositive(newest.total)) return otherwise;
    const total = format.money(newest.total);
    return newest.status === 'paid' ? t.charged(total) : t.notPaidYet(total);
  };
}
