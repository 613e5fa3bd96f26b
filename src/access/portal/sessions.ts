/** Sessions of the customer portal: links that sign in once, and the sessions that they begin. */
import * as z from 'zod';
import { findCustomer, type CustomerRow } from '../../billing/customers/customers.ts';
import { refuse } from '../../lib/errors.ts';
import { addMs } from '../../lib/time.ts';
import { httpUrl, parseInput } from '../../lib/validation.ts';
import type { PortalFlow, PortalSettings } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { isErased } from '../../billing/customers/erasedData.ts';
import { findSubscription } from '../../billing/subscriptions/subscriptions.ts';
import { readPage, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import { findPortalSettings } from '../../tenants/portalSettings.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { createToken, hashToken } from '../../lib/tokens.ts';
import { refusePermission } from '../../tenancy/actor.ts';
import type { Permission } from '../../tenancy/permissions.ts';
import { flowPermissions, pickPortalPermissions } from './permissions.ts';

export type PortalSessionRow = Row<'portalSessions'>;

/** A session whose link is to be shown once; the token is sealed until then. */
export interface IssuedSession {
  session: PortalSessionRow;
  sealedToken: string;
}

const lifetimeMs = 12 * 60 * 60 * 1000;

/** The pages that a link can open. */
export const portalFlows = [
  'overview',
  'cancel',
  'change_plan',
  'payment_method',
  'invoices',
  'details',
] as const satisfies PortalFlow['type'][];

const newSession = z.object({
  customerId: z.string(),
  flow: z.object({ type: z.enum(portalFlows), subscriptionId: z.string().nullish() }).nullish(),
  returnUrl: httpUrl.nullish(),
});

/** Which setting each page needs. Changes of a plan are on if any of its parts is. */
const isFlowOn: Record<PortalFlow['type'], (settings: PortalSettings) => boolean> = {
  overview: () => true,
  cancel: ({ cancellation }) => cancellation !== 'off',
  change_plan: ({ planChange, quantityChange, addOns }) => planChange || quantityChange || addOns,
  payment_method: ({ paymentMethods }) => paymentMethods,
  invoices: ({ invoices }) => invoices,
  details: ({ details }) => details,
};

/**
 * Creates a link by which a customer signs in to the portal once, within 12 hours. Its session may do only what the maker
 * of the link may do. Errors: `customer_not_found`, `subscription_not_found`, `permission_missing`, `validation_failed`,
 * also if the portal or the page is switched off, and if the server has no encryption key for secrets.
 */
export async function createPortalSession(
  tenant: TenantScope,
  input: unknown,
  makerPermissions: readonly Permission[],
): Promise<IssuedSession> {
  const { customerId, flow, returnUrl } = parseInput(newSession, input);
  const token = createToken(tenant.randomBytes);
  const sealedToken = tenant.seal(token);
  return tenant.write(async (unit) => {
    const needed = flow && flowPermissions[flow.type];
    if (needed && !makerPermissions.includes(needed)) refusePermission(needed, 'flow.type');
    const settings = findPortalSettings(unit.tenant);
    if (!settings.enabled)
      refuse('validation_failed', {
        path: 'input',
        message: 'the portal is switched off: set portal.enabled',
      });
    const customer = await findCustomer(unit, customerId);
    if (isErased(customer)) refuse('customer_not_found');
    const opened = flow ? await checkFlow(unit, settings, customerId, flow) : null;
    const permissions = pickPortalPermissions(makerPermissions);
    const options = { flow: opened, returnUrl: returnUrl ?? null, permissions, now: tenant.serviceNow() };
    return { session: await issueLink(unit, customerId, token, options), sealedToken };
  });
}

async function checkFlow(
  unit: UnitOfWork,
  settings: PortalSettings,
  customerId: string,
  { type, subscriptionId }: { type: PortalFlow['type']; subscriptionId?: string | null },
): Promise<PortalFlow> {
  if (!isFlowOn[type](settings))
    refuse('validation_failed', {
      path: 'flow.type',
      message: `${type} is switched off in the portal's settings`,
    });
  const needsSubscription = type === 'cancel' || type === 'change_plan';
  if (needsSubscription && !subscriptionId)
    refuse('validation_failed', { path: 'flow.subscriptionId', message: `must be given for ${type}` });
  if (!needsSubscription && subscriptionId)
    refuse('validation_failed', {
      path: 'flow.subscriptionId',
      message: 'is for cancel and change_plan only',
    });
  if (subscriptionId) await findSubscription(unit, subscriptionId, customerId);
  return { type, subscriptionId: subscriptionId ?? null };
}

/**
 * Records a link with `token` for a customer. `now` is the service's time: sessions do not follow a test tenant's clock,
 * which may be stopped.
 */
const issueLink = async (
  unit: UnitOfWork,
  customerId: string,
  token: string,
  options: Partial<Pick<PortalSessionRow, 'flow' | 'returnUrl' | 'permissions'>> & { now: string },
): Promise<PortalSessionRow> => {
  const { now, ...kept } = options;
  const end = addMs(now, lifetimeMs);
  return unit.insertUntraced('portalSessions', {
    id: unit.id('pss'),
    customerId,
    linkHash: hashToken(token),
    linkExpiresAt: end,
    expiresAt: end,
    createdAt: now,
    ...kept,
  });
};

/**
 * Creates a link in a unit of its own, for a mail. Returns its URL; null if the portal is off. A page that is switched off
 * becomes the overview.
 */
export async function createPortalLink(
  tenant: TenantScope,
  publicUrl: string,
  customerId: string,
  type: PortalFlow['type'],
): Promise<string | null> {
  const settings = findPortalSettings(tenant.record);
  if (!settings.enabled) return null;
  const token = createToken(tenant.randomBytes);
  const flow = isFlowOn[type](settings) ? { type, subscriptionId: null } : null;
  // The mail goes to the customer alone.
  const options = { flow, now: tenant.serviceNow() };
  await tenant.write((unit) => issueLink(unit, customerId, token, options));
  return publicUrl + buildLinkPath(tenant.alias, token);
}

/** Shown in place of a code or a token that only its mail may contain. */
export const hiddenSecret = '••••••••';

/** Returns the URL of a link with dots for its token, as a mail is shown; null if the portal is off. Creates no link. */
export const describePortalLink = (tenant: Row<'tenants'>, publicUrl: string): string | null =>
  findPortalSettings(tenant).enabled ? publicUrl + buildLinkPath(tenant.alias, hiddenSecret) : null;

/** Returns the path of a link below the public URL. */
export const buildLinkPath = (alias: string, token: string): string => `/portal/${alias}/s/${token}`;

/** Returns the session of a link that can still be used, and its customer. */
export async function findLink(
  reads: Reads,
  token: string,
  now: string,
): Promise<{ session: PortalSessionRow; customer: CustomerRow } | undefined> {
  const session = await reads.one('portalSessions', { linkHash: hashToken(token) });
  if (!session || session.linkUsedAt !== null || session.revokedAt !== null) return undefined;
  if (session.linkExpiresAt === null || session.linkExpiresAt <= now) return undefined;
  return findHolder(reads, session);
}

/** Uses a link up: the session begins with `sessionToken` and ends after 12 hours. Undefined if it cannot be used. */
export async function redeemLink(
  unit: UnitOfWork,
  token: string,
  sessionToken: string,
  now: string,
): Promise<PortalSessionRow | undefined> {
  const found = await findLink(unit, token, now);
  if (!found) return undefined;
  const begun = { linkUsedAt: now, sessionHash: hashToken(sessionToken), expiresAt: addMs(now, lifetimeMs) };
  await unit.updateUntraced('portalSessions', { id: found.session.id }, begun);
  await unit.recordEvent('customers', found.customer, 'portal_signed_in', { by: 'link' });
  return { ...found.session, ...begun };
}

/** Begins a session with `sessionToken` for a customer whose address is proved by a code; it ends after 12 hours. */
export async function beginSession(
  unit: UnitOfWork,
  customer: CustomerRow,
  sessionToken: string,
  now: string,
): Promise<PortalSessionRow> {
  await unit.recordEvent('customers', customer, 'portal_signed_in', { by: 'code' });
  return unit.insertUntraced('portalSessions', {
    id: unit.id('pss'),
    customerId: customer.id,
    sessionHash: hashToken(sessionToken),
    expiresAt: addMs(now, lifetimeMs),
    createdAt: now,
  });
}

/** Returns the session with this token and its customer; undefined if it has ended. */
export async function findSession(
  reads: Reads,
  token: string,
  now: string,
): Promise<{ session: PortalSessionRow; customer: CustomerRow } | undefined> {
  const session = await reads.one('portalSessions', { sessionHash: hashToken(token) });
  if (!session || session.revokedAt !== null || session.expiresAt <= now) return undefined;
  return findHolder(reads, session);
}

async function findHolder(
  reads: Reads,
  session: PortalSessionRow,
): Promise<{ session: PortalSessionRow; customer: CustomerRow } | undefined> {
  const customer = await reads.one('customers', { id: session.customerId });
  return customer && !isErased(customer) ? { session, customer } : undefined;
}

/** Returns the session with this id. Error: `portal_session_not_found`. */
export const findPortalSession = async (reads: Reads, id: string): Promise<PortalSessionRow> =>
  (await reads.one('portalSessions', { id })) ?? refuse('portal_session_not_found');

/**
 * Ends a session and its link at once; repeating it changes nothing. Error: `portal_session_not_found`.
 */
export async function revokePortalSession(
  unit: UnitOfWork,
  id: string,
  now: string,
): Promise<PortalSessionRow> {
  const session = await findPortalSession(unit, id);
  if (session.revokedAt !== null) return session;
  const revoked = { revokedAt: now };
  await unit.updateUntraced('portalSessions', { id }, revoked);
  return { ...session, ...revoked };
}

/** Lists the sessions of a customer; newest first by default. Errors: `customer_not_found`, `validation_failed`, `cursor_invalid`. */
export async function listPortalSessions(
  tenant: TenantScope,
  customerId: string,
  args: PageArgs,
): Promise<Page<PortalSessionRow>> {
  await findCustomer(tenant.read, customerId);
  const list = { name: 'portalSessions', table: 'portalSessions', where: { customerId } } as const;
  return readPage(tenant, { ...list, by: ['createdAt', 'id'] }, args);
}
