/** Events that name a customer who did not exist: they count for the customer who is created within 35 days. */
import { addMs } from '../../lib/time.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { addToBuckets } from './buckets.ts';
import { usageSpanMs } from './quarters.ts';
import { hasAlerts, requestLimitCheck } from './usageChecks.ts';

const eventsAtOnce = 1000;

/** Gives a new customer the events that wait for them. A tenant without meters and events has none. */
export async function assignWaitingUsage(
  unit: UnitOfWork,
  { id: customerId, associatedId }: Pick<Row<'customers'>, 'id' | 'associatedId'>,
): Promise<void> {
  await unit.lockUsage();
  const { usage } = unit;
  const receivedAt = { after: addMs(unit.now, -usageSpanMs) };
  const meters = await usage.many('meters', { where: {} });
  for (let past: string[] | undefined; ;) {
    const events = await usage.many('usageEvents', {
      where: { customerId: null, associatedId },
      filter: { receivedAt },
      orderBy: ['id'],
      past,
      limit: eventsAtOnce,
    });
    const last = events.at(-1);
    if (!last) return;
    const assigned = events.map((event) => ({ ...event, customerId }));
    await usage.updateAll('usageEvents', ['id'], ['customerId'], assigned);
    await addToBuckets(usage, meters, assigned);
    if (unit.tenant.spendAlertsSince !== null || meters.some((meter) => hasAlerts(meter, unit.tenant)))
      await requestLimitCheck(unit, customerId);
    if (events.length < eventsAtOnce) return;
    past = [last.id];
  }
}
