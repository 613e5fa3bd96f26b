/** The small print of document lines: its words and its numbers are of one language. */
import { expect, it } from 'vitest';
import { describeDetails } from '../../../src/billing/invoices/documentLines.ts';

const dayMs = 86_400_000;
const line = (explanation: object) => ({
  kind: 'PRORATION_CHARGE' as const,
  description: 'Pro',
  amountMinor: 30_794n,
  periodStart: '2026-01-24T14:24:00.000Z',
  periodEnd: '2026-02-01T00:00:00.000Z',
  explanation,
});
const share = { priceMinor: '129000', remainingMs: 7.4 * dayMs, totalMs: 31 * dayMs };
const tier = { upTo: null, quantity: '1500', unitAmount: '1.5', flatAmount: '0', amount: '2250' };

it.each([
  ['en', '7.4 of 31 days of 1,290.00 EUR', '1,500 × 1.50 EUR'],
  ['de', '7,4 von 31 Tagen zu 1.290,00 EUR', '1.500 × 1,50 EUR'],
  ['de-AT', '7,4 von 31 Tagen zu 1.290,00 EUR', '1.500 × 1,50 EUR'],
  ['ja', '7.4 of 31 days of 1,290.00 EUR', '1,500 × 1.50 EUR'],
  ['ar', 'الأيام: 7.4 من 31، بسعر 1,290.00 EUR', '1,500 × 1.50 EUR'],
  ['ar-EG', 'الأيام: ٧٫٤ من ٣١، بسعر ١٬٢٩٠٫٠٠ EUR', '١٬٥٠٠ × ١٫٥٠ EUR'],
  ['ar-MA', 'الأيام: 7,4 من 31، بسعر 1.290,00 EUR', '1.500 × 1,50 EUR'],
  ['he-IL', '7.4 מתוך 31 ימים, לפי 1,290.00 EUR', '1,500 × 1.50 EUR'],
])('in %s', (locale, shared, tiered) => {
  expect(describeDetails(line(share), 'eur', locale, false)).toEqual([shared]);
  const tiers = { model: 'graduated', quantity: 1500, tiers: [tier] };
  expect(describeDetails(line(tiers), 'eur', locale, false)).toEqual([tiered]);
});

it('writes Persian numbers in Persian digits, and in Latin ones where the locale asks for them', () => {
  expect(describeDetails(line(share), 'eur', 'fa', false)[0]).toMatch(/۷٫۴.*۳۱/);
  expect(describeDetails(line(share), 'eur', 'fa-u-nu-latn', false)[0]).toMatch(/7[.٫]4.*31/);
});
