import type { DeclineCode } from '../../lib/declineCodes.ts';
import { boolean, count, instant, json, money, nullable, shownIfSet, table, text } from './columns.ts';
import {
  byTenant,
  tenantKey,
  timestamps,
  type DisputeStatus,
  type JsonObject,
  type LineDiscount,
  type LineTax,
  type ProductKind,
  type TaxTotal,
  type TextMetadata,
} from './common.ts';
import type { CreditRollover, CreditScope, CreditTopUp } from './creditTerms.ts';
import type { EInvoiceStatus } from './eInvoices.ts';
import type { EvidenceGap } from './locationEvidence.ts';

/** Invoices, payments and balances. */
export const invoicing = {
  invoices: table(
    'invoices',
    {
      tenantAlias: text(),
      id: text(),
      /** Consecutive within a tenant. */
      number: count(),
      /** Null until the first payment has created the subscription. */
      subscriptionId: nullable(text()),
      /** The intent paid by this invoice, if any. */
      intentId: nullable(text()),
      customerId: text(),
      billingReason: text<
        'subscription_start' | 'cycle' | 'plan_change' | 'one_off' | 'subscription_end' | 'usage_threshold'
      >(),
      status: text<'draft' | 'open' | 'paid' | 'void' | 'uncollectible'>(),
      currency: text(),
      totalMinor: money(),
      refundedMinor: money(),
      /** The start of the billed period; a subscription has one invoice of a period for each start. */
      cycleStart: instant(),
      cycleEnd: instant(),
      /** The number of charge attempts; identifies each attempt to the provider. */
      attempts: count(),
      firstTriedAt: nullable(instant()),
      /** Set while a request to the provider is in flight; a server that starts then repeats the same attempt. */
      chargeStartedAt: nullable(instant()),
      /** The provider of the latest attempt; a repeat of the attempt uses the same provider. */
      chargeProvider: nullable(text()),
      chargeMethod: nullable(text()),
      /** The due date of an invoice paid manually; null if a payment method is charged. */
      dueAt: nullable(instant()),
      paidAt: nullable(instant()),
      ...timestamps,
      /** The tax by category and rate; null if none was computed. */
      taxes: nullable(json<TaxTotal[]>()),
      /** The number of the document, given at finalization. */
      documentNumber: nullable(text()),
      /** When it was finalized; null before, and for invoices of releases without documents. */
      issuedAt: nullable(instant()),
      /** When it is to be finalized; null if it is, or if only `finalizeInvoice` does it. */
      finalizeAt: nullable(instant()),
      /** What credit notes took off, tax included, with and without refund; null for nothing. */
      creditedMinor: nullable(money()),
      /** The part of `creditedMinor` that was credited before the payment, and is not charged; null for nothing. */
      unchargedMinor: nullable(money()),
      /** When the payer is reminded next, if it is still open then; null for never. */
      remindAt: nullable(instant()),
      /**
       * What the provider took back without a credit note: open disputes, and what refunds and disputes exceed the lines
       * by; null for nothing.
       */
      withdrawnMinor: nullable(money()),
      /** Set if its number is of the series of credit notes, because its credits exceed its charges. */
      documentKind: nullable(text<'credit_note'>()),
      /** When the charge of a final invoice is tried again, if it is still open then; null for never. */
      retryAt: nullable(instant()),
      /** The country whose tax applies, as of its taxation; null without tax, before, and in earlier releases. */
      taxCountry: nullable(text()),
      /** That of its subscription or intent when it was issued, or of its request; null for none. */
      metadata: shownIfSet(json<TextMetadata>()),
      /** The number of the buyer's order, which its document names; null for none. */
      purchaseOrder: shownIfSet(text()),
      /** The credit that its payment grants; null if it sells none. */
      topUp: nullable(json<CreditTopUp>()),
      /** How far its e-invoice has come; null if it is not for an access point. */
      eInvoiceStatus: shownIfSet(text<EInvoiceStatus>()),
      /** What is wrong with the evidence of where the customer is; null for nothing. */
      evidenceGap: nullable(text<EvidenceGap>()),
    },
    {
      ...byTenant,
      indexes: {
        invoices_document_number: {
          columns: ['tenantAlias', 'documentNumber'],
          unique: true,
          where: { documentNumber: { isSet: true }, documentKind: null },
        },
        // The two series may be written alike.
        invoices_credit_number: {
          columns: ['tenantAlias', 'documentNumber'],
          unique: true,
          where: { documentKind: 'credit_note' },
        },
        invoices_finalizing: {
          columns: ['tenantAlias', 'finalizeAt', 'id'],
          where: { finalizeAt: { isSet: true } },
        },
        // Few invoices have failed and are open.
        invoices_reminders: {
          columns: ['tenantAlias', 'remindAt', 'id'],
          where: { status: 'open', remindAt: { isSet: true } },
        },
        // Few final invoices have failed and are open.
        invoices_retries: {
          columns: ['tenantAlias', 'retryAt', 'id'],
          where: { status: 'open', retryAt: { isSet: true } },
        },
        invoices_number: { columns: ['tenantAlias', 'number'], unique: true },
        invoices_cycle: {
          columns: ['tenantAlias', 'subscriptionId', 'cycleStart'],
          unique: true,
          where: { billingReason: { noneOf: ['plan_change', 'subscription_end', 'usage_threshold'] } },
        },
        invoices_subscription: { columns: ['tenantAlias', 'subscriptionId', 'createdAt', 'id'] },
        invoices_created: { columns: ['tenantAlias', 'createdAt', 'id'] },
        // Most invoices are issued when they are created.
        invoices_issued_later: {
          columns: ['tenantAlias', 'issuedAt', 'id'],
          whereSql: 'issued_at <> created_at',
        },
        // Invoices that the customer is to transfer the money for.
        invoices_sent: { columns: ['tenantAlias', 'createdAt', 'id'], where: { dueAt: { isSet: true } } },
        invoices_e_invoice: {
          columns: ['tenantAlias', 'eInvoiceStatus', 'createdAt', 'id'],
          where: { eInvoiceStatus: { isSet: true } },
        },
        invoices_evidence_gap: {
          columns: ['tenantAlias', 'evidenceGap', 'createdAt', 'id'],
          where: { evidenceGap: { isSet: true } },
        },
        invoices_status: { columns: ['tenantAlias', 'status', 'createdAt', 'id'] },
        // Renewals have no intent and are not looked up by it.
        invoices_intent: { columns: ['tenantAlias', 'intentId', 'id'], where: { intentId: { isSet: true } } },
        invoices_customer: { columns: ['tenantAlias', 'customerId', 'createdAt', 'id'] },
        // The charges in progress of invoices collected alone; those of renewals are found by their subscription.
        invoices_charging: {
          columns: ['tenantAlias', 'chargeStartedAt', 'id'],
          where: {
            chargeStartedAt: { isSet: true },
            billingReason: ['one_off', 'subscription_end', 'usage_threshold'],
          },
        },
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
      kind: text<
        | 'CYCLE'
        | 'STUB'
        | 'PRORATION_CREDIT'
        | 'PRORATION_CHARGE'
        | 'SETUP_FEE'
        | 'ITEM'
        | 'USAGE'
        | 'BALANCE'
      >(),
      productName: text(),
      description: text(),
      amountMinor: money(),
      currency: text(),
      periodStart: instant(),
      periodEnd: instant(),
      /** The figures from which the amount was computed. */
      explanation: json<JsonObject>(),
      /** When the invoice was paid; the history lists paid periods. */
      paidAt: nullable(instant()),
      /** On a credit: the line whose unused time it refunds; null if that line was paid in another system. */
      creditedLineId: nullable(text()),
      /** The part of this line credited by plan changes, including one whose payment is in flight; null if none. */
      creditedMinor: nullable(money()),
      /** The part of this line refunded, including refunds in flight; null if none. */
      refundedMinor: nullable(money()),
      /** The discounts that `amountMinor` already contains; null if none. */
      discounts: nullable(json<LineDiscount[]>()),
      /** The price of an add-on; null on lines of the main price. */
      priceId: nullable(text()),
      /** Null if no tax was computed. */
      tax: nullable(json<LineTax>()),
      /** The product; null on lines without one, and of releases without taxes. */
      productId: nullable(text()),
      /** Whether the amount contains the tax, also before there is one; null for exclusive, and of earlier releases. */
      taxBehavior: nullable(text<'exclusive' | 'inclusive'>()),
      /** What is sold by a charge without a product; null for an electronic service. */
      productKind: nullable(text<ProductKind>()),
    },
    {
      ...byTenant,
      indexes: {
        invoice_lines_invoice: { columns: ['tenantAlias', 'invoiceId', 'id'] },
        invoice_lines_history: {
          columns: ['tenantAlias', 'customerId', 'periodStart', 'id'],
          where: { paidAt: { isSet: true } },
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
      kind: text<'charge' | 'refund' | 'dispute'>(),
      /** The charge that a refund or a dispute reverses. */
      chargeId: nullable(text()),
      /**
       * Pending: a refund that was started, a charge that was in flight when its invoice or intent was closed, or a
       * dispute that has not moved money. A dispute has failed when the money is back.
       */
      status: text<'pending' | 'succeeded' | 'failed'>(),
      amountMinor: money(),
      /** The amount a refund returns to the customer's balance after its money was refunded; null if none. */
      toBalanceMinor: nullable(money()),
      currency: text(),
      failureReason: nullable(text()),
      /** Of a declined charge; null for those of earlier releases. */
      declineCode: shownIfSet(text<DeclineCode>()),
      /** When manually recorded money was received. */
      receivedAt: nullable(instant()),
      createdAt: instant(),
      /** Of a dispute only. */
      disputeStatus: nullable(text<DisputeStatus>()),
      /** As the provider names it. */
      disputeReason: nullable(text()),
      evidenceDueAt: nullable(instant()),
      /** That of its invoice or intent when it was recorded; null for none. */
      metadata: shownIfSet(json<TextMetadata>()),
    },
    {
      ...byTenant,
      indexes: {
        payments_invoice: { columns: ['tenantAlias', 'invoiceId', 'createdAt', 'id'] },
        payments_created: { columns: ['tenantAlias', 'createdAt', 'id'] },
        payments_customer: { columns: ['tenantAlias', 'customerId', 'createdAt', 'id'] },
        // Most payments are charges that succeeded.
        payments_failed: { columns: ['tenantAlias', 'createdAt', 'id'], where: { status: ['failed'] } },
        payments_refunds: { columns: ['tenantAlias', 'createdAt', 'id'], where: { kind: ['refund'] } },
        payments_disputes: { columns: ['tenantAlias', 'createdAt', 'id'], where: { kind: ['dispute'] } },
        payments_pending: { columns: ['tenantAlias', 'createdAt', 'id'], where: { status: 'pending' } },
        payments_decline_code: {
          columns: ['tenantAlias', 'declineCode', 'createdAt', 'id'],
          where: { declineCode: { isSet: true } },
        },
        payments_intent: {
          columns: ['tenantAlias', 'intentId', 'createdAt', 'id'],
          where: { intentId: { isSet: true } },
        },
      },
      foreign: tenantKey,
    },
  ),

  // The ledger of customer balances and credit grants. Credits are used by priority, expiry and age, never beyond their amount.
  balanceEntries: table(
    'balance_entries',
    {
      tenantAlias: text(),
      id: text(),
      customerId: text(),
      currency: text(),
      /** `grant` is a credit with terms of its own. */
      kind: text<'credit' | 'grant' | 'use' | 'return' | 'expire' | 'void'>(),
      amountMinor: money(),
      /** The unused part of a credit; 0 on other entries. */
      remainingMinor: money(),
      /** The credit that an entry uses, returns to or ends. */
      creditId: nullable(text()),
      /** The invoice that granted the credit or was paid with it; null for a credit imported from another system. */
      invoiceId: nullable(text()),
      createdAt: instant(),
      /** Why a credit was granted; null for credits from invoices. */
      reason: nullable(text()),
      /** When the remainder of a credit expires; null for never. */
      expiresAt: nullable(instant()),
      /** The line that a grant lowers before tax, or that got it back; null for what pays totals. */
      lineId: nullable(text()),
      // The terms of a grant; null on other entries.
      category: nullable(text<'paid' | 'promotional'>()),
      /** Whether it lowers bills before tax; otherwise it pays their total. */
      beforeTax: nullable(boolean()),
      /** What was paid for a unit of its amount, a decimal. */
      costBasis: nullable(text()),
      /** 0 to 100, the lowest first. */
      priority: nullable(count()),
      /** From when on it can pay. */
      effectiveAt: nullable(instant()),
      rollover: nullable(json<CreditRollover>()),
      /** The charges that it lowers; null for all. */
      appliesTo: nullable(json<CreditScope>()),
      voidedAt: nullable(instant()),
      /** The highest share of its amount, in percent, of whose use an event has told. */
      alertedPercent: nullable(count()),
      /** An event tells when less than this is left of a grant, in its unit; null for none. */
      alertBelowMinor: nullable(money()),
      /** When that was told; null while that much is left. */
      alertedBelowAt: nullable(instant()),
      /**
       * The credit type of a grant in its units, and of the entries of such a grant. Their amounts are in millionths of a credit, and
       * the currency is that of the bills.
       */
      creditTypeId: nullable(text()),
      /** What the customer has paid for an expired part, in minor units; null on other entries, and for what was given. */
      breakageMinor: nullable(money()),
    },
    {
      ...byTenant,
      indexes: {
        balance_entries_customer: { columns: ['tenantAlias', 'customerId', 'currency', 'id'] },
        balance_entries_credits: { columns: ['tenantAlias', 'createdAt', 'id'], where: { kind: 'credit' } },
        balance_entries_customer_credits: {
          columns: ['tenantAlias', 'customerId', 'createdAt', 'id'],
          where: { kind: 'credit' },
        },
        balance_entries_grants: { columns: ['tenantAlias', 'createdAt', 'id'], where: { kind: 'grant' } },
        balance_entries_customer_grants: {
          columns: ['tenantAlias', 'customerId', 'createdAt', 'id'],
          where: { kind: 'grant' },
        },
        balance_entries_invoice: { columns: ['tenantAlias', 'invoiceId', 'id'] },
        balance_entries_credit: { columns: ['tenantAlias', 'creditId', 'id'] },
        // The credits that can still expire.
        balance_entries_expiring: {
          columns: ['tenantAlias', 'expiresAt', 'id'],
          where: { expiresAt: { isSet: true }, remainingMinor: { isPositive: true } },
        },
        balance_entries_breakage: {
          columns: ['tenantAlias', 'currency', 'createdAt', 'id'],
          where: { breakageMinor: { isSet: true } },
        },
      },
      foreign: [...tenantKey, { columns: ['tenantAlias', 'invoiceId'], table: 'invoices' }],
    },
  ),

  // Lines that wait for the next invoice of their customer or subscription.
};
