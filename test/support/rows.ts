/** Rows as a bare store takes them, for tests that need no rule. */
import { completeRow } from '../../src/storage/query/tableMeta.ts';
import type { Row } from '../../src/storage/model/rowTypes.ts';

const at = '2026-01-31T00:00:00.000Z';
const stamps = { createdAt: at, updatedAt: at };

export const groupRow = (id: string, fields: Partial<Row<'groups'>> = {}): Row<'groups'> =>
  completeRow(
    'groups',
    {
      id,
      name: id,
      metadata: {},
      prorateUpgrades: false,
      nameLower: (fields.name ?? id).toLowerCase(),
      ...stamps,
      ...fields,
    },
    fields.tenantAlias ?? 'acme',
  );

export const productRow = (id: string, fields: Partial<Row<'products'>> = {}): Row<'products'> =>
  completeRow(
    'products',
    {
      id,
      name: id,
      description: '',
      active: true,
      metadata: {},
      nameLower: (fields.name ?? id).toLowerCase(),
      ...stamps,
      ...fields,
    },
    fields.tenantAlias ?? 'acme',
  );

export const priceRow = (id: string, fields: Partial<Row<'prices'>> = {}): Row<'prices'> =>
  completeRow(
    'prices',
    {
      id,
      productId: 'p',
      amountMinor: 1n,
      currency: 'afn',
      frequency: 'Monthly',
      period: 1,
      ...stamps,
      ...fields,
    },
    fields.tenantAlias ?? 'acme',
  );

export const customerRow = (id: string, associatedId: string): Row<'customers'> =>
  completeRow(
    'customers',
    {
      id,
      associatedId,
      firstName: '',
      lastName: '',
      email: '',
      metadata: {},
      ...stamps,
    },
    'acme',
  );

export const subscriptionRow = (
  id: string,
  dueAt: string | null,
  fields: Partial<Row<'subscriptions'>> = {},
): Row<'subscriptions'> =>
  completeRow(
    'subscriptions',
    {
      id,
      paymentIntentId: id,
      customerId: id,
      productId: 'p',
      priceId: 'x',
      productName: '',
      amountMinor: 1n,
      currency: 'afn',
      frequency: 'Monthly',
      period: 1,
      anchor: at,
      startsAt: at,
      firstBillingDate: at,
      nextBillingDate: at,
      billedCount: 0,
      dueAt,
      cancelAtPeriodEnd: false,
      metadata: {},
      ...stamps,
      ...fields,
    },
    fields.tenantAlias ?? 'acme',
  );
