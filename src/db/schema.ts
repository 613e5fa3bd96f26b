import { boolean, count, instant, json, money, nullable, table, text, type RowOf } from './columns.ts';

/**
 * Every table, once. Keys begin with the tenant's alias: it never changes, answers carry it,
 * and it lets the database be split by tenant.
 */

type JsonObject = Record<string, unknown>;
type Frequency = 'Daily' | 'Weekly' | 'Monthly' | 'Yearly';

const tenantKey = [{ columns: ['tenantAlias' as const], table: 'tenants' }];
const byTenant = { primary: ['tenantAlias' as const, 'id' as const] };

const recurring = { frequency: text<Frequency>(), period: count(), executionDate: nullable(instant()) };
const timestamps = { createdAt: instant(), updatedAt: instant() };

export const schema = {
  tenants: table(
    'tenants',
    {
      alias: text(),
      name: text(),
      timezone: text(),
      /** A test tenant owns its time: `clockAt` is its now. */
      test: boolean(),
      clockAt: nullable(instant()),
      /** Signs the cursors of this tenant. */
      cursorSecret: text(),
      lastInvoiceNumber: count(),
      ...timestamps,
    },
    { primary: ['alias'] },
  ),

  apiKeys: table(
    'api_keys',
    {
      tenantAlias: text(),
      id: text(),
      secretHash: text(),
      scope: text<'read' | 'write'>(),
      createdAt: instant(),
      expiresAt: nullable(instant()),
      revokedAt: nullable(instant()),
    },
    { ...byTenant, foreign: tenantKey },
  ),

  customers: table(
    'customers',
    {
      tenantAlias: text(),
      id: text(),
      associatedId: text(),
      firstName: text(),
      lastName: text(),
      email: text(),
      metadata: json<Record<string, string>>(),
      ...timestamps,
    },
    {
      ...byTenant,
      indexes: {
        customers_associated: { columns: ['tenantAlias', 'associatedId'], unique: true },
        customers_created: { columns: ['tenantAlias', 'createdAt', 'id'] },
      },
      foreign: tenantKey,
    },
  ),

  groups: table(
    'groups',
    {
      tenantAlias: text(),
      id: text(),
      name: text(),
      metadata: json<JsonObject>(),
      prorateUpgrades: boolean(),
      ...timestamps,
    },
    {
      ...byTenant,
      indexes: { groups_created: { columns: ['tenantAlias', 'createdAt', 'id'] } },
      foreign: tenantKey,
    },
  ),

  products: table(
    'products',
    {
      tenantAlias: text(),
      id: text(),
      groupId: nullable(text()),
      name: text(),
      description: text(),
      active: boolean(),
      metadata: json<JsonObject>(),
      expiresAt: nullable(instant()),
      ...timestamps,
      /** A deleted product is seen only inside its group. */
      deletedAt: nullable(instant()),
    },
    {
      ...byTenant,
      indexes: {
        products_created: { columns: ['tenantAlias', 'createdAt', 'id'] },
        products_group: { columns: ['tenantAlias', 'groupId', 'createdAt', 'id'] },
      },
      foreign: [...tenantKey, { columns: ['tenantAlias', 'groupId'], table: 'groups' }],
    },
  ),

  prices: table(
    'prices',
    {
      tenantAlias: text(),
      id: text(),
      productId: text(),
      amountMinor: money(),
      currency: text(),
      ...recurring,
      ...timestamps,
    },
    {
      ...byTenant,
      indexes: { prices_product: { columns: ['tenantAlias', 'productId', 'createdAt', 'id'] } },
      foreign: [...tenantKey, { columns: ['tenantAlias', 'productId'], table: 'products' }],
    },
  ),

  paymentMethods: table(
    'payment_methods',
    {
      tenantAlias: text(),
      id: text(),
      customerId: text(),
      provider: text(),
      /** What the provider knows the method by; never a card number. */
      reference: text(),
      createdAt: instant(),
    },
    {
      ...byTenant,
      indexes: { payment_methods_customer: { columns: ['tenantAlias', 'customerId', 'createdAt', 'id'] } },
      foreign: tenantKey,
    },
  ),

  // What the payer was shown is copied here, so that editing the catalogue changes nothing agreed to.
  intents: table(
    'intents',
    {
      tenantAlias: text(),
      id: text(),
      customerId: text(),
      productId: text(),
      priceId: text(),
      groupId: nullable(text()),
      productName: text(),
      amountMinor: money(),
      currency: text(),
      ...recurring,
      status: text<
        'requires_payment_method' | 'requires_action' | 'processing' | 'succeeded' | 'canceled' | 'expired'
      >(),
      receiptUrl: text(),
      returnUrl: nullable(text()),
      orderNumber: nullable(text()),
      /** SHA-256 of the request that an order number belongs to. */
      requestHash: text(),
      startDate: nullable(instant()),
      reason: nullable(text()),
      /** How often payment was tried; names each try to the provider, so that asking again charges nothing twice. */
      attempts: count(),
      provider: nullable(text()),
      paymentMethod: nullable(text()),
      /** The moment the payment under way is reckoned for. */
      paymentStartedAt: nullable(instant()),
      subscriptionId: nullable(text()),
      failureReason: nullable(text()),
      expiresAt: instant(),
      ...timestamps,
    },
    {
      ...byTenant,
      indexes: {
        intents_order: {
          columns: ['tenantAlias', 'orderNumber'],
          unique: true,
          where: 'order_number is not null',
        },
        intents_customer: { columns: ['tenantAlias', 'customerId', 'createdAt', 'id'] },
      },
      foreign: tenantKey,
    },
  ),

  subscriptions: table(
    'subscriptions',
    {
      tenantAlias: text(),
      id: text(),
      paymentIntentId: text(),
      customerId: text(),
      groupId: nullable(text()),
      productId: text(),
      priceId: text(),
      productName: text(),
      amountMinor: money(),
      currency: text(),
      frequency: text<Frequency>(),
      period: count(),
      /** Cycle n starts at anchor + n × interval. */
      anchor: instant(),
      paymentMethodId: nullable(text()),
      startsAt: instant(),
      firstBillingDate: instant(),
      /** The start of the next period to be billed. */
      nextBillingDate: nullable(instant()),
      /** The period paid last. */
      currentPeriodStart: nullable(instant()),
      currentPeriodEnd: nullable(instant()),
      billedCount: count(),
      metadata: json<JsonObject>(),
      ...timestamps,
      cancelledAt: nullable(instant()),
    },
    {
      ...byTenant,
      indexes: {
        subscriptions_created: { columns: ['tenantAlias', 'createdAt', 'id'] },
        subscriptions_customer: { columns: ['tenantAlias', 'customerId', 'createdAt', 'id'] },
        subscriptions_one_in_group: {
          columns: ['tenantAlias', 'customerId', 'groupId'],
          unique: true,
          where: 'cancelled_at is null and group_id is not null',
        },
        subscriptions_one_of_product: {
          columns: ['tenantAlias', 'customerId', 'productId'],
          unique: true,
          where: 'cancelled_at is null',
        },
      },
      foreign: tenantKey,
    },
  ),

  invoices: table(
    'invoices',
    {
      tenantAlias: text(),
      id: text(),
      /** Without gaps within a tenant. */
      number: count(),
      subscriptionId: text(),
      customerId: text(),
      status: text<'open' | 'paid' | 'void' | 'uncollectible'>(),
      currency: text(),
      totalMinor: money(),
      /** The start of the cycle that is billed: a subscription has one invoice for each. */
      cycleStart: instant(),
      paidAt: nullable(instant()),
      ...timestamps,
    },
    {
      ...byTenant,
      indexes: {
        invoices_number: { columns: ['tenantAlias', 'number'], unique: true },
        invoices_cycle: { columns: ['tenantAlias', 'subscriptionId', 'cycleStart'], unique: true },
        invoices_created: { columns: ['tenantAlias', 'createdAt', 'id'] },
        invoices_customer: { columns: ['tenantAlias', 'customerId', 'createdAt', 'id'] },
      },
      foreign: [...tenantKey, { columns: ['tenantAlias', 'subscriptionId'], table: 'subscriptions' }],
    },
  ),

  invoiceLines: table(
    'invoice_lines',
    {
      tenantAlias: text(),
      id: text(),
      invoiceId: text(),
      customerId: text(),
      kind: text<'CYCLE' | 'STUB' | 'PRORATION_CREDIT' | 'PRORATION_CHARGE' | 'BALANCE'>(),
      productName: text(),
      description: text(),
      amountMinor: money(),
      currency: text(),
      periodStart: instant(),
      periodEnd: instant(),
      /** The figures that the amount was computed from. */
      explanation: json<JsonObject>(),
      /** When the invoice was paid; history has the paid periods. */
      paidAt: nullable(instant()),
    },
    {
      ...byTenant,
      indexes: {
        invoice_lines_invoice: { columns: ['tenantAlias', 'invoiceId', 'id'] },
        invoice_lines_history: {
          columns: ['tenantAlias', 'customerId', 'periodStart', 'id'],
          where: 'paid_at is not null',
        },
      },
      foreign: [...tenantKey, { columns: ['tenantAlias', 'invoiceId'], table: 'invoices' }],
    },
  ),

  payments: table(
    'payments',
    {
      tenantAlias: text(),
      id: text(),
      customerId: text(),
      intentId: nullable(text()),
      invoiceId: nullable(text()),
      provider: text(),
      reference: nullable(text()),
      status: text<'succeeded' | 'failed'>(),
      amountMinor: money(),
      currency: text(),
      failureReason: nullable(text()),
      createdAt: instant(),
    },
    {
      ...byTenant,
      indexes: {
        payments_invoice: { columns: ['tenantAlias', 'invoiceId', 'createdAt', 'id'] },
        payments_intent: { columns: ['tenantAlias', 'intentId', 'createdAt', 'id'] },
      },
      foreign: tenantKey,
    },
  ),

  traces: table(
    'traces',
    {
      tenantAlias: text(),
      eventId: text(),
      traceId: text(),
      parentId: nullable(text()),
      isRoot: boolean(),
      executorId: text(),
      activityType: text(),
      payload: json<JsonObject>(),
      createdAt: instant(),
    },
    {
      primary: ['tenantAlias', 'eventId'],
      indexes: {
        traces_created: { columns: ['tenantAlias', 'createdAt', 'eventId'] },
        traces_executor: { columns: ['tenantAlias', 'executorId', 'createdAt', 'eventId'] },
      },
      foreign: tenantKey,
    },
  ),
};

export type TableName = keyof typeof schema;
export type Row<Name extends TableName> = RowOf<(typeof schema)[Name]>;
