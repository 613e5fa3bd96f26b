/** One event as a client sends it: what it may contain, and when two are the same. */
import { parseDecimal, type ExactDecimal } from '../../lib/decimal.ts';
import { BillingError, type Reason } from '../../lib/errors.ts';
import { parseInstant } from '../../lib/time.ts';
import { isExactNumber, isGiven } from '../../lib/validation.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { UsageProperties } from '../../storage/model/usage.ts';

/** An event of a request, before it is checked. */
export interface UsageEventInput {
  id: string;
  event: string;
  customerId?: string | null;
  associatedId?: string | null;
  at?: string | null;
  properties?: Record<string, unknown> | null;
}

/** An event whose form is right. */
export interface GivenEvent {
  index: number;
  eventId: string;
  event: string;
  customerId: string | null;
  associatedId: string | null;
  /** Undefined for the time of receipt. */
  at: string | undefined;
  properties: UsageProperties;
}

/** Why an event is not counted. */
export interface UsageRefusal {
  index: number;
  reason: Reason;
  path: string;
  message: string;
}

const longestId = 255;
const longestName = 100;
const mostProperties = 50;
const longestText = 500;
/** Names that are no data in JavaScript; clients that copy objects would lose them. */
const forbiddenNames: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Whether no event may have a property of this name. */
export const isForbiddenName = (name: string): boolean => forbiddenNames.has(name);

type Fault = [path: string, message: string];

/** Checks the form of an event; the first fault refuses it. */
export function readEvent(
  input: UsageEventInput,
  index: number,
  timeZone: string,
): GivenEvent | UsageRefusal {
  const { id, event, customerId, associatedId, properties } = input;
  const fault =
    findTextFault('id', id, longestId) ??
    findTextFault('event', event, longestName) ??
    findCustomerFault(customerId, associatedId) ??
    (isGiven(properties) ? findPropertyFault(properties) : undefined);
  if (fault) return refuseEvent(index, ...fault);
  let at: string | undefined;
  try {
    at = isGiven(input.at) ? parseInstant(input.at, timeZone, 'at') : undefined;
  } catch (error) {
    if (!(error instanceof BillingError)) throw error;
    return refuseEvent(index, 'at', error.issues[0]?.message ?? 'must be an instant');
  }
  return {
    index,
    eventId: id,
    event,
    customerId: customerId ?? null,
    associatedId: associatedId ?? null,
    at,
    properties: (properties ?? {}) as UsageProperties,
  };
}

/** Refuses an event of a request. */
export const refuseEvent = (
  index: number,
  path: string,
  message: string,
  reason: Reason = 'validation_failed',
): UsageRefusal => ({ index, reason, path: `events.${index}.${path}`, message });

function findTextFault(path: string, text: string, most: number): Fault | undefined {
  if (text.length === 0) return [path, 'must not be empty'];
  if (text.length > most) return [path, `must be at most ${most} characters`];
  return undefined;
}

function findCustomerFault(
  customerId: string | null | undefined,
  associatedId: string | null | undefined,
): Fault | undefined {
  if (!isGiven(customerId) && !isGiven(associatedId)) return ['customerId', 'must be given, or associatedId'];
  if (isGiven(customerId) && isGiven(associatedId))
    return ['associatedId', 'must not be given beside customerId'];
  return isGiven(associatedId) ? findTextFault('associatedId', associatedId, longestId) : undefined;
}

function findPropertyFault(properties: Record<string, unknown>): Fault | undefined {
  const names = Object.keys(properties);
  if (names.length > mostProperties) return ['properties', `must have at most ${mostProperties} keys`];
  for (const name of names) {
    if (name.length === 0 || name.length > longestName)
      return ['properties', `must have keys of 1 to ${longestName} characters`];
    if (isForbiddenName(name)) return ['properties', `must not have the key ${name}`];
    const message = findValueFault(properties[name]);
    if (message) return [`properties.${name}`, message];
  }
  return undefined;
}

function findValueFault(value: unknown): string | undefined {
  if (value === null || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'must be a finite number';
  if (typeof value !== 'string') return 'must be text, a number, true, false or null';
  return value.length > longestText ? `must be text of at most ${longestText} characters` : undefined;
}

/** Returns a property as a decimal; undefined if it is none with at most 18 digits before the point and 12 after it. */
export function readValue(value: UsageProperties[string]): ExactDecimal | undefined {
  if (typeof value === 'string') return parseDecimal(value);
  if (typeof value !== 'number') return undefined;
  const text = String(value);
  if (!text.includes('e-')) return parseDecimal(text);
  // Below 0.000001 JavaScript writes an exponent.
  const fixed = value.toFixed(12);
  return Number(fixed) === value ? parseDecimal(fixed) : undefined;
}

const exactDigits = 15;

/**
 * Whether a number may differ from what the client wrote: JavaScript reads JSON's numbers exactly if they have at most 15 digits, or
 * are whole and below 2^53.
 */
export function isInexact(value: UsageProperties[string]): boolean {
  if (typeof value !== 'number') return false;
  if (Number.isInteger(value)) return !isExactNumber(value);
  const [digits] = String(Math.abs(value)).replace('.', '').replace(/^0+/, '').split('e');
  return digits!.length > exactDigits;
}

/** Whether an event says the same as the one that was received with its id. `customerId` is that of its customer, if known. */
export function isSameEvent(
  given: GivenEvent,
  customerId: string | null,
  known: Pick<Row<'usageEvents'>, 'event' | 'customerId' | 'associatedId' | 'at' | 'properties'>,
): boolean {
  const isSameCustomer =
    known.customerId === null ? known.associatedId === given.associatedId : known.customerId === customerId;
  return (
    isSameCustomer &&
    known.event === given.event &&
    (given.at === undefined || given.at === known.at) &&
    haveSameProperties(given.properties, known.properties)
  );
}

function haveSameProperties(a: UsageProperties, b: UsageProperties): boolean {
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  return names.every((name) => Object.hasOwn(b, name) && a[name] === b[name]);
}
