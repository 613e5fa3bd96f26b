/** Sessions of customers in pages of the tenant, whose token calls GraphQL as the customer. */
import * as z from 'zod';
import { findCustomer } from '../../billing/customers/customers.ts';
import { isErased } from '../../billing/customers/erasedData.ts';
import { refuse } from '../../lib/errors.ts';
import { addMs } from '../../lib/time.ts';
import { hashToken } from '../../lib/tokens.ts';
import { parseInput } from '../../lib/validation.ts';
import type { CustomerAction } from '../../storage/model/common.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { refusePermission } from '../../tenancy/actor.ts';
import { createSessionToken } from '../../tenancy/customerSessions.ts';
import { readPage, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import type { Permission } from '../../tenancy/permissions.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';

export type CustomerSessionRow = Row<'customerSessions'>;

/** What a session can be allowed to do, with the permission that its maker needs. */
const permissionsByAction: Record<CustomerAction, Permission> = {
  subscribe: 'manage_subscriptions',
  change_subscription: 'manage_subscriptions',
  cancel_subscription: 'manage_subscriptions',
  apply_discount: 'credit',
  pay_invoice: 'manage_invoices',
  update_customer: 'manage_customers',
  manage_payment_methods: 'manage_customers',
};

export const customerActions = Object.keys(permissionsByAction) as CustomerAction[];

/** Returns the permissions that an operator would need for what a session may do. */
export const listActionPermissions = (allow: readonly CustomerAction[]): Permission[] => [
  ...new Set(allow.map((action) => permissionsByAction[action])),
];

const [shortestSeconds, usualSeconds, longestSeconds] = [60, 3600, 86_400];

const newSession = z
  .object({
    customerId: z.string().nullish(),
    associatedId: z.string().nullish(),
    expiresInSeconds: z
      .number()
      .int('must be a whole number')
      .min(shortestSeconds, `must be at least ${shortestSeconds}`)
      .max(longestSeconds, `must be at most ${longestSeconds}`)
      .nullish(),
    allow: z
      .array(z.enum(customerActions))
      .max(customerActions.length, `must be at most ${customerActions.length}`)
      .refine((allow) => new Set(allow).size === allow.length, 'must name each action once')
      .nullish(),
  })
  .refine(({ customerId, associatedId }) => (customerId == null) !== (associatedId == null), {
    path: ['customerId'],
    error: 'must be given, or associatedId instead',
  });

/**
 * Begins a session of a customer; passes its token to `show` alone, because a repeat of the request gets the returned record. A
 * session may do only what its maker may do. Errors: `customer_not_found`, `permission_missing`, `validation_failed`.
 */
export async function createCustomerSession(
  tenant: TenantScope,
  input: unknown,
  makerPermissions: readonly Permission[],
  show: (session: CustomerSessionRow, token: string) => void,
): Promise<CustomerSessionRow> {
  const { customerId, associatedId, expiresInSeconds, allow } = parseInput(newSession, input);
  tenant.withholdResponse();
  // Sessions end by the service's clock: that of a test tenant may stand still.
  const now = tenant.serviceNow();
  return tenant.write(async (unit) => {
    const missing = listActionPermissions(allow ?? []).find((each) => !makerPermissions.includes(each));
    if (missing) refusePermission(missing, 'allow');
    const customer =
      typeof customerId === 'string'
        ? await findCustomer(unit, customerId)
        : ((await unit.one('customers', { associatedId: associatedId! })) ?? refuse('customer_not_found'));
    if (isErased(customer)) refuse('customer_not_found');
    const token = createSessionToken(unit.ids, unit.tenant.alias);
    const session = await unit.insertUntraced('customerSessions', {
      id: unit.id('css'),
      customerId: customer.id,
      tokenHash: hashToken(token),
      allow: allow ?? [],
      expiresAt: addMs(now, (expiresInSeconds ?? usualSeconds) * 1000),
      createdAt: now,
    });
    const { id: sessionId, expiresAt } = session;
    await unit.recordEvent('customers', customer, 'session_created', {
      sessionId,
      allow: session.allow,
      expiresAt,
    });
    show(session, token);
    return session;
  });
}

/** Returns the session with this id. Error: `customer_session_not_found`. */
export const findCustomerSession = async (reads: Reads, id: string): Promise<CustomerSessionRow> =>
  (await reads.one('customerSessions', { id })) ?? refuse('customer_session_not_found');

/** Ends a session; every server refuses it within a second. Repeating it changes nothing. Error: `customer_session_not_found`. */
export async function revokeCustomerSession(
  unit: UnitOfWork,
  id: string,
  now: string,
): Promise<CustomerSessionRow> {
  const session = await findCustomerSession(unit, id);
  if (session.revokedAt !== null) return session;
  await unit.updateUntraced('customerSessions', { id }, { revokedAt: now });
  const customer = await unit.one('customers', { id: session.customerId });
  if (customer) await unit.recordEvent('customers', customer, 'session_revoked', { sessionId: id });
  return { ...session, revokedAt: now };
}

/**
 * Lists the sessions of a customer; newest first by default. Errors: `customer_not_found`, `validation_failed`,
 * `cursor_invalid`.
 */
export async function listCustomerSessions(
  tenant: TenantScope,
  customerId: string,
  args: PageArgs,
): Promise<Page<CustomerSessionRow>> {
  await findCustomer(tenant.read, customerId);
  const list = { name: 'customerSessions', table: 'customerSessions', where: { customerId } } as const;
  return readPage(tenant, { ...list, by: ['createdAt', 'id'] }, args);
}
