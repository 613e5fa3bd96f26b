/** Prices of a file. Their terms are fixed: other terms are a new price, to which the lookup key moves. */
import { archivePrice, parsePrices, unarchivePrice, type PriceTerms } from '../billing/catalog/prices.ts';
import { createPrices } from '../billing/catalog/products.ts';

import { countDecimals, decimalText } from '../lib/money.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';
import {
  addStep,
  checkAt,
  compareFields,
  differs,
  findKeyed,
  performAt,
  type Names,
  type Planning,
} from './planning.ts';
import type { PriceEntry, ProductEntry } from './schema.ts';
import { findMeterId } from './usageParts.ts';

type PriceRow = Row<'prices'>;

const asText = (value: unknown) => (typeof value === 'number' ? String(value) : value);

/** Decimals may be numbers in a file; rules take them as text. */
function toText<Fields extends object>(fields: Fields, names: readonly (keyof Fields)[]): Fields {
  const texts = { ...fields };
  for (const name of names)
    if (texts[name] !== undefined) Object.assign(texts, { [name]: asText(texts[name]) });
  return texts;
}

/** Returns the input by which a rule creates the price of an entry. */
function toInput(planning: Planning, entry: PriceEntry, path: string): Record<string, unknown> {
  const { id: _, lookupKey: __, meter, ...fields } = entry;
  return {
    ...toText(fields, ['includedUnits']),
    ...(fields.tiers && {
      tiers: fields.tiers.map((tier) => toText(tier, ['upTo', 'unitAmount', 'flatAmount'])),
    }),
    ...(fields.rates && { rates: fields.rates.map((rate) => toText(rate, ['unitAmount'])) }),
    ...(fields.percentage && {
      percentage: toText(fields.percentage, [
        'percent',
        'fixedPerEvent',
        'freeAmount',
        'minPerEvent',
        'maxPerEvent',
      ]),
    }),
    ...(meter !== undefined && { meterId: findMeterId(planning, meter, `${path}.meter`) }),
  };
}

/** Writes the terms of a price as fields of a file; those that are the default are left out. */
export function writePriceTerms(
  price: PriceTerms,
  meterNames: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const { pricing, currency, executionDate, frequency, period } = price;
  const { usage } = pricing ?? {};
  const money = (minor: bigint | string) => ({ ...writeAmount(BigInt(minor), currency), currency });
  return {
    details: writeDetails(price),
    recurring: { frequency, period, ...(executionDate !== null && { executionDate }) },
    ...(pricing && { model: pricing.model }),
    ...(pricing && 'tiers' in pricing && { tiers: pricing.tiers }),
    ...(pricing?.model === 'package' && { packageSize: pricing.packageSize }),
    ...pickGiven({
      minQuantity: price.minQuantity,
      maxQuantity: price.maxQuantity,
      nickname: price.nickname,
      trialDays: price.trialDays,
      setupFee: price.setupFeeMinor === null ? null : money(price.setupFeeMinor),
      taxBehavior: price.taxBehavior,
    }),
    ...(usage && {
      meter: meterNames.get(usage.meterId) ?? usage.meterId,
      ...pickGiven({
        includedUnits: usage.includedUnits,
        minimumSpend: usage.minimumMinor && money(usage.minimumMinor),
        maximumSpend: usage.maximumMinor && money(usage.maximumMinor),
        rates: usage.rates,
      }),
    }),
    ...(pricing?.model === 'percentage' && { percentage: pricing.percentage }),
  };
}

const pickGiven = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));

function writeDetails({ pricing, amountMinor, currency }: PriceTerms) {
  if (pricing === null) return { ...writeAmount(amountMinor, currency), currency };
  const unit = 'unitAmount' in pricing ? pricing.unitAmount : '0';
  return unit === '0' ? { amount: 0, currency } : { decimal: unit, currency };
}

/** An amount in major units; as text if a number does not hold it exactly. */
export function writeAmount(minor: bigint, currency: string): { amount: number } | { decimal: string } {
  const decimal = decimalText(minor, currency);
  const amount = Number(decimal);
  return amount.toFixed(countDecimals(currency)) === decimal ? { amount } : { decimal };
}

const termColumns = [
  'amountMinor',
  'currency',
  'frequency',
  'period',
  'executionDate',
  'pricing',
  'minQuantity',
  'maxQuantity',
  'trialDays',
  'setupFeeMinor',
  'taxBehavior',
  'meterId',
] as const;

const pickTerms = (price: PriceTerms) =>
  Object.fromEntries(termColumns.map((column) => [column, price[column]]));

/** The product of prices: the record, or the entry of one that is going to be created. */
export interface Owner {
  entry: ProductEntry;
  path: string;
  row: Row<'products'> | undefined;
  findId: (names: Names) => string;
}

/** Plans the prices of a product. Errors: `validation_failed`, `amount_precision`, `currency_unsupported`. */
export function planPrices(planning: Planning, owner: Owner): void {
  const { entry: product, path, row: parent } = owner;
  if (!product.prices) return;
  const kept = new Set<string>();
  for (const [n, entry] of product.prices.entries()) {
    const found = planPrice(planning, owner, entry, `${path}.prices.${n}`);
    if (found) kept.add(found.id);
  }
  const keys = new Set(product.prices.map(({ lookupKey }) => lookupKey));
  for (const price of planning.state.prices)
    if (price.productId === parent?.id && !kept.has(price.id) && price.archivedAt === null)
      if (price.lookupKey !== null && !keys.has(price.lookupKey)) retirePrice(planning, price);
}

function retirePrice(planning: Planning, { id, productId, lookupKey }: PriceRow): void {
  if (planning.priceKeys.has(lookupKey!)) return;
  addStep(planning, {
    action: 'retire',
    resource: 'price',
    key: lookupKey ?? id,
    path: null,
    id,
    changes: { active: [true, false] },
    seenBy: { productId, priceId: id },
    run: (unit) => archivePrice(unit, id),
  });
}

/** Plans one price; returns the record that it is, if there is one. */
function planPrice(planning: Planning, owner: Owner, entry: PriceEntry, path: string): PriceRow | undefined {
  const { state } = planning;
  const { lookupKey } = entry;
  const input = toInput(planning, entry, path);
  const [terms] = checkAt(path, () =>
    parsePrices({ prices: [{ ...input, lookupKey }] }, state.tenant.timezone, false),
  ) as unknown as [PriceTerms];
  const found = findKeyed(planning.state.prices, entry, path, 'price');
  const meterNames = new Map(state.meters.map(({ id, name }) => [id, name]));
  if (entry.meter !== undefined) meterNames.set(String(input['meterId']), entry.meter);
  const wanted = writePriceTerms(terms, meterNames);
  const isSame =
    found?.productId === owner.row?.id &&
    found !== undefined &&
    !differs(compareFields(pickTerms(found), pickTerms(terms)));
  if (found && isSame) {
    planSmallChanges(planning, { found, entry, terms, path });
    return found;
  }
  const before = found ? writePriceTerms(found, meterNames) : {};
  addStep(planning, {
    action: found ? 'replace' : 'create',
    resource: 'price',
    key: lookupKey ?? found?.id ?? path,
    path,
    id: found?.id ?? null,
    changes: compareFields(before, wanted),
    ...(found && { seenBy: { productId: found.productId, priceId: found.id } }),
    run: (unit, names) =>
      performAt(path, async () => {
        const meterId = entry.meter === undefined ? undefined : names.meters.get(entry.meter);
        const price = {
          ...input,
          ...(meterId && { meterId }),
          lookupKey: lookupKey ?? found?.lookupKey,
          transferLookupKey: found !== undefined,
        };
        await createPrices(unit, owner.findId(names), [price]);
        if (found) await archivePrice(unit, found.id);
      }),
  });
  return found;
}

interface SamePrice {
  found: PriceRow;
  entry: PriceEntry;
  terms: PriceTerms;
  path: string;
}

/** What changes without a new price: the nickname, the lookup key, and that it was archived. */
function planSmallChanges(planning: Planning, { found, entry, terms, path }: SamePrice): void {
  const lookupKey = entry.lookupKey ?? found.lookupKey;
  const { nickname } = terms;
  const common = { resource: 'price' as const, key: lookupKey ?? found.id, path, id: found.id };
  const changes = compareFields(
    { lookupKey: found.lookupKey, nickname: found.nickname },
    { lookupKey, nickname },
  );
  if (differs(changes))
    addStep(planning, {
      ...common,
      action: 'update',
      changes,
      run: (unit) => changeNames(unit, found, { lookupKey, nickname }, path),
    });
  if (found.archivedAt !== null)
    addStep(planning, {
      ...common,
      action: 'restore',
      changes: { active: [false, true] },
      run: (unit) => performAt(path, () => unarchivePrice(unit, found.id)),
    });
}

const changeNames = (
  unit: UnitOfWork,
  price: PriceRow,
  names: Pick<PriceRow, 'lookupKey' | 'nickname'>,
  path: string,
) => performAt(path, () => unit.change('prices', price, names));
