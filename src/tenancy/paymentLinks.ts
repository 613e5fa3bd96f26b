/** The addresses of payment pages. */
import { isSameHash, tokenForm } from '../lib/tokens.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import type { SteppedTenant } from './tenantScope.ts';

type LinkedIntent = Pick<Row<'intents'>, 'id' | 'hasSecretLink' | 'expiresAt'>;

/** Separates the id from the token in a link. Neither contains it. */
const separator = '.';

const sign = (tenant: Pick<SteppedTenant, 'sign'>, intentId: string, isShown?: boolean) =>
  tenant.sign(`payment page|${intentId}`, isShown);

/**
 * Returns the path of an intent's payment page, below the public URL. A person who has it acts as the payer. `isShown`:
 * whether it is part of a response that may be stored.
 */
export const buildPaymentPath = (
  tenant: Pick<SteppedTenant, 'sign'>,
  intentId: string,
  isShown?: boolean,
): string => `/pay/${intentId}${separator}${sign(tenant, intentId, isShown)}`;

/**
 * Returns the path to which the payment provider leads the payer back. It never changes for an intent: a repeated request to
 * the provider must be the same.
 */
export const buildReturnPath = (
  tenant: Pick<SteppedTenant, 'sign'>,
  { id, hasSecretLink }: Pick<LinkedIntent, 'id' | 'hasSecretLink'>,
): string => `${hasSecretLink ? buildPaymentPath(tenant, id) : `/pay/${id}`}/return`;

/** A link as its address has it: `int_….token`, or the id alone. */
export interface ParsedLink {
  intentId: string;
  token: string | undefined;
}

/** Splits a link at its separator. */
export function parseLink(link: string): ParsedLink {
  const end = link.indexOf(separator);
  return end < 0
    ? { intentId: link, token: undefined }
    : { intentId: link.slice(0, end), token: link.slice(end + 1) };
}

/**
 * Whether a link opens an intent's page. Releases before tokens made links with the id alone: they open the intents of these
 * releases, until they expire.
 */
export const opensIntent = (
  tenant: Pick<SteppedTenant, 'sign' | 'now'>,
  intent: LinkedIntent,
  { token }: ParsedLink,
): boolean =>
  token === undefined
    ? !intent.hasSecretLink && tenant.now() < intent.expiresAt
    : tokenForm.test(token) && isSameHash(token, sign(tenant, intent.id));
