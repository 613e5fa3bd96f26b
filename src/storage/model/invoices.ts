import { count, instant, json, money, nullable, table, text } from './columns.ts';
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
      /** Null until the first payment has made the subscription. */
      subscriptionId: nullable(text()),
      /** The intent whose payment it records, where one does. */
      intentId: nullable(text()),
      customerId: text(),
      billingReason: text<'subscription_start' | 'cycle' | 'plan_change'>(),
      status: text<'open' | 'paid' | 'void' | 'uncollectible'>(),
      currency: text(),
      totalMinor: money(),
      refundedMinor: money(),
      /** The period that is billed: a subscription has one invoice for each that begins. */
      cycleStart: instant(),
      cycleEnd: instant(),
      /** How often a charge was tried; names each try to the provider. */
      attempts: count(),
      firstTriedAt: nullable(instant()),
      /** Set while the provider is asked; found set at a start, the same try is asked about again. */
      chargeStartedAt: nullable(instant()),
      /** Who the latest try is made with: asked about again, it is with the same. */
      chargeProvider: nullable(text()),
      chargeMethod: nullable(text()),
      /** Until when money paid by hand must have come; null where a method is charged. */
      dueAt: nullable(instant()),
      paidAt: nullable(instant()),
      ...timestamps,
    },
    {
      ...byTenant,
      indexes: {
        invoices_number: { columns: ['tenantAlias', 'number'], unique: true },
        invoices_cycle: {
          columns: ['tenantAlias', 'subscriptionId', 'cycleStart'],
          unique: true,
          where: "billing_reason <> 'plan_change'",
        },
        invoices_subscription: { columns: ['tenantAlias', 'subscriptionId', 'createdAt', 'id'] },
        invoices_created: { columns: ['tenantAlias', 'createdAt', 'id'] },
        invoices_status: { columns: ['tenantAlias', 'status', 'createdAt', 'id'] },
        // Renewals have no intent: they need not be found by it.
        invoices_intent: { columns: ['tenantAlias', 'intentId', 'id'], where: 'intent_id is not null' },
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
      /** On a credit: the line whose unused time it gives back; null where that was paid in another system. */
      creditedLineId: nullable(text()),
      /** What plan changes have credited of this line, including one whose payment is under way; null for nothing. */
      creditedMinor: nullable(money()),
      /** What refunds have given back of this line, including one that is under way; null for nothing. */
      refundedMinor: nullable(money()),
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
      kind: text<'charge' | 'refund'>(),
      /** The charge that a refund gives back. */
      chargeId: nullable(text()),
      /** Pending: a refund that was begun, or a charge that was under way when nobody owed it any more. */
      status: text<'pending' | 'succeeded' | 'failed'>(),
      amountMinor: money(),
      /** What a refund gives back to the customer's balance once its money was given back; null for nothing. */
      toBalanceMinor: nullable(money()),
      currency: text(),
      failureReason: nullable(text()),
      /** When money that an operator recorded had come in. */
      receivedAt: nullable(instant()),
      createdAt: instant(),
    },
    {
      ...byTenant,
      indexes: {
        payments_invoice: { columns: ['tenantAlias', 'invoiceId', 'createdAt', 'id'] },
        payments_pending: { columns: ['tenantAlias', 'createdAt', 'id'], where: { status: 'pending' } },
        payments_intent: {
          columns: ['tenantAlias', 'intentId', 'createdAt', 'id'],
          where: 'intent_id is not null',
        },
      },
      foreign: tenantKey,
    },
  ),

  // The ledger of what customers have in hand. A credit is used oldest first, and never beyond what it was.
  balanceEntries: table(
    'balance_entries',
    {
      tenantAlias: text(),
      id: text(),
      customerId: text(),
      currency: text(),
      kind: text<'credit' | 'use' | 'return'>(),
      amountMinor: money(),
      /** What of a credit is left; 0 on the others. */
      remainingMinor: money(),
      /** The credit that a use takes from, or a return gives back to. */
      creditId: nullable(text()),
      /** The invoice that granted the credit, or that was paid with it; null for a credit brought from elsewhere. */
      invoiceId: nullable(text()),
      createdAt: instant(),
    },
    {
      ...byTenant,
      indexes: {
        balance_entries_customer: { columns: ['tenantAlias', 'customerId', 'currency', 'id'] },
        balance_entries_invoice: { columns: ['tenantAlias', 'invoiceId', 'id'] },
        balance_entries_credit: { columns: ['tenantAlias', 'creditId', 'id'] },
      },
      foreign: [...tenantKey, { columns: ['tenantAlias', 'invoiceId'], table: 'invoices' }],
    },
  ),
};
