/** Automatic top-ups: credit that is sold to a customer whenever less than a threshold is left. */
import * as z from 'zod';
import { formatDecimal } from '../../lib/decimal.ts';
import { BillingError, isTransient, notPositive, refuse } from '../../lib/errors.ts';
import { parseInstant, toLocalDate } from '../../lib/time.ts';
import { parseInput } from '../../lib/validation.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { readPage, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import type { SteppedTenant, TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { printedName } from '../../tenants/parties.ts';
import { amountInput, parseMoneyIn, parsePositive } from '../catalog/amounts.ts';
import { findCustomer } from '../customers/customers.ts';
import { computeUsable, defaultPriority } from '../pricing/credits.ts';
import { checkInterval, computeCycleStart } from '../pricing/schedule.ts';
import { checkVatIds } from '../tax/vatIdChecks.ts';
import { listAvailableCredits } from './credits.ts';
import { computeCreditPrice, nameAmount } from '../pricing/creditAmounts.ts';
import { findCreditType } from './creditTypes.ts';
import {
  calendarPeriod,
  creditAmount,
  isSinglePurpose,
  parseCreditAmount,
  parsePositiveCredits,
  refuseLargePrice,
  type CreditAmount,
} from './grantTerms.ts';
import { refuseManyCredits } from './grantedCredits.ts';
import type { InvoiceRow } from './invoices.ts';
import { chargeInvoice } from './oneOffPayments.ts';
import { recordTopUpEvent } from './topUpChecks.ts';
import { sellCredit } from './topUps.ts';

export type AutoTopUpRow = Row<'autoTopUps'>;

const mostInMonth = 100;

const newRule = z.object({
  customerId: z.string(),
  name: printedName,
  amount: amountInput.nullish(),
  threshold: amountInput.nullish(),
  credits: creditAmount.extend({ threshold: z.string() }).nullish(),
  costBasis: z.string().nullish(),
  monthlyLimit: z
    .number()
    .int('must be a whole number')
    .min(1, 'must be 1 or more')
    .max(mostInMonth, `must be at most ${mostInMonth}`),
  expiresAfter: calendarPeriod.nullish(),
});

type NewRule = z.output<typeof newRule>;

/**
 * Sets the automatic top-up of a customer for a currency or a credit type; it compares at once what is left. Errors:
 * `customer_not_found`, `credit_type_not_found`, `validation_failed`, `amount_precision`, `currency_unsupported`,
 * `currency_mismatch`.
 */
export async function setAutoTopUp(unit: UnitOfWork, input: unknown): Promise<AutoTopUpRow> {
  const rule = parseInput(newRule, input);
  const amount = parseCreditAmount(rule);
  const { currency, creditTypeId, amountMinor } = amount;
  const { id: customerId } = await findCustomer(unit, rule.customerId);
  if (creditTypeId !== null) await findCreditType(unit, creditTypeId, 'credits.creditTypeId');
  if (rule.expiresAfter) checkInterval(rule.expiresAfter, 'expiresAfter');
  const costBasis = parsePrice(rule, amount);
  const terms = {
    currency,
    name: rule.name,
    thresholdMinor: parseThreshold(rule, currency),
    amountMinor,
    costBasis,
    expiresAfter: rule.expiresAfter ?? null,
    monthlyLimit: rule.monthlyLimit,
    checkAt: unit.now,
  };
  const pool = creditTypeId ?? currency;
  const present = await unit.one('autoTopUps', { customerId, pool });
  if (present) return unit.change('autoTopUps', present, terms);
  const own = { id: unit.id('atu'), customerId, pool, creditTypeId, soldInMonth: 0 };
  const stamps = { createdAt: unit.now, updatedAt: unit.now };
  return unit.create('autoTopUps', { ...own, ...terms, ...stamps }, { causedBy: customerId });
}

function parseThreshold({ threshold, credits }: NewRule, currency: string): bigint {
  if (credits) {
    if (threshold)
      refuse('validation_failed', { path: 'threshold', message: 'must not be given beside credits' });
    return parsePositiveCredits(credits.threshold, 'credits.threshold');
  }
  if (!threshold) return refuse('validation_failed', { path: 'threshold', message: 'must be given' });
  const thresholdMinor = parseMoneyIn(threshold, currency, 'threshold');
  if (thresholdMinor <= 0n) refuse('validation_failed', { path: 'threshold', ...notPositive });
  return thresholdMinor;
}

/** Returns the price of a unit, at which the amount costs something. Error: `validation_failed`. */
function parsePrice({ costBasis }: NewRule, amount: CreditAmount): string {
  if (typeof costBasis !== 'string' && amount.creditTypeId !== null)
    refuse('validation_failed', { path: 'costBasis', message: 'must be given for credits' });
  const price = formatDecimal(parsePositive(costBasis ?? '1', 'costBasis'));
  refuseLargePrice(amount, price);
  if (computeCreditPrice(amount, price) <= 0n)
    refuse('validation_failed', { path: 'costBasis', message: 'must be more: the amount costs nothing' });
  return price;
}

/** Removes an automatic top-up; what it has sold stays. Error: `auto_top_up_not_found`. */
export async function removeAutoTopUp(unit: UnitOfWork, id: string): Promise<AutoTopUpRow> {
  const rule = await findAutoTopUp(unit, id);
  await unit.remove('autoTopUps', rule, { causedBy: rule.customerId });
  return rule;
}

/** Returns the automatic top-up with this id. Error: `auto_top_up_not_found`. */
export const findAutoTopUp = async (reads: Reads, id: string): Promise<AutoTopUpRow> =>
  (await reads.one('autoTopUps', { id })) ?? refuse('auto_top_up_not_found');

/** Lists the automatic top-ups; newest first by default. Error: `cursor_invalid`. */
export const listAutoTopUps = (tenant: TenantScope, args: PageArgs): Promise<Page<AutoTopUpRow>> =>
  readPage(
    tenant,
    { name: 'autoTopUps', table: 'autoTopUps', where: {}, request: {}, by: ['createdAt', 'id'] },
    args,
  );

/** Lists the automatic top-ups that are compared by an instant, the longest due first. */
export const listDueTopUps = async (reads: Reads, until: string, limit: number): Promise<AutoTopUpRow[]> =>
  reads.many('autoTopUps', { where: { checkAt: { to: until } }, orderBy: ['checkAt', 'id'], limit });

/**
 * Sells credit to customers who have less left than the threshold of their automatic top-up. Each sale is one unit of work, which
 * also ends the check: a crash or another server repeats a check, but no sale. Its charge is resumed like that of any one-off
 * invoice. Returns the number of checks.
 */
export async function topUpDue(tenant: SteppedTenant, until: string, limit: number): Promise<number> {
  const due = await listDueTopUps(tenant.read, until, limit);
  for (const { id, customerId } of due) {
    await checkVatIds(tenant, [customerId]);
    const invoice = await sell(tenant, id);
    if (invoice?.chargeStartedAt) await chargeInvoice(tenant, invoice, false);
  }
  return due.length;
}

/** Sells once if little is left. What is refused, such as one credit too many, is told, and waits for the next use. */
async function sell(tenant: SteppedTenant, id: string): Promise<InvoiceRow | undefined> {
  try {
    return await tenant.writeStep((unit) => sellIfLow(unit, id));
  } catch (error) {
    if (!(error instanceof BillingError) || isTransient(error.reason)) throw error;
    const { reason } = error;
    await tenant.writeStep(async (unit) => {
      const rule = await unit.one('autoTopUps', { id });
      if (!rule) return;
      await unit.change('autoTopUps', rule, { checkAt: null });
      const details = { autoTopUpId: id, invoiceId: null, reason };
      await recordTopUpEvent(unit, rule.customerId, 'credit_top_up_failed', details);
    });
    return undefined;
  }
}

async function sellIfLow(unit: UnitOfWork, id: string): Promise<InvoiceRow | undefined> {
  const rule = await unit.one('autoTopUps', { id });
  if (!rule || rule.checkAt === null || rule.checkAt > unit.now) return undefined;
  const { customerId, lastInvoiceId, monthlyLimit } = rule;
  const endCheck = (checkAt: string | null = null) => unit.change('autoTopUps', rule, { checkAt });
  if (!(await unit.one('customers', { id: customerId })) || !(await isLow(unit, rule))) {
    await endCheck();
    return undefined;
  }
  const last = lastInvoiceId === null ? undefined : await unit.one('invoices', { id: lastInvoiceId });
  // Its payment grants credit, and is compared then.
  if (last && last.status !== 'paid' && last.status !== 'void') {
    await endCheck();
    return undefined;
  }
  const month = toLocalDate(unit.now, unit.tenant.timezone).slice(0, 7);
  const sold = rule.month === month ? rule.soldInMonth : 0;
  if (sold >= monthlyLimit) {
    await endCheck(findNextMonth(month, unit.tenant.timezone));
    await recordTopUpEvent(unit, customerId, 'credit_top_up_limited', { autoTopUpId: id, monthlyLimit });
    return undefined;
  }
  const invoice = await sellOnce(unit, rule);
  await unit.change('autoTopUps', rule, {
    checkAt: null,
    lastInvoiceId: invoice.id,
    month,
    soldInMonth: sold + 1,
  });
  return invoice;
}

/** Whether less than the threshold is left of the pool, without credit for some charges only. */
async function isLow(reads: UnitOfWork, rule: AutoTopUpRow): Promise<boolean> {
  const credits = await listAvailableCredits(reads, rule.customerId, rule.currency);
  const left = credits
    .filter(({ creditTypeId, appliesTo }) => creditTypeId === rule.creditTypeId && appliesTo === null)
    .reduce((sum, credit) => sum + computeUsable(credit, reads.now), 0n);
  return left < rule.thresholdMinor;
}

async function sellOnce(unit: UnitOfWork, rule: AutoTopUpRow): Promise<InvoiceRow> {
  const { id, customerId, currency, creditTypeId, name, amountMinor, costBasis, expiresAfter } = rule;
  await refuseManyCredits(unit, customerId);
  const expiresAt = expiresAfter && computeCycleStart(unit.now, expiresAfter, unit.tenant.timezone, 1);
  const beforeTax = isSinglePurpose(unit.tenant, creditTypeId);
  const grant = { customerId, currency, creditTypeId, amountMinor, reason: name, costBasis, beforeTax };
  const terms = { category: 'paid' as const, priority: defaultPriority, expiresAt };
  const invoice = await sellCredit(unit, { ...grant, ...terms }, 'automatic', id);
  await recordTopUpEvent(unit, customerId, 'credit_topped_up', {
    autoTopUpId: id,
    invoiceId: invoice.id,
    ...nameAmount(rule),
    currency,
  });
  return invoice;
}

/** Returns the start of the month after one, such as `2026-12`. */
function findNextMonth(month: string, timeZone: string): string {
  const [year, number] = month.split('-').map(Number) as [number, number];
  const next = number === 12 ? `${year + 1}-01` : `${year}-${String(number + 1).padStart(2, '0')}`;
  return parseInstant(`${next}-01`, timeZone, 'checkAt');
}
