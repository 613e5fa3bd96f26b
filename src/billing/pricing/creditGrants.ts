/**
 * Credit grants that lower a bill before its tax: which lines they lower, and by how much. Renewals, forecasts, final and one-off
 * bills, drafts and previews call these functions.
 */
import { leastOf } from '../../lib/money.ts';
import type { LineDiscount } from '../../storage/model/common.ts';
import type { CreditRate, CreditScope } from '../../storage/model/creditTerms.ts';
import type { ReservedCredit, ReservedGrant } from '../../storage/model/subscriptions.ts';
import { computeUsable, deductFromCredits, orderCredits, takeOff, type CreditLeft } from './credits.ts';
import { coverUsage } from './creditUnits.ts';
import { isDiscountable } from './discounts.ts';
import type { Line } from './invoiceLines.ts';

/** A credit grant, as bills read it. */
export interface Grant extends CreditLeft {
  id: string;
  /** The charges that it lowers; null for all. */
  appliesTo?: CreditScope | null;
  /** The rates of a grant in units of a credit type, whose remainder is in millionths of a credit. */
  rates?: readonly CreditRate[] | undefined;
}

/** What a payment in progress has reserved. */
type Reserved = { credits: (ReservedCredit | ReservedGrant)[] | null };

/** Lists the parts of grants that the lines of a bill use, as a payment reserves them. `grants` are those that it could use. */
export function reserveGrants(
  lines: { discounts?: LineDiscount[] | null }[],
  grants: Grant[],
): ReservedGrant[] {
  const uses = lines.flatMap(listLineUses);
  return grants.flatMap(({ id: creditId, appliesTo }): ReservedGrant[] => {
    const own = uses.filter((use) => use.creditId === creditId);
    if (own.length === 0) return [];
    const usedMinor = own.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
    return [{ creditId, amountMinor: String(usedMinor), ...(appliesTo && { appliesTo }) }];
  });
}

/** Lists the grants of a payment in progress, each with the part that it has reserved, in the order of their use. */
export const listReservedGrants = ({ credits }: Reserved): Grant[] =>
  (credits ?? [])
    .filter((each) => 'creditId' in each)
    .map(({ creditId, amountMinor, appliesTo }) => ({
      id: creditId,
      remainingMinor: BigInt(amountMinor),
      expiresAt: null,
      beforeTax: true,
      appliesTo: appliesTo ?? null,
    }));

/** Returns credits less what a payment in progress has reserved: parts of grants, and of the balance. */
export const deductReserved = <C extends CreditLeft>(
  credits: C[],
  { balanceMinor, ...reserved }: Reserved & { balanceMinor: bigint | null },
  at: string,
): C[] => {
  const discounts = listReservedGrants(reserved).map(({ id: creditId, remainingMinor }) => ({
    discountId: '',
    creditId,
    amountMinor: String(remainingMinor),
  }));
  return spendCredits(credits, { lines: [{ discounts }], balanceMinor: balanceMinor ?? 0n }, at);
};

/** What grants read of a line, and write to it. */
type Lowered = Pick<Line, 'kind' | 'amountMinor' | 'discounts' | 'priceId' | 'usageOf' | 'explanation'>;

/** Lists the credits that lower bills before tax, in the order of their use. */
export const listGrants = (credits: CreditLeft[]): Grant[] =>
  orderCredits(credits.filter((credit): credit is Grant => credit.beforeTax === true));

/**
 * Lowers the charges of a bill by grants at an instant, in the order of their use, each from its first line on. No line falls below
 * 0, nor does the sum of the bill: credit before tax never becomes balance. `mainPriceId` is the main price of the subscription.
 */
export function applyGrants<L extends Lowered>(
  lines: L[],
  grants: Grant[],
  at: string,
  mainPriceId?: string,
): L[] {
  const lowered = [...lines];
  let mostMinor = lines.reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
  for (const grant of grants) {
    let left = computeUsable(grant, at);
    for (const [index, line] of lowered.entries()) {
      if (!isCharged(line, grant.appliesTo, mainPriceId)) continue;
      const use = grant.rates ? coverUsage(line, left, grant.rates, mostMinor) : pay(line, left, mostMinor);
      if (!use) continue;
      lowered[index] = lower(line, grant.id, use);
      left -= use.credits ?? use.amountMinor;
      mostMinor -= use.amountMinor;
    }
  }
  return lowered;
}

/** What a grant takes off a line, and gives for it: money, or credits for units of usage. */
interface Use {
  amountMinor: bigint;
  units?: string;
  credits?: bigint;
}

/** Pays a line with money: as much as there is, and as the line and the bill need. */
function pay({ amountMinor }: Lowered, leftMinor: bigint, mostMinor: bigint): Use | undefined {
  const usedMinor = leastOf(leftMinor, amountMinor, mostMinor);
  return usedMinor > 0n ? { amountMinor: usedMinor } : undefined;
}

const lower = <L extends Lowered>(line: L, creditId: string, { amountMinor, units, credits }: Use): L => ({
  ...line,
  amountMinor: line.amountMinor - amountMinor,
  discounts: [
    ...(line.discounts ?? []),
    {
      discountId: '',
      creditId,
      amountMinor: String(amountMinor),
      ...(credits !== undefined && { units: units!, credits: String(credits) }),
    },
  ],
});

/** Whether a grant lowers a line: any charge, or one of its prices or meters. */
function isCharged(line: Lowered, appliesTo: CreditScope | null | undefined, mainPriceId?: string): boolean {
  if (!isDiscountable(line.kind)) return false;
  if (!appliesTo) return true;
  const { priceIds = [], meterIds = [] } = appliesTo;
  const priceId = findPrice(line, mainPriceId);
  return (
    (priceId !== undefined && priceIds.includes(priceId)) ||
    (line.usageOf !== undefined && meterIds.includes(line.usageOf.meterId))
  );
}

/** Returns the price of a line; none for a one-off charge. */
function findPrice({ kind, priceId, usageOf }: Lowered, mainPriceId?: string): string | undefined {
  if (kind === 'USAGE') return usageOf?.priceId;
  return kind === 'ITEM' ? undefined : (priceId ?? mainPriceId);
}

/** The use of a grant by a line. */
export interface LineUse {
  creditId: string;
  /** What it took off the line, in minor units. */
  amountMinor: bigint;
  /** What the grant gave for it: minor units, or millionths of a credit. */
  given: bigint;
  /** The units of usage that credits cover, and what they cost in millionths of a credit; absent for money. */
  units?: string | undefined;
  credits?: bigint | undefined;
}

/** Lists the uses of grants by a line. */
export const listLineUses = ({ discounts }: { discounts?: LineDiscount[] | null }): LineUse[] =>
  (discounts ?? []).flatMap(({ creditId, amountMinor, units, credits }) =>
    creditId === undefined
      ? []
      : [
          {
            creditId,
            amountMinor: BigInt(amountMinor),
            given: BigInt(credits ?? amountMinor),
            ...(credits !== undefined && { units, credits: BigInt(credits) }),
          },
        ],
  );

/** Returns credits with what a voided invoice returns to them. */
export function addReturned<C extends CreditLeft>(credits: C[], returned: C[]): C[] {
  const left = [...credits];
  for (const credit of returned) {
    const index = left.findIndex(({ id }) => id === credit.id);
    const remainingMinor = (left[index]?.remainingMinor ?? 0n) + credit.remainingMinor;
    if (index < 0) left.push(credit);
    else left[index] = { ...left[index]!, remainingMinor };
  }
  return left;
}

/** Returns credits less what a bill has used at an instant: grants on its lines, and the balance on its total. */
export function spendCredits<C extends CreditLeft>(
  credits: C[],
  { lines, balanceMinor }: { lines: { discounts?: LineDiscount[] | null }[]; balanceMinor: bigint },
  at: string,
): C[] {
  const used = new Map<string, bigint>();
  for (const { creditId, given } of lines.flatMap(listLineUses))
    used.set(creditId, (used.get(creditId) ?? 0n) + given);
  const left = deductFromCredits(credits, balanceMinor, at);
  if (used.size === 0) return left;
  return left.map((credit) => {
    const dueMinor = used.get(credit.id ?? '') ?? 0n;
    const usedMinor = leastOf(dueMinor, credit.beforeTax ? computeUsable(credit, at) : 0n);
    if (usedMinor === 0n) return credit;
    return takeOff(credit, usedMinor, at);
  });
}
