/** Addresses that get no more mail. */
import * as z from 'zod';
import { refuse } from '../../lib/errors.ts';
import { parseInput } from '../../lib/validation.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { readPage, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { cancelPendingMails } from './deliveries.ts';

const longestReason = 500;

const blocking = z.object({
  reason: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(longestReason, `must be at most ${longestReason} characters`),
});

/**
 * Stops all mail to a customer's address and cancels what waits for it. A blocked address stays as it is. Errors:
 * `customer_not_found`, `validation_failed`.
 */
export async function blockMail(
  unit: UnitOfWork,
  customerId: string,
  input: { reason: string },
): Promise<Row<'customers'>> {
  const { reason } = parseInput(blocking, input);
  const customer = (await unit.one('customers', { id: customerId })) ?? refuse('customer_not_found');
  if (customer.mailBlockedAt !== null) return customer;
  const blocked = { mailBlockedAt: unit.now, mailBlockedReason: reason };
  const changed = await unit.change('customers', customer, blocked);
  await cancelPendingMails(unit, { customerId }, 'address_blocked');
  return changed;
}

/** Allows mail to the customer's address again. Error: `customer_not_found`. */
export async function unblockMail(unit: UnitOfWork, customerId: string): Promise<Row<'customers'>> {
  const customer = (await unit.one('customers', { id: customerId })) ?? refuse('customer_not_found');
  return unit.change('customers', customer, { mailBlockedAt: null, mailBlockedReason: null });
}

/** Lists the customers whose address is blocked, by when it was; the latest first by default. Errors: as for `readPage`. */
export const listBlockedCustomers = (tenant: TenantScope, args: PageArgs): Promise<Page<Row<'customers'>>> =>
  readPage(
    tenant,
    {
      name: 'blockedCustomers',
      table: 'customers',
      where: { mailBlockedAt: { isSet: true } },
      by: ['mailBlockedAt', 'id'],
    },
    args,
  );
