import type { Row } from '../../storage/model/rowTypes.ts';
import { groupBy } from '../../lib/groupBy.ts';
import type { Books } from './auditSnapshot.ts';
import { isOfOtherSubscription } from './auditItems.ts';
import { isPeriodLine } from '../payments/returns.ts';
import { isUnpaid } from '../invoices/invoices.ts';

type Blame = (subject: string, found: string) => void;

/**
 * Checks trials and set-up fees: a trial ends at the first billing date and bills no period before its end, and a
 * subscription charges its fee at most once, as it was agreed to.
 */
export function auditTrials(books: Books, blame: Blame): void {
  for (const subscription of books.subscriptions) {
    auditTrial(books, subscription, blame);
    auditSetupFee(books, subscription, blame);
  }
}

function auditTrial(books: Books, subscription: Row<'subscriptions'>, blame: Blame): void {
  const { id, startsAt, firstBillingDate, trialEndsAt, trialEndAnnouncedAt } = subscription;
  if (trialEndsAt === null) {
    if (trialEndAnnouncedAt !== null) blame(id, 'has no trial, but its end was announced');
    return;
  }
  if (trialEndsAt < startsAt) blame(id, `its trial ends ${trialEndsAt}, before it starts at ${startsAt}`);
  if (firstBillingDate !== trialEndsAt)
    blame(id, `bills first at ${firstBillingDate}, but its trial ends ${trialEndsAt}`);
  const early = books
    .listInvoices(id)
    .flatMap((invoice) => books.listLines(invoice.id))
    .filter((line) => isPeriodLine(line) && line.periodStart < trialEndsAt)
    .find((line) => !isOfOtherSubscription(books, id, line));
  if (early)
    blame(early.id, `bills a period from ${early.periodStart}, before the trial ends ${trialEndsAt}`);
}

function auditSetupFee(books: Books, { id }: Row<'subscriptions'>, blame: Blame): void {
  const isOwed = (invoice: Row<'invoices'>) => isUnpaid(invoice) || invoice.status === 'paid';
  const fees = books
    .listInvoices(id)
    .filter(isOwed)
    .flatMap((invoice) => books.listLines(invoice.id))
    .filter(({ kind }) => kind === 'SETUP_FEE');
  for (const [priceId, own] of groupBy(fees, (line) => line.priceId ?? ''))
    if (own.length > 1) blame(id, `charges ${own.length} set-up fees ${priceId && `of ${priceId}`}`.trim());
  const intents = books.listIntents(id);
  const listAgreed = (priceId: string | null) =>
    priceId === null
      ? intents.map(({ setupFeeMinor }) => setupFeeMinor)
      : intents.flatMap(({ addOns }) =>
          (addOns ?? [])
            .filter((addOn) => addOn.priceId === priceId && addOn.setupFeeMinor !== undefined)
            .map(({ setupFeeMinor }) => BigInt(setupFeeMinor!)),
        );
  for (const { id: lineId, priceId, explanation } of fees) {
    const feeMinor = BigInt(String(explanation['priceMinor']));
    if (!listAgreed(priceId).includes(feeMinor))
      blame(lineId, `nobody agreed to a set-up fee of ${feeMinor}`);
  }
}
