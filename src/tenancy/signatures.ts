import { createHmac } from 'node:crypto';
import type { SecretBox } from '../lib/secretBox.ts';
import type { Row } from '../storage/model/rowTypes.ts';

/**
 * Returns a token for `text`, always the same, that nobody can compute who reads only the database. On a server without an
 * encryption key the tenant's secret in the database signs it.
 */
export const signForTenant = (
  secretBox: Pick<SecretBox, 'sign'>,
  { alias, cursorSecret }: Pick<Row<'tenants'>, 'alias' | 'cursorSecret'>,
  text: string,
): string =>
  secretBox.sign(text, alias) ?? createHmac('sha256', cursorSecret).update(text).digest('base64url');
