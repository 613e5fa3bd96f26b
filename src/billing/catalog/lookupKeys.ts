/** Lookup keys: the tenant's own names of products, prices and coupons, accepted wherever their ids are. */
import * as z from 'zod';
import { refuse } from '../../lib/errors.ts';
import { hasIdForm, lookupKeyForm, mostLookupKeyCharacters } from '../../lib/ids.ts';
import { isGiven } from '../../lib/validation.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';

/** The tables whose records have a lookup key. A feature has its `key` instead. */
type KeyedTable = 'products' | 'prices' | 'coupons';

const lookupKey = z
  .string()
  .regex(
    lookupKeyForm,
    `must be 1 to ${mostLookupKeyCharacters} letters, digits and _.:-, and begin with a letter or digit`,
  )
  .refine((key) => !hasIdForm(key), 'must not have the form of an id');

/** The lookup key of an input: null removes it. */
export const lookupKeyInput = lookupKey.nullable().optional();

/** Whether a price takes the key from the one that has it. */
export const transferInput = z.boolean().nullish();

/** Refuses a key that another record has. Error: `lookup_key_exists` at `path`. */
export async function refuseTakenKey(
  unit: UnitOfWork,
  table: KeyedTable,
  key: string | null | undefined,
  { ownId, path = 'lookupKey' }: { ownId?: string; path?: string } = {},
): Promise<void> {
  if (!isGiven(key)) return;
  const holder = await unit.one(table, { lookupKey: key });
  // Records of an import may have ids of another form, which a key must not hide.
  const namesake = await unit.one(table, { id: key });
  if ((holder && holder.id !== ownId) || namesake)
    refuse('lookup_key_exists', { path, message: 'is the lookup key or the id of another record' });
}

/**
 * Makes a key free for a price: takes it from the price that has it if it is transferred, refuses it otherwise. Error:
 * `lookup_key_exists`.
 */
export async function takePriceKey(
  unit: UnitOfWork,
  { key, isTransferred }: { key: string | null | undefined; isTransferred: boolean },
  { ownId, causedBy, path = '' }: { ownId?: string; causedBy?: string; path?: string },
): Promise<void> {
  if (isGiven(key) && isTransferred) {
    const holder = await unit.one('prices', { lookupKey: key });
    if (holder && holder.id !== ownId)
      await unit.change('prices', holder, { lookupKey: null }, { ...(causedBy && { causedBy }) });
  }
  await refuseTakenKey(unit, 'prices', key, { ...(ownId && { ownId }), path: `${path}lookupKey` });
}
