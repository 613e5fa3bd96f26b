/** Rows as a bare store takes them, for tests that need no rule. */
import type { Row } from '../../src/storage/model/rowTypes.ts';

const at = '2026-01-31T00:00:00.000Z';
const stamps = { createdAt: at, updatedAt: at };

export const groupRow = (id: string, fields: Partial<Row<'groups'>> = {}): Row<'groups'> => ({
  tenantAlias: 'acme',
  id,
  name: id,
  metadata: {},
  prorateUpgrades: false,
  nameLower: (fields.name ?? id).toLowerCase(),
  ...stamps,
  ...fields,
});

export const productRow = (id: string, fields: Partial<Row<'products'>> = {}): Row<'products'> => ({
  tenantAlias: 'acme',
  id,
  groupId: null,
  name: id,
  description: '',
  active: true,
  metadata: {},
  expiresAt: null,
  deletedAt: null,
  nameLower: (fields.name ?? id).toLowerCase(),
  ...stamps,
  ...fields,
});

export const priceRow = (id: string, fields: Partial<Row<'prices'>> = {}): Row<'prices'> => ({
  tenantAlias: 'acme',
  id,
  productId: 'p',
  amountMinor: 1n,
  currency: 'afn',
  frequency: 'Monthly',
  period: 1,
  executionDate: null,
  pricing: null,
  minQuantity: null,
  maxQuantity: null,
  nickname: null,
  trialDays: null,
  setupFeeMinor: null,
  ...stamps,
  ...fields,
});

export const customerRow = (id: string, associatedId: string): Row<'customers'> => ({
  tenantAlias: 'acme',
  id,
  associatedId,
  firstName: '',
  lastName: '',
  email: '',
  metadata: {},
  ...stamps,
});

export const subscriptionRow = (
  id: string,
  dueAt: string | null,
  fields: Partial<Row<'subscriptions'>> = {},
): Row<'subscriptions'> => ({
  tenantAlias: 'acme',
  id,
  paymentIntentId: id,
  customerId: id,
  groupId: null,
  productId: 'p',
  priceId: 'x',
  productName: '',
  quantity: null,
  pricing: null,
  amountMinor: 1n,
  currency: 'afn',
  frequency: 'Monthly',
  period: 1,
  anchor: at,
  paymentMethodId: null,
  startsAt: at,
  firstBillingDate: at,
  nextBillingDate: at,
  currentPeriodStart: null,
  currentPeriodEnd: null,
  billedCount: 0,
  dueAt,
  claimedUntil: null,
  openInvoiceId: null,
  pastDueSince: null,
  pausedAt: null,
  cancelAtPeriodEnd: false,
  cancelAt: null,
  nextIntentId: null,
  changingIntentId: null,
  parkedReason: null,
  metadata: {},
  ...stamps,
  cancelledAt: null,
  addOns: null,
  trialEndsAt: null,
  trialEndAnnouncedAt: null,
  ...fields,
});
