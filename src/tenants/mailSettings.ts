/** Which mails to customers a tenant sends, and in whose name. */
import { createHmac } from 'node:crypto';
import * as z from 'zod';
import type { IssueCode } from '../lib/issueCodes.ts';
import { isMailAddress } from '../lib/mailAddress.ts';
import type { MailSettings } from '../storage/model/common.ts';
import { eventMailKinds, type MailKind } from '../storage/model/mails.ts';
import type { Row } from '../storage/model/rowTypes.ts';
import { defaultMailSettings } from '../tenancy/mailDefaults.ts';
import { printedText } from './parties.ts';

const maxNoticeDays = 90;

const mailAddress = z
  .string()
  .trim()
  .refine(isMailAddress, {
    error: 'must be a mail address such as billing@example.com',
    params: { code: 'not_an_email' satisfies IssueCode },
  })
  .nullish();

const kinds = z
  .array(z.enum(eventMailKinds, `must be one of ${eventMailKinds.join(', ')}`))
  .transform((all) => [...new Set(all)])
  .nullish();

/** The changes of a tenant's mail settings. */
export const mailSettings = z
  .object({
    fromName: printedText.nullish().transform((text) => (text === '' ? null : text)),
    replyTo: mailAddress,
    testRecipient: mailAddress,
    disabledKinds: kinds,
    enabledKinds: kinds,
    renewalNoticeDays: z
      .number()
      .int('must be a whole number')
      .min(0, 'must be at least 0')
      .max(maxNoticeDays, `must be at most ${maxNoticeDays}`)
      .nullish(),
  })
  .superRefine(({ disabledKinds, enabledKinds }, context) => {
    for (const [index, kind] of (enabledKinds ?? []).entries())
      if (disabledKinds?.includes(kind))
        context.addIssue({
          code: 'custom',
          path: ['enabledKinds', index],
          message: 'must not be in disabledKinds, too',
        });
  });

const offByDefault: readonly MailKind[] = [
  'refund',
  'credit_note',
  'subscription_started',
  'subscription_paused',
  'subscription_resumed',
  'usage_alert',
  'spend_alert',
  'credit_alert',
];

/**
 * Returns whether a tenant sends mails of a kind. By default, a scheduled cancellation is reported if an immediate one is:
 * both were one kind once.
 */
export function isKindSent({ disabledKinds, enabledKinds }: MailSettings, kind: MailKind): boolean {
  if (disabledKinds.includes(kind)) return false;
  if (enabledKinds.includes(kind)) return true;
  return kind === 'cancellation_scheduled'
    ? !disabledKinds.includes('cancelled')
    : !offByDefault.includes(kind);
}

/** Returns how a tenant sends mail. */
export const findMailSettings = ({ mail }: Pick<Row<'tenants'>, 'mail'>): MailSettings => ({
  ...defaultMailSettings,
  ...mail,
});

/** Returns the kinds of mails that report events and that a tenant sends. */
export function listSentKinds(tenant: Pick<Row<'tenants'>, 'mail'>): MailKind[] {
  const settings = findMailSettings(tenant);
  return eventMailKinds.filter((kind) => isKindSent(settings, kind));
}

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
  const mail = { ...(changed as unknown as MailSettings), ownServer };
  return { mail: { ...mail, ...keepListsApart(mail, wanted) } };
}

/** A kind that is switched on is taken off the list of those that are switched off, and the other way round. */
function keepListsApart(
  { disabledKinds, enabledKinds }: MailSettings,
  wanted: z.output<typeof mailSettings>,
): Pick<MailSettings, 'disabledKinds' | 'enabledKinds'> {
  if (!wanted.disabledKinds)
    return { disabledKinds: disabledKinds.filter((kind) => !enabledKinds.includes(kind)), enabledKinds };
  return { disabledKinds, enabledKinds: enabledKinds.filter((kind) => !disabledKinds.includes(kind)) };
}
