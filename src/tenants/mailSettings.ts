/** Which mails to customers a tenant sends, and in whose name. */
import { createHmac } from 'node:crypto';
import * as z from 'zod';
import { isMailAddress } from '../lib/mailAddress.ts';
import type { MailSettings } from '../storage/model/common.ts';
import { eventMailKinds, type MailKind } from '../storage/model/mails.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import { printedText } from './parties.ts';

const maxNoticeDays = 90;

const mailAddress = z
  .string()
  .trim()
  .refine(isMailAddress, 'must be a mail address such as billing@example.com')
  .nullish();

/** The changes of a tenant's mail settings. */
export const mailSettings = z.object({
  fromName: printedText.nullish().transform((text) => (text === '' ? null : text)),
  replyTo: mailAddress,
  testRecipient: mailAddress,
  disabledKinds: z
    .array(z.enum(eventMailKinds, `must be one of ${eventMailKinds.join(', ')}`))
    .transform((kinds) => [...new Set(kinds)])
    .nullish(),
  renewalNoticeDays: z
    .number()
    .int('must be a whole number')
    .min(0, 'must be at least 0')
    .max(maxNoticeDays, `must be at most ${maxNoticeDays}`)
    .nullish(),
});

/** The settings of a tenant that changed none. */
const defaultMailSettings: MailSettings = {
  ownServer: false,
  fromName: null,
  replyTo: null,
  testRecipient: null,
  disabledKinds: [],
  renewalNoticeDays: 30,
};

/** Returns how a tenant sends mail. */
export const findMailSettings = ({ mail }: Pick<Row<'tenants'>, 'mail'>): MailSettings => ({
  ...defaultMailSettings,
  ...mail,
});

/**
 * Returns the address to which a mail of a tenant goes. The customers of a test tenant are never written to: their mails go
 * to its test recipient, or are not sent (null). Test mails go where they are addressed.
 */
export function findRecipient(
  tenant: Pick<Row<'tenants'>, 'test' | 'mail'>,
  kind: MailKind,
  address: string,
): string | null {
  return tenant.test && kind !== 'test' ? findMailSettings(tenant).testRecipient : address.trim();
}

/** Returns the token of the address to which a mail provider reports a tenant's bounces. */
export const buildBounceToken = (cursorSecret: string): string =>
  createHmac('sha256', cursorSecret).update('mail bounces').digest('base64url');

/** Returns the settings with the given fields changed; null is the default of a field, or of all of them. */
export function changeMailSettings(
  tenant: Pick<Row<'tenants'>, 'mail'>,
  wanted: z.output<typeof mailSettings> | null | undefined,
): Pick<Row<'tenants'>, 'mail'> | undefined {
  if (wanted === undefined) return undefined;
  const { ownServer, ...settings } = findMailSettings(tenant);
  const changed: Record<string, unknown> = { ...settings };
  if (wanted === null) return { mail: ownServer ? { ...defaultMailSettings, ownServer } : null };
  for (const [field, value] of Object.entries(wanted))
    if (value !== undefined) changed[field] = value ?? defaultMailSettings[field as keyof MailSettings];
  return { mail: { ...(changed as unknown as MailSettings), ownServer } };
}
