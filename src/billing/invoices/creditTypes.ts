/** Credit types: one pool of credits for the usage of several meters, each at its rate. */
import * as z from 'zod';
import { formatDecimal, parseDecimal } from '../../lib/decimal.ts';
import { notPositive, refuse } from '../../lib/errors.ts';
import { name, parseInput } from '../../lib/validation.ts';
import type { CreditRate } from '../../storage/model/creditTerms.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { keepForLimits } from '../usage/limitMeters.ts';
import { readPage, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';

export type CreditTypeRow = Row<'creditTypes'>;

const mostTypes = 100;
const mostRates = 50;

const rates = z
  .array(z.object({ meterId: z.string(), units: z.string().nullish(), credits: z.string() }))
  .min(1, 'must have a rate')
  .max(mostRates, `must have at most ${mostRates} rates`);

const newType = z.object({ name, rates });
const typeChanges = z.object({ name: name.nullish(), rates: rates.nullish() });

/** Creates a credit type. Errors: `meter_not_found`, `validation_failed`. */
export async function createCreditType(unit: UnitOfWork, input: unknown): Promise<CreditTypeRow> {
  const values = parseInput(newType, input);
  const others = await unit.many('creditTypes', { where: {}, limit: mostTypes });
  if (others.length === mostTypes)
    refuse('validation_failed', {
      path: 'name',
      message: `must not be more: there are ${mostTypes} credit types, the most there may be`,
    });
  return unit.create('creditTypes', {
    id: unit.id('cty'),
    name: values.name,
    rates: await parseRates(unit, values.rates),
    createdAt: unit.now,
    updatedAt: unit.now,
  });
}

/**
 * Changes the name or the rates of a credit type. Rates hold for every bill from then on, also for credits that were granted
 * before, and at once for limits that it counts. Errors: `credit_type_not_found`, `meter_not_found`, `validation_failed`.
 */
export async function updateCreditType(unit: UnitOfWork, id: string, input: unknown): Promise<CreditTypeRow> {
  const changes = parseInput(typeChanges, input);
  const type = await findCreditType(unit, id);
  const changed = changes.rates ? await parseRates(unit, changes.rates) : type.rates;
  if (changes.rates)
    await keepForLimits(
      unit,
      id,
      changed.map(({ meterId }) => meterId),
    );
  return unit.change('creditTypes', type, { name: changes.name ?? type.name, rates: changed });
}

async function parseRates(reads: Reads, given: z.output<typeof rates>): Promise<CreditRate[]> {
  const seen = new Set<string>();
  const parsed: CreditRate[] = [];
  for (const [index, { meterId, units, credits }] of given.entries()) {
    const path = `rates.${index}`;
    if (seen.has(meterId))
      refuse('validation_failed', {
        path: `${path}.meterId`,
        message: 'must not be the meter of another rate',
      });
    seen.add(meterId);
    if (!(await reads.one('meters', { id: meterId })))
      refuse('meter_not_found', { path: `${path}.meterId`, message: 'does not exist' });
    parsed.push({
      meterId,
      units: parseNumber(units ?? '1', `${path}.units`),
      credits: parseNumber(credits, `${path}.credits`),
    });
  }
  return parsed;
}

function parseNumber(text: string, path: string): string {
  const number = parseDecimal(text);
  if (!number)
    return refuse('validation_failed', {
      path,
      message: 'must be a decimal number with at most 12 decimals',
    });
  if (number.digits <= 0n) refuse('validation_failed', { path, ...notPositive });
  return formatDecimal(number);
}

/** Returns the credit type with this id. Error: `credit_type_not_found`. */
export const findCreditType = async (reads: Reads, id: string, path = 'id'): Promise<CreditTypeRow> =>
  (await reads.one('creditTypes', { id })) ??
  refuse('credit_type_not_found', { path, message: 'does not exist' });

/** Lists the credit types; newest first by default. Error: `cursor_invalid`. */
export const listCreditTypes = (tenant: TenantScope, args: PageArgs): Promise<Page<CreditTypeRow>> =>
  readPage(
    tenant,
    { name: 'creditTypes', table: 'creditTypes', where: {}, request: {}, by: ['createdAt', 'id'] },
    args,
  );

/** A credit with the rates of its type; without them it is an amount of money. */
export type RatedCredit = Row<'balanceEntries'> & { rates?: readonly CreditRate[] };

/** Adds the rates of their types to credits. Makes no query if none has a type. */
export async function addRates(reads: Reads, credits: Row<'balanceEntries'>[]): Promise<RatedCredit[]> {
  const id = [...new Set(credits.flatMap(({ creditTypeId }) => creditTypeId ?? []))];
  if (id.length === 0) return credits;
  const types = await reads.many('creditTypes', { where: { id } });
  const byId = new Map(types.map((type) => [type.id, type.rates]));
  return credits.map((credit) =>
    credit.creditTypeId === null ? credit : { ...credit, rates: byId.get(credit.creditTypeId) ?? [] },
  );
}
