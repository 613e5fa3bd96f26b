/** What a bill of a customer contains besides the terms that it bills, gathered in one way for invoices and previews. */
import { listGivenDiscounts, listGivenDiscountsOfAll } from '../discounts/use.ts';
import { addReturned, listGrants, spendCredits } from '../pricing/creditGrants.ts';
import { orderCredits, sumUsable, type CreditLeft } from '../pricing/credits.ts';
import { selectDiscounts, spendDiscounts, type GivenDiscount } from '../pricing/discounts.ts';
import { listProductIds, type Agreement, type Line } from '../pricing/invoiceLines.ts';
import type { AppliedBalance, BillExtras } from '../pricing/nextInvoice.ts';
import { listKinds, readTaxBook, resolveTax, type TaxBook, type TaxingTenant } from '../tax/taxBook.ts';
import type { BillTax, AppliedBilling, DiscountTerms, ProductKind } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { listAvailableCredits, listReturnable } from './credits.ts';
import { addRates } from './creditTypes.ts';
import {
  findEndedSubscriptions,
  isBilledWith,
  listWaitingItems,
  toItemLine,
  waitingItem,
  type InvoiceItemRow,
} from './invoiceItems.ts';
import { findUnbilledSetupFee } from './setupFees.ts';
import { computeUsageBill, readUsageBill, type PlannedUsage } from './usageBill.ts';
import type { UsageBill } from './usagePeriods.ts';
import { shortenCharge } from './waitingCharges.ts';

/** The columns of a tenant that decide what its bills contain. */
export type BillingTenant = TaxingTenant & Pick<Row<'tenants'>, 'discountsSince' | 'invoiceItemsSince'>;

/** What pays, reduces and taxes the bills of a customer. */
interface Funds {
  customerId: string;
  /** By currency, in the order of their use. */
  credits: Map<string, CreditLeft[]>;
  discounts: GivenDiscount[];
  taxes: TaxBook | undefined;
}

/** The lines of a customer that wait for an invoice. */
interface WaitingLines {
  items: InvoiceItemRow[];
  /** The ended subscriptions for which some of them wait. */
  ended: ReadonlySet<string>;
}

/** What the bills of a customer take from, and use up. */
export type BillSources = Funds & WaitingLines;

/** What decides which part of the funds a bill takes. */
interface Charged {
  /** The subscription whose discounts apply; by default those of the customer. */
  subscriptionId?: string | undefined;
  currency: string;
  /** The products by which the tax is found. */
  productIds: string[];
  /** The kinds of its charges without a product. */
  kinds?: ProductKind[];
  /** The start of the billed period, which decides discounts and tax. */
  at: string;
  /** How the change that it pays for is billed. */
  billing?: AppliedBilling | null;
  /** The main price of the subscription, by which credit grants select its lines. */
  mainPriceId?: string | undefined;
}

/** Terms with the id of their main price, unless they are new. */
type PricedAgreement = Agreement & { priceId?: string };

/** The next invoice of a subscription. */
interface NextBill {
  /** Undefined for a subscription that an order starts. */
  subscriptionId: string | undefined;
  /** The terms that it bills. */
  terms: PricedAgreement;
  /** The start of its period. */
  at: string;
  paidAt: string;
  /** In minor units. */
  setupFeeMinor: bigint | null;
  /** The usage until its period begins. */
  usage: UsageBill | undefined;
}

/** What the next invoice of a subscription contains besides its period. */
interface GatheredBill extends BillExtras {
  items: Line[];
  /** The waiting items that it bills. */
  billed: InvoiceItemRow[];
  usage: UsageBill | undefined;
}

/** The bill of a change or an order, paid before the next invoice. */
export interface EarlierBill {
  at: string;
  lines: Line[];
  /** The amount that it uses from the balance, in minor units. */
  balanceMinor: bigint;
  /** The discount that it redeems. */
  redeemed?: GivenDiscount | undefined;
  /** The change that it pays for. */
  change?: Change | undefined;
  /** The periods of usage after it, if it has any. */
  usage?: PlannedUsage | undefined;
}

interface Change {
  effectiveAt: string;
  /** The amount that it adds to the balance, in minor units. */
  creditMinor: bigint;
  /** The waiting charges that it ends. */
  ended: InvoiceItemRow[];
  /** The lines that wait for the next invoice because of it. */
  waiting: Line[];
}

/**
 * Gathers what the next invoice of a subscription contains besides its period: the lines that wait for it, its set-up fee,
 * discounts, tax and balance. Renewals and previews of changes and orders call this function; `earlier` is the bill that
 * the change or order pays before. `subscription` is undefined if an order starts it, with `setupFeeMinor` left to bill.
 * `usage` is that of the subscription, if a batch has read it.
 */
export async function gatherBill(
  reads: Reads,
  tenant: BillingTenant,
  subscription: Row<'subscriptions'> | undefined,
  bill: {
    customerId: string;
    terms: PricedAgreement;
    at: string;
    paidAt: string;
    setupFeeMinor?: bigint | null;
  },
  earlier?: EarlierBill,
  known?: UsageBill,
): Promise<GatheredBill> {
  const { customerId, terms } = bill;
  const subscriptionId = subscription?.id;
  const usage = known ?? (await readUsage(reads, tenant, subscription, bill.at, earlier?.usage));
  const sources = await readSources(reads, tenant, {
    customerId,
    running: subscriptionId === undefined ? [] : [subscriptionId],
    currencies: [terms.currency],
    productIds: listBilledProducts(terms, usage),
  });
  const setupFeeMinor = subscription
    ? await findUnbilledSetupFee(reads, subscription)
    : (bill.setupFeeMinor ?? null);
  if (earlier) spendEarlier(sources, earlier, terms.currency, tenant.timezone);
  const gathered = takeBill(sources, { ...bill, subscriptionId, setupFeeMinor, usage });
  if (earlier?.change) gathered.items.push(...earlier.change.waiting);
  return gathered;
}

/** Returns the usage until an instant: of a subscription, or as it is after a change or an order. */
async function readUsage(
  reads: Reads,
  tenant: BillingTenant,
  subscription: Row<'subscriptions'> | undefined,
  until: string,
  planned: PlannedUsage | undefined,
): Promise<UsageBill | undefined> {
  if (planned) return computeUsageBill(reads, tenant, { ...planned, until });
  return subscription && readUsageBill(reads, tenant, subscription, until);
}

/** Lists the products of terms, and of the usage that is billed with them. */
export function listBilledProducts(terms: Agreement, usage: UsageBill | undefined): string[] {
  const products = listProductIds(terms);
  if (!usage || usage.lines.length === 0) return products;
  return [...new Set([...products, ...usage.lines.flatMap(({ productId }) => productId ?? [])])];
}

/** Takes from the sources what the next invoice of a subscription contains besides its period. */
export function takeBill(
  sources: BillSources,
  { subscriptionId, terms, at, paidAt, setupFeeMinor, usage }: NextBill,
): GatheredBill {
  const { currency } = terms;
  const billed = sources.items.filter((item) =>
    isBilledWith(item, subscriptionId ?? '', currency, sources.ended),
  );
  const productIds = listBilledProducts(terms, usage);
  const items = billed.map(toItemLine);
  const kinds = listKinds(items);
  const charged = { subscriptionId, currency, productIds, kinds, at, paidAt, mainPriceId: terms.priceId };
  if (usage) items.unshift(...usage.lines);
  return { ...takeExtras(sources, charged), items, billed, setupFeeMinor, usage };
}

/** Takes from the funds of a customer the discounts, the tax, the credit grants and the balance of a bill. */
export function takeExtras(
  funds: Funds,
  charged: Charged & { paidAt?: string },
): Pick<BillExtras, 'balanceMinor' | 'discounts' | 'tax' | 'grants'> {
  const credits = funds.credits.get(charged.currency) ?? [];
  const at = charged.paidAt ?? charged.at;
  return {
    ...takeTerms(funds, charged),
    grants: { list: listGrants(credits), at, mainPriceId: charged.mainPriceId },
    balanceMinor: sumUsable(credits, at),
  };
}

/** Takes from the funds of a customer the discounts and the tax of a bill. */
export const takeTerms = (
  { customerId, discounts, taxes }: Pick<Funds, 'customerId' | 'discounts' | 'taxes'>,
  { subscriptionId, currency, productIds, kinds, at, billing }: Charged,
): { discounts: DiscountTerms[]; tax: BillTax | undefined } => ({
  discounts: selectDiscounts(discounts, { subscriptionId, currency, at, billing }),
  tax: resolveTax(taxes, { customerId, productIds, kinds, currency, at }),
});

/** A paid bill, with what it takes from the credits, the balance and the waiting items of its customer. */
interface SpentBill extends Pick<AppliedBalance, 'lines' | 'balanceMinor' | 'surplusMinor'> {
  currency: string;
  /** The start of its period. */
  at: string;
  paidAt: string;
  billed: InvoiceItemRow[];
}

/** Uses up the credits, discounts and items of a bill, and adds its surplus to the balance. */
export function spendSources(
  sources: BillSources,
  { lines, balanceMinor, surplusMinor, currency, at, paidAt, billed }: SpentBill,
  timeZone: string,
): void {
  const left = spendCredits(sources.credits.get(currency) ?? [], { lines, balanceMinor }, paidAt);
  const added = surplusMinor > 0n ? [{ remainingMinor: surplusMinor, expiresAt: null }] : [];
  sources.credits.set(currency, [...left, ...added]);
  sources.discounts = spendDiscounts(sources.discounts, lines, at, timeZone);
  if (billed.length > 0) sources.items = sources.items.filter((item) => !billed.includes(item));
}

function spendEarlier(
  sources: BillSources,
  { at, lines, balanceMinor, redeemed, change }: EarlierBill,
  currency: string,
  timeZone: string,
): void {
  if (redeemed) sources.discounts = [...sources.discounts, redeemed];
  const surplusMinor = change?.creditMinor ?? 0n;
  const spent = { lines, balanceMinor, surplusMinor, currency, at, paidAt: at, billed: [] };
  spendSources(sources, spent, timeZone);
  if (change) sources.items = shortenItems(sources.items, change);
}

/** Shortens the waiting charges that a change ends to the time before it, and drops those that begin there. */
function shortenItems(items: InvoiceItemRow[], { ended, effectiveAt }: Change): InvoiceItemRow[] {
  const ids = new Set(ended.map(({ id }) => id));
  return items.flatMap((item) => {
    if (!ids.has(item.id)) return [item];
    return item.periodStart < effectiveAt ? [{ ...item, ...shortenCharge(item, effectiveAt) }] : [];
  });
}

interface Sought {
  customerId: string;
  currencies: string[];
  productIds: string[];
}

/** Reads what the bills of a customer take from. `running` are subscriptions that are known to run. */
export async function readSources(
  reads: Reads,
  tenant: BillingTenant,
  { running, ...sought }: Sought & { running: string[] },
): Promise<BillSources> {
  const waiting = await readWaitingLines(reads, tenant, sought.customerId, running);
  return { ...waiting, ...(await readFunds(reads, tenant, sought)) };
}

/**
 * Reads the lines of a customer that wait for an invoice, oldest first. Makes no query if the tenant never had any, and none
 * for the subscriptions that are known to run.
 */
export async function readWaitingLines(
  reads: Reads,
  { invoiceItemsSince }: Pick<BillingTenant, 'invoiceItemsSince'>,
  customerId: string,
  running: string[] = [],
): Promise<WaitingLines> {
  if (invoiceItemsSince === null) return { items: [], ended: new Set() };
  const items = await listWaitingItems(reads, customerId);
  const others = items.filter(({ subscriptionId }) => !running.includes(subscriptionId ?? ''));
  return { items, ended: await findEndedSubscriptions(reads, others) };
}

/**
 * Reads what pays, reduces and taxes bills of a customer for these products. `voided` is an invoice that is voided first, at
 * an instant: the discounts and the balance that it took are available again.
 */
export async function readFunds(
  reads: Reads,
  tenant: BillingTenant,
  { customerId, currencies, productIds }: Sought,
  voided?: { invoice: Row<'invoices'>; at: string },
): Promise<Funds> {
  const discounts = await listGivenDiscounts(reads, tenant, customerId, voided?.invoice.id);
  const credits = new Map<string, CreditLeft[]>();
  for (const currency of currencies)
    credits.set(currency, await listAvailableCredits(reads, customerId, currency));
  const freed = voided && credits.get(voided.invoice.currency);
  if (voided && freed) {
    const returned = await listReturnable(reads, voided.invoice, voided.at);
    credits.set(voided.invoice.currency, addReturned(freed, returned));
  }
  const taxes = await readTaxBook(reads, tenant, [customerId], productIds);
  return { customerId, credits, discounts, taxes };
}

/** Reads what the bills of many customers take from, by customer. Payments in progress reserve nothing. */
export async function readSourcesOfAll(
  reads: Reads,
  tenant: BillingTenant,
  customerIds: string[],
  productIds: string[],
): Promise<Map<string, BillSources>> {
  const credits = await reads.many('balanceEntries', {
    where: { customerId: customerIds, remainingMinor: { after: 0n } },
    orderBy: ['id'],
  });
  const items = await reads.many('invoiceItems', {
    where: { customerId: customerIds, ...waitingItem },
    orderBy: ['id'],
  });
  const ended = await findEndedSubscriptions(reads, items);
  const discounts = await listGivenDiscountsOfAll(reads, tenant, customerIds);
  const taxes = await readTaxBook(reads, tenant, customerIds, productIds);
  const sources = new Map<string, BillSources>(
    customerIds.map((customerId) => [
      customerId,
      { customerId, credits: new Map(), items: [], ended, discounts: discounts.get(customerId)!, taxes },
    ]),
  );
  for (const credit of orderCredits(await addRates(reads, credits))) {
    const own = sources.get(credit.customerId)!.credits;
    own.set(credit.currency, [...(own.get(credit.currency) ?? []), credit]);
  }
  for (const item of items) sources.get(item.customerId)!.items.push(item);
  return sources;
}
