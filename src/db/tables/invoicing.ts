import { count, instant, json, money, nullable, table, text } from '../columns.ts';
import { byTenant, tenantKey, timestamps, type JsonObject } from './common.ts';

/** What is owed for a subscription, and what was paid. */
export const invoicing = {
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
};
