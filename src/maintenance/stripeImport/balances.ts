import { grantOpeningCredit } from '../../billing/invoices/credits.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { parseCurrency, formatMoney, toMajor } from '../../lib/money.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import type { ImportReport } from './importReport.ts';
import type { StripeCustomer } from './records.ts';

/**
 * Imports a customer's credit balance, once. Reports, but does not import, debts (Stripe would add them to the next
 * invoice) and credit that Stripe would use because one of the customer's subscriptions stays there.
 */
export async function importBalances(
  unit: UnitOfWork,
  { id: stripeId, balances }: StripeCustomer,
  customer: Row<'customers'>,
  isStaying: boolean,
  report: ImportReport,
): Promise<void> {
  const reportLoss = (why: string) =>
    void report.lost.push({ stripeId, kind: 'balance', field: 'balance', why });
  for (const { currency: code, creditMinor } of balances) {
    const currency = parseCurrency(code, 'currency');
    if (creditMinor < 0n) {
      reportLoss(`owes ${formatMoney(-creditMinor, currency)}, which Stripe would add to the next invoice`);
      continue;
    }
    const earlier = await unit.one('balanceEntries', { customerId: customer.id, currency, invoiceId: null });
    if (earlier) continue;
    const credit = `has ${formatMoney(creditMinor, currency)} of credit`;
    if (isStaying || customer.metadata['stripeId'] !== stripeId) {
      reportLoss(
        isStaying
          ? `${credit}, and a subscription that stays with Stripe`
          : `${credit}, and was here already`,
      );
      continue;
    }
    await grantOpeningCredit(unit, customer, { currency, amountMinor: creditMinor });
    const amount = toMajor(creditMinor, currency);
    report.credits.push({ stripeId, customer: customer.email, amount, currency });
  }
}
