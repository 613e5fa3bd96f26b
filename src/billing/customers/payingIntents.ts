import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';

/** The statuses of an intent with a payment in progress. */
const payingStatuses = ['processing', 'requires_action'] as const;

/**
 * Lists the intents of a customer with a payment in progress, oldest first. It looks among those of the customer: a tenant may
 * have many thousands that wait for a bank transfer.
 */
export const listPayingIntents = async (reads: Reads, customerId: string): Promise<Row<'intents'>[]> =>
  reads.many('intents', {
    where: { customerId },
    filter: { status: payingStatuses },
    orderBy: ['createdAt', 'id'],
  });
