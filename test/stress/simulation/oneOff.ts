import {
  createInvoice,
  createInvoiceItem,
  deleteInvoiceItem,
  previewInvoice,
} from '../../../src/billing/invoices/oneOffInvoices.ts';
import { createCreditGrant } from '../../../src/billing/invoices/creditGrants.ts';
import { grantCustomerCredit } from '../../../src/billing/invoices/grantedCredits.ts';
import { markUncollectible, voidOneOffInvoice } from '../../../src/billing/invoices/oneOffPayments.ts';
import { finalizeInvoiceNow } from '../../../src/billing/renewals/invoiceFinalization.ts';
import { payInvoice } from '../../../src/billing/renewals/invoicePayment.ts';
import { addMs } from '../../../src/lib/time.ts';
import type { TenantScope } from '../../../src/tenancy/tenantScope.ts';
import { dayMs } from '../../support/clock.ts';
import type { Place, World } from './world.ts';

/** One-off charges and credits: what waits, what is billed at once, and what is given. */

const money = ({ random }: World, { currency }: Place) => ({ amount: random.whole(1, 90), currency });

/** Adds a charge to a next invoice, now and then to that of one subscription. */
export async function addItem(world: World, place: Place, tenant: TenantScope): Promise<void> {
  const { random } = world;
  if (place.customers.length === 0) return;
  const customerId = random.pick(place.customers);
  const [subscription] = await tenant.read.many('subscriptions', {
    where: { customerId, cancelledAt: null },
    orderBy: ['id'],
    limit: 1,
  });
  const subscriptionId = random.chance(0.4) ? subscription?.id : undefined;
  const charge = { amount: money(world, place), description: 'Work', quantity: random.whole(1, 3) };
  await tenant.write((unit) => createInvoiceItem(unit, customerId, { ...charge, subscriptionId }));
}

/** Deletes the oldest charge of a customer, which an invoice may bill already. */
export async function dropItem({ random }: World, place: Place, tenant: TenantScope): Promise<void> {
  if (place.customers.length === 0) return;
  const [item] = await tenant.read.many('invoiceItems', {
    where: { customerId: random.pick(place.customers), removedAt: null },
    orderBy: ['id'],
    limit: 1,
  });
  if (item) await tenant.write((unit) => deleteInvoiceItem(unit, item.id));
}

/** Bills one or two charges at once. */
export async function billNow(world: World, place: Place, tenant: TenantScope): Promise<void> {
  const { random } = world;
  if (place.customers.length === 0) return;
  const items = Array.from({ length: random.whole(1, 2) }, () => ({
    amount: money(world, place),
    description: 'Work',
  }));
  const customerId = random.pick(place.customers);
  const collect = random.chance(0.8) ? 'charge' : 'manual';
  const shown = await previewInvoice(tenant, customerId, items);
  const draft = random.chance(0.2);
  const { id, status } = await createInvoice(tenant, customerId, { items, collect, draft });
  if (world.rushing) return;
  const lines = await tenant.read.many('invoiceLines', { where: { invoiceId: id }, orderBy: ['id'] });
  // The balance pays when a draft is finalized.
  const expected = draft || status === 'draft' ? shown.unpaid : shown.lines;
  const describe = (all: { kind: string; amountMinor: bigint }[]) =>
    all.map((line) => `${line.kind} ${line.amountMinor}`).join();
  if (describe(lines) !== describe(expected))
    throw new Error(`${id}: previewed ${describe(expected)}, billed ${describe(lines)}`);
}

/** Finalizes a draft. */
export async function finalize({ random }: World, _: Place, tenant: TenantScope): Promise<void> {
  const drafts = await tenant.read.many('invoices', {
    where: { status: 'draft' },
    orderBy: ['createdAt', 'id'],
  });
  if (drafts.length > 0) await finalizeInvoiceNow(tenant, random.pick(drafts).id);
}

/** Pays, voids or writes off an open invoice or a draft of one-off charges. */
export async function finishOneOff({ random }: World, _: Place, tenant: TenantScope): Promise<void> {
  const open = await tenant.read.many('invoices', {
    where: { status: ['open', 'draft', 'uncollectible'], billingReason: 'one_off' },
    orderBy: ['createdAt', 'id'],
    limit: 20,
  });
  if (open.length === 0) return;
  const { id } = random.pick(open);
  if (random.chance(0.6)) await payInvoice(tenant, id);
  else
    await tenant.write((unit) =>
      random.chance(0.6) ? voidOneOffInvoice(unit, id) : markUncollectible(unit, id),
    );
}

/** Terms of a grant: of either category, now or later, with or without a rollover. */
function buildGrant(world: World, place: Place, given: { customerId: string; expiresAt: string | null }) {
  const { random } = world;
  const kept = random.chance(0.5) ? { percent: '40' } : { maximum: money(world, place) };
  const rollover = { ...kept, expiresAfter: { frequency: 'Daily', period: random.whole(1, 60) } };
  return {
    ...given,
    name: 'Package',
    amount: money(world, place),
    category: random.pick(['paid', 'promotional']),
    priority: random.whole(0, 100),
    ...(given.expiresAt !== null && random.chance(0.5) && { rollover }),
  };
}

/** Grants a credit, which expires more often than not. */
export async function grant(world: World, place: Place, tenant: TenantScope): Promise<void> {
  const { random } = world;
  if (place.customers.length === 0) return;
  const expiresAt = random.chance(0.7) ? addMs(tenant.now(), random.whole(1, 90) * dayMs) : null;
  const customerId = random.pick(place.customers);
  if (random.chance(0.5)) {
    await tenant.write((unit) =>
      createCreditGrant(unit, buildGrant(world, place, { customerId, expiresAt })),
    );
    return;
  }
  const credit = { amount: money(world, place), reason: 'Sorry', expiresAt };
  await tenant.write((unit) => grantCustomerCredit(unit, customerId, credit));
}
