/** The steps of a plan, and how errors of rules name the places of a file. */
import { isDeepStrictEqual } from 'node:util';
import { BillingError, refuse, type Issue } from '../lib/errors.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../tenancy/unitOfWork.ts';
import type { CatalogFile } from './schema.ts';
import type { CatalogState } from './state.ts';

type CatalogAction = 'create' | 'update' | 'replace' | 'retire' | 'restore';
type CatalogRecordType =
  | 'group'
  | 'meter'
  | 'feature'
  | 'product'
  | 'price'
  | 'entitlement'
  | 'coupon'
  | 'tax_rate'
  | 'tax_settings'
  | 'webhook_endpoint'
  | 'mail_template'
  | 'portal';

/** A change that a file asks for. */
export interface CatalogChange {
  action: CatalogAction;
  resource: CatalogRecordType;
  /** The lookup key, name or address; the id of a record without one. */
  key: string;
  /** The place in the file; null for what is absent from it. */
  path: string | null;
  /** The record that exists. */
  recordId: string | null;
  /** The fields that differ, before and after. */
  changes: Record<string, [unknown, unknown]>;
  /** The subscriptions that see the change, or keep what is retired; null where there are none to count. */
  subscribers: number | null;
}

/** The ids of what the file names, as they become known. */
export interface Names {
  groups: Map<string, string>;
  meters: Map<string, string>;
  products: Map<string, string>;
  coupons: Map<string, string>;
}

interface Step extends Omit<CatalogChange, 'subscribers' | 'recordId'> {
  /** The record that exists. */
  id: string | null;
  /** Which subscriptions see it. */
  seenBy?: { productId: string; priceId?: string };
  run: (unit: UnitOfWork, names: Names) => unknown;
}

/** What a section of a plan reads and adds to. */
export interface Planning {
  state: CatalogState;
  file: CatalogFile;
  names: Names;
  scope: TenantScope;
  /** The lookup keys of all prices of the file: a price whose key is elsewhere in it has moved to another product. */
  priceKeys: ReadonlySet<string>;
  steps: Step[];
  /** The steps that retire: performed last. */
  retirements: Step[];
}

/** The fields of two records that differ. */
export function compareFields(before: object, after: object): Record<string, [unknown, unknown]> {
  const [was, is] = [before, after] as Record<string, unknown>[];
  const fields = [...new Set([...Object.keys(was!), ...Object.keys(is!)])];
  return Object.fromEntries(
    fields
      .filter((field) => !isDeepStrictEqual(was![field] ?? null, is![field] ?? null))
      .map((field) => [field, [was![field] ?? null, is![field] ?? null]]),
  );
}

/** Whether a comparison found any field. */
export const differs = (changes: Record<string, unknown>): boolean => Object.keys(changes).length > 0;

/** Returns the issues of an error at the place of an entry; `rename` maps paths of the rule to fields of the file. */
function moveIssues(issues: readonly Issue[], path: string, rename: (field: string) => string): Issue[] {
  return issues.map((issue) => {
    const field = rename(issue.path);
    return { ...issue, path: field === '' ? path : `${path}.${field}` };
  });
}

const plain = (field: string) =>
  field.replace(/^prices\.0\.?/, '').replace(/\b(meter|creditType|group)Id\b/, '$1');

function refuseAt(error: unknown, path: string): never {
  if (!(error instanceof BillingError) || error.reason === 'unavailable') throw error;
  const issues = error.issues.length > 0 ? error.issues : [{ path: '', message: error.message }];
  return refuse(error.reason, ...moveIssues(issues, path, plain));
}

/** Runs a check; its errors name the entry at `path`. */
export function checkAt<T>(path: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    return refuseAt(error, path);
  }
}

/** Runs a rule; its errors name the entry at `path`. */
export async function performAt<T>(path: string, rule: () => T | Promise<T>): Promise<T> {
  try {
    return await rule();
  } catch (error) {
    return refuseAt(error, path);
  }
}

/** Refuses a reference of a file. Error: `validation_failed`. */
export const refuseReference = (path: string, message: string): never =>
  refuse('validation_failed', { path, message });

/**
 * Returns the record that an entry of a file means, by its id or its lookup key; undefined for one that is new. Error:
 * `validation_failed` for an id of no record, and for a lookup key of another one.
 */
export function findKeyed<Record_ extends { id: string; lookupKey: string | null }>(
  records: readonly Record_[],
  { id, lookupKey }: { id?: string; lookupKey?: string },
  path: string,
  noun: string,
): Record_ | undefined {
  const keyed = lookupKey === undefined ? undefined : records.find((each) => each.lookupKey === lookupKey);
  if (id === undefined) return keyed;
  const found = records.find((each) => each.id === id);
  if (!found) return refuseReference(`${path}.id`, `is not the id of a ${noun} of the tenant`);
  if (keyed && keyed.id !== id)
    return refuseReference(`${path}.lookupKey`, `is the lookup key of ${keyed.id}`);
  return found;
}

/** Marks an id that is known once its record has been created. */
const pending = 'new ';

/** Returns the id of a record of this name, or a mark for one that is going to be created. */
export const referTo = (names: Map<string, string>, name: string): string =>
  names.get(name) ?? `${pending}${name}`;

/** Whether a record is still to be created. */
export const isPending = (id: string): boolean => id.startsWith(pending);

/** Adds one step that creates, changes or retires. */
export function addStep(planning: Planning, step: Step): void {
  (step.action === 'retire' ? planning.retirements : planning.steps).push(step);
}
