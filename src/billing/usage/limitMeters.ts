/** What recordings of usage keep beside the events of meters that count limits. */
import type { Reads } from '../../storage/store.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';

/**
 * Has totals of meters kept from now on, and with alerts recordings note whose limits are to be compared with them. Archived
 * meters do not count any more.
 */
export async function keepForLimit(
  unit: UnitOfWork,
  meterIds: readonly string[],
  hasAlerts: boolean,
): Promise<void> {
  if (meterIds.length === 0) return;
  await unit.lockUsage();
  for (const meter of await unit.many('meters', { where: { id: [...meterIds] }, orderBy: ['id'] })) {
    const totalsSince = meter.totalsSince ?? unit.now;
    const alertsSince = meter.alertsSince ?? (hasAlerts ? unit.now : null);
    if (meter.archivedAt === null && (meter.totalsSince === null || alertsSince !== meter.alertsSince))
      await unit.change('meters', meter, { totalsSince, alertsSince });
  }
}

/** Keeps for further meters of a credit type what is kept for limits that it counts. */
export async function keepForLimits(
  unit: UnitOfWork,
  creditTypeId: string,
  meterIds: readonly string[],
): Promise<void> {
  const features = await unit.many('features', { where: { creditTypeId } });
  if (features.length === 0) return;
  const hasAlerts = features.some(({ alertPercents }) => Boolean(alertPercents?.length));
  await keepForLimit(unit, meterIds, hasAlerts);
}

/** Returns the key of a feature that can be attached and is counted by a meter, alone or by a credit type; undefined for none. */
export async function findCountedFeature(reads: Reads, meterId: string): Promise<string | undefined> {
  const own = await reads.one('features', { meterId, archivedAt: null });
  if (own) return own.key;
  const counted = await reads.many('features', {
    where: { creditTypeId: { isSet: true }, archivedAt: null },
  });
  const ids = [...new Set(counted.flatMap(({ creditTypeId }) => creditTypeId ?? []))];
  if (ids.length === 0) return undefined;
  const types = await reads.many('creditTypes', { where: { id: ids } });
  const used = types.filter(({ rates }) => rates.some((rate) => rate.meterId === meterId));
  const typeIds = new Set(used.map(({ id }) => id));
  return counted.find(({ creditTypeId }) => typeIds.has(creditTypeId!))?.key;
}
