import { quotedTexts } from '../../billing/customers/customers.ts';
import { addMs } from '../../lib/time.ts';
import type { MailFacts } from './facts.ts';
import { dayMs } from '../../lib/durations.ts';

/** Returns the facts of an invented customer, for previews and tests. */
export function buildSampleFacts(now: string, currency = 'eur'): Omit<MailFacts, 'merchant'> {
  const inDays = (days: number) => addMs(now, days * dayMs);
  return {
    customer: quotedTexts,
    invoice: {
      number: 'INV-2026-0042',
      totalMinor: 2380n,
      currency,
      issuedAt: now,
      dueAt: inDays(14),
    },
    subscription: {
      product: 'Pro',
      price: { amountMinor: 2000n, currency },
      frequency: 'Monthly',
      period: 1,
      renewsAt: inDays(30),
      endsAt: now,
      startsAt: now,
      trialEndsAt: inDays(3),
      changesAt: inDays(30),
      pausedAt: now,
      resumesAt: inDays(60),
    },
    payment: { declineCode: 'insufficient_funds', nextAttemptAt: inDays(2) },
    method: { type: 'card', brand: 'visa', last4: '4242', expiresAt: inDays(30) },
    refund: { amountMinor: 1190n, currency },
    creditNote: {
      number: 'CN-2026-0007',
      totalMinor: 1190n,
      currency,
      issuedAt: now,
      reason: 'Goodwill',
    },
    usage: {
      feature: 'API requests',
      percent: 80,
      used: '8000',
      limit: '10000',
      resetsAt: inDays(12),
    },
    spend: { amountMinor: 5000n, spentMinor: 5120n, currency, resetsAt: inDays(12) },
    credit: {
      name: 'Prepaid credit',
      amount: { amountMinor: 10_000n, currency, typeName: null },
      left: { amountMinor: 2000n, currency, typeName: null },
      expiresAt: inDays(90),
    },
    bank: {
      accountHolder: 'Example Ltd',
      iban: 'DE89370400440532013000',
      accountNumber: null,
      bic: 'COBADEFFXXX',
      bankName: 'Example Bank',
      reference: 'RF18000042',
    },
    code: { code: '12345678', expiresAt: addMs(now, 600_000) },
  };
}
