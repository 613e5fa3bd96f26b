import { previewCancellation } from '../../../src/billing/subscriptions/cancellationPreview.ts';
import { cancellationReasons, cancelSubscription } from '../../../src/billing/subscriptions/lifecycle.ts';
import { listLineUses } from '../../../src/billing/pricing/creditGrants.ts';
import type { LineDiscount } from '../../../src/storage/model/common.ts';
import type { TenantScope } from '../../../src/tenancy/tenantScope.ts';
import type { World } from './world.ts';

type Line = { kind: string; amountMinor: bigint; discounts?: LineDiscount[] | null };

/** What lines charge and credit; credits pay a draft only when it is finalized. */
const describe = (lines: Line[]) =>
  lines
    .filter(({ kind }) => kind !== 'BALANCE')
    .map((line) => {
      const paidMinor = listLineUses(line).reduce(
        (sum, { amountMinor }) => sum + amountMinor,
        line.amountMinor,
      );
      return `${line.kind} ${paidMinor}`;
    })
    .join();

/**
 * Cancels a subscription, at once or at the end of its period, by the seller or by its customer in the portal. What a
 * cancellation at once bills must equal its preview.
 */
export async function cancel(
  { random, rushing }: World,
  tenant: TenantScope,
  { id, customerId, currency }: { id: string; customerId: string; currency: string },
  atPeriodEnd: boolean,
): Promise<void> {
  const shown = await previewCancellation({ read: tenant.read, now: tenant.now() }, id, atPeriodEnd);
  const ofCustomer = random.chance(0.5) ? { customerId, reason: random.pick(cancellationReasons) } : {};
  const after = await tenant.write((unit) => cancelSubscription(unit, id, { atPeriodEnd, ...ofCustomer }));
  if (rushing || after.cancelledAt === null) return;
  const [final] = await tenant.read.many('invoices', {
    where: { subscriptionId: id, billingReason: 'subscription_end', currency },
    orderBy: ['createdAt', 'id'],
    direction: 'desc',
    limit: 1,
  });
  const lines = final
    ? await tenant.read.many('invoiceLines', { where: { invoiceId: final.id }, orderBy: ['id'] })
    : [];
  if (shown.currency === currency && describe(lines) !== describe(shown.lines))
    throw new Error(`${id}: its end was shown as ${describe(shown.lines)}, and bills ${describe(lines)}`);
}
