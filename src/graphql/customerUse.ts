/** What the session of a customer may do: on the customer's own records, as the session and the portal's settings allow. */
import { refuse, type Reason } from '../lib/errors.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';
import type { CustomerUse, OwnedTable } from './operations.ts';

type Args = Record<string, unknown>;

const notFound: Record<OwnedTable, Reason> = {
  customers: 'customer_not_found',
  subscriptions: 'subscription_not_found',
  invoices: 'invoice_not_found',
};

/**
 * Checks the use of a root field by a customer. Errors: `action_not_allowed`, and `customer_not_found`, `subscription_not_found`
 * and `invoice_not_found` for records of others, as for records that do not exist.
 */
export async function authorizeCustomer(
  tenant: TenantScope,
  { action, own = {}, findForbidden }: CustomerUse,
  args: Args,
): Promise<void> {
  const { allow, customerId } = tenant.caller!.session!;
  if (action && !allow.includes(action))
    refuse('action_not_allowed', { path: 'allow', message: `of the session must contain ${action}` });
  for (const [path, table] of Object.entries(own)) {
    const id = readArgument(args, path);
    if (typeof id === 'string' && !(await isOwn(tenant, table, id, customerId))) refuse(notFound[table]);
  }
  const forbidden = await findForbidden?.(tenant, args);
  if (forbidden !== undefined)
    refuse('action_not_allowed', {
      path: forbidden,
      message: "is not permitted by the settings of the tenant's portal",
    });
}

function readArgument(args: Args, path: string): unknown {
  const [name, field] = path.split('.') as [string, string?];
  const value = args[name];
  return field === undefined ? value : (value as Args | null | undefined)?.[field];
}

/** A record never changes its customer, so it still is the customer's when the operation runs. */
async function isOwn(
  { primaryReads }: TenantScope,
  table: OwnedTable,
  id: string,
  customerId: string,
): Promise<boolean> {
  if (table === 'customers') return id === customerId;
  if (table === 'subscriptions')
    return (await primaryReads.one('subscriptions', { id, customerId })) !== undefined;
  const invoice = await primaryReads.one('invoices', { id, customerId });
  // Customers do not see drafts.
  return invoice !== undefined && invoice.status !== 'draft';
}
