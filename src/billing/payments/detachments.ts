/**
 * The queue of payment methods that their providers are to forget: those that were removed or replaced, and those of
 * deleted and erased customers. Providers are called outside of units of work, again and again until they have forgotten.
 */
import { addMs } from '../../lib/time.ts';
import { manual } from '../../providers/manual.ts';
import { findProvider } from '../../providers/registry.ts';
import { sandbox } from '../../providers/sandbox.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { SteppedTenant } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { dayMs, minuteMs } from '../../lib/durations.ts';

type Detachment = Row<'methodDetachments'>;
type Named = Pick<Row<'paymentMethods'>, 'customerId' | 'provider' | 'reference'>;

const sliceSize = 20;

/** Providers that keep nothing. */
const forgetful = [sandbox.name, manual.name];

/** Records that a provider is to forget a method. An erased method without a reference is recorded already. */
export async function queueDetachment(
  unit: UnitOfWork,
  { customerId, provider, reference }: Named,
): Promise<void> {
  if (reference === '' || forgetful.includes(provider)) return;
  const queued = { customerId, provider, reference, attempts: 0, dueAt: unit.now, createdAt: unit.now };
  await unit.insertUntraced('methodDetachments', { id: unit.id('pmd'), ...queued });
}

/**
 * Asks the providers to forget the methods that are due, of one customer or of all, a slice at a time. One that cannot be
 * reached is asked again: after a minute, then after twice as long each time, at most a day. Returns the number of methods.
 */
export async function detachMethods(
  tenant: SteppedTenant,
  now: string,
  customerId?: string,
): Promise<number> {
  const due = await tenant.read.many('methodDetachments', {
    where: { customerId, dueAt: { to: now } },
    orderBy: ['dueAt', 'id'],
    limit: sliceSize,
  });
  for (const detachment of due) await detachOne(tenant, detachment, now);
  return due.length;
}

async function detachOne(tenant: SteppedTenant, detachment: Detachment, now: string): Promise<void> {
  const { id, attempts } = detachment;
  const isForgotten = (await isSavedAgain(tenant, detachment)) || (await askToForget(tenant, detachment));
  await tenant.writeStep(async (unit) => {
    if (isForgotten) return unit.removeUntraced('methodDetachments', { id });
    const delayMs = Math.min(minuteMs * 2 ** attempts, dayMs);
    const later = { attempts: attempts + 1, dueAt: addMs(now, delayMs) };
    return unit.updateUntraced('methodDetachments', { id }, later);
  });
}

/** Whether the customer has saved the same method again meanwhile. */
async function isSavedAgain(
  { read }: SteppedTenant,
  { customerId, provider, reference }: Detachment,
): Promise<boolean> {
  const where = { customerId, provider, reference, removedAt: null };
  return (await read.one('paymentMethods', where)) !== undefined;
}

/** Returns false if the provider could not be reached. */
async function askToForget(tenant: SteppedTenant, { provider, reference }: Detachment): Promise<boolean> {
  try {
    await findProvider(await tenant.loadProviders(), provider, tenant.record).detach?.(reference);
    return true;
  } catch {
    return false;
  }
}
