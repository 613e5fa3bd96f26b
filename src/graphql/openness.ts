import type { GraphQLField, GraphQLInputField } from 'graphql';
import { BillingError } from '../lib/errors.ts';
import type { PortalPart } from '../storage/model/common.ts';
import type { Audience } from '../tenancy/apiKeyCache.ts';

type Extended = Pick<GraphQLField<unknown, never> | GraphQLInputField, 'extensions'>;

const key = 'openTo';

/** Declares, as an extension, which credentials of browsers may select a field. Fields without it are closed to them. */
export const openTo = (...audiences: Audience[]) => ({ [key]: audiences });

/** Declares a field as open to all credentials of browsers. */
export const openToBrowsers = openTo('publishable', 'customer');

/** Declares a field as open to customers. */
export const openToCustomers = openTo('customer');

const partKey = 'portalPart';

/** Declares a field as open to customers while the tenant's portal has the part. */
export const openInPortal = (part: PortalPart) => ({ ...openToCustomers, [partKey]: part });

/** Returns the part of the portal that a field belongs to, if any. */
export const findPortalPart = ({ extensions }: Extended): PortalPart | undefined =>
  extensions[partKey] as PortalPart | undefined;

/** Whether a credential of a browser may select a field. */
export const isOpenTo = ({ extensions }: Extended, audience: Audience): boolean =>
  (extensions[key] as readonly Audience[] | undefined)?.includes(audience) ?? false;

/** Builds the error of a field, an argument or a route that is closed to browsers. */
export const buildClosedError = (path: string): BillingError =>
  new BillingError('closed_to_browsers', [{ path, message: 'is closed to credentials of browsers' }]);

/** Refuses a field, an argument or a route. Error: `closed_to_browsers`. */
export function refuseClosed(path: string): never {
  throw buildClosedError(path);
}

/**
 * Refuses arguments that are not declared as open: a name stands for the whole argument, `input.quantity` for a field of an
 * input. Error: `closed_to_browsers`.
 */
export function refuseClosedArguments(open: readonly string[], args: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(args)) {
    if (value === undefined || open.includes(name)) continue;
    const isInput = open.some((path) => path.startsWith(`${name}.`));
    if (!isInput || typeof value !== 'object' || value === null) return refuseClosed(name);
    for (const field of Object.keys(value))
      if (!open.includes(`${name}.${field}`)) refuseClosed(`${name}.${field}`);
  }
}
