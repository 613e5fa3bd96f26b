/** The price of a line as EN 16931 wants it: net amount (BT-131) = quantity × net price − allowances + charges. */
import {
  compareDecimals,
  formatDecimal,
  multiplyDecimals,
  parseDecimal,
  type ExactDecimal,
} from '../lib/decimal.ts';
import { divideRoundHalfUp } from '../lib/money.ts';
import { formatAmount } from './en16931.ts';
import { core, type Profile } from './profiles.ts';
import type { DocumentLine, DocumentRecord } from './record.ts';

/** Decimals; the price is never negative (BR-27), so that a credit has a negative quantity. */
export interface LinePrice {
  quantity: string;
  unitPrice: string;
  adjustments: LineAdjustment[];
}

/** An allowance (BG-27), or a charge (BG-28) for a discount that a credit takes back; above 0, in minor units. */
export interface LineAdjustment {
  isCharge: boolean;
  amountMinor: bigint;
  /** The name of the discount, and a code of UNTDID 5189 (95: discount) or 7161 (ZZZ: as agreed). */
  reason: string;
  reasonCode: '95' | 'ZZZ';
}

type Currency = Pick<DocumentRecord, 'currencyDecimals'>;
type Decimals = Pick<Profile, 'priceDecimals' | 'quantityDecimals'>;

/**
 * Returns the price of a line: as listed, with its discounts as allowances. If that does not give the net amount, as when
 * prices contain the tax, or if the profile has fewer decimals, it is the net amount divided by the quantity, and the quantity
 * is 1 if no decimal is exact enough.
 */
export const findLinePrice = (line: DocumentLine, currency: Currency, decimals: Decimals = core): LinePrice =>
  priceAsListed(line, currency, decimals) ??
  divideNet(line, currency, decimals) ??
  priceAsOne(line, currency);

/** Whether a decimal has at most so many places behind the point, without zeros at its end. */
const fits = (value: ExactDecimal, most: number): boolean =>
  (formatDecimal(value).split('.')[1]?.length ?? 0) <= most;

function priceAsListed(
  line: DocumentLine,
  { currencyDecimals }: Currency,
  { priceDecimals, quantityDecimals }: Decimals,
): LinePrice | null {
  const [quantity, unitPrice] = [parseDecimal(line.quantity), parseDecimal(line.unitPrice)];
  if (!quantity || !unitPrice) return null;
  if (!fits(quantity, quantityDecimals) || !fits(unitPrice, priceDecimals)) return null;
  const list: ExactDecimal = { digits: BigInt(line.listMinor), scale: currencyDecimals };
  if (compareDecimals(multiplyDecimals(quantity, unitPrice), list) !== 0) return null;
  const discounts = line.discounts.map(({ name, amountMinor }) => ({
    name,
    amountMinor: BigInt(amountMinor),
  }));
  const netMinor = discounts.reduce((net, { amountMinor }) => net - amountMinor, list.digits);
  if (netMinor !== BigInt(line.netMinor)) return null;
  const isCredit = unitPrice.digits < 0n;
  return {
    quantity: formatDecimal(isCredit ? negate(quantity) : quantity),
    unitPrice: formatDecimal(isCredit ? negate(unitPrice) : unitPrice),
    adjustments: discounts
      .filter(({ amountMinor }) => amountMinor !== 0n)
      .map(({ name, amountMinor }) => ({
        isCharge: amountMinor < 0n,
        amountMinor: amountMinor < 0n ? -amountMinor : amountMinor,
        reason: name,
        reasonCode: amountMinor < 0n ? 'ZZZ' : '95',
      })),
  };
}

/** Looks for the exact price of a unit, else for the shortest one that gives the net amount, rounded to the currency. */
function divideNet(
  line: DocumentLine,
  { currencyDecimals }: Currency,
  { priceDecimals, quantityDecimals }: Decimals,
): LinePrice | null {
  const given = parseDecimal(line.quantity);
  if (!given || given.digits === 0n || !fits(given, quantityDecimals)) return null;
  const quantity = given.digits < 0n ? negate(given) : given;
  const signedMinor = BigInt(line.netMinor);
  const netMinor = signedMinor < 0n ? -signedMinor : signedMinor;
  const unitPrice = findUnitPrice(netMinor, quantity, currencyDecimals, priceDecimals);
  if (!unitPrice) return null;
  return {
    quantity: formatDecimal(signedMinor < 0n ? negate(quantity) : quantity),
    unitPrice: formatDecimal(unitPrice),
    adjustments: [],
  };
}

function findUnitPrice(
  netMinor: bigint,
  quantity: ExactDecimal,
  decimals: number,
  finest: number,
): ExactDecimal | null {
  const unit = 10n ** BigInt(quantity.scale);
  let shortest: ExactDecimal | null = null;
  for (let scale = decimals; scale <= finest; scale += 1) {
    const finer = 10n ** BigInt(scale - decimals);
    const digits = divideRoundHalfUp(netMinor * finer * unit, quantity.digits);
    const product = digits * quantity.digits;
    if (product === netMinor * finer * unit) return { digits, scale };
    if (divideRoundHalfUp(product, finer * unit) === netMinor) shortest ??= { digits, scale };
  }
  return shortest;
}

const priceAsOne = ({ netMinor }: DocumentLine, currency: Currency): LinePrice => ({
  quantity: netMinor.startsWith('-') ? '-1' : '1',
  unitPrice: formatAmount(netMinor.replace('-', ''), currency),
  adjustments: [],
});

const negate = ({ digits, scale }: ExactDecimal): ExactDecimal => ({ digits: -digits, scale });
