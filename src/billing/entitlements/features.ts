/** Features: what products give to their subscribers, and what an application asks for. */
import * as z from 'zod';
import { refuse } from '../../lib/errors.ts';
import { name, parseInput } from '../../lib/validation.ts';
import type { FeatureKind } from '../../storage/model/entitlements.ts';
import type { Reads } from '../../storage/store.ts';
import { alertPercents } from '../../tenants/usageAlerts.ts';
import { readPage, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { findCreditType } from '../invoices/creditTypes.ts';
import { keepForLimit } from '../usage/limitMeters.ts';
import { findMeter } from '../usage/meters.ts';
import type { FeatureRow } from './grants.ts';

const mostFeatures = 200;

const featureKey = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$/,
    'must be 1 to 100 letters, digits and _.:-, and begin with a letter or digit',
  );

const optionalId = z
  .string()
  .nullish()
  .transform((id) => id ?? null);

const newFeature = z.object({
  key: featureKey,
  name,
  kind: z.enum(['boolean', 'config', 'limit']),
  meterId: optionalId,
  creditTypeId: optionalId,
  alertPercents: alertPercents.nullish().transform((percents) => percents ?? null),
});

const featureChanges = z.object({
  name: name.nullish().transform((text) => text ?? undefined),
  alertPercents: alertPercents.nullish(),
});

/** Checks the fields of a new feature. Error: `validation_failed`. */
export function parseFeature(input: unknown): z.output<typeof newFeature> {
  const values = parseInput(newFeature, input);
  refuseOtherCounters(values);
  refuseAlerts(values, values.alertPercents);
  return values;
}

/**
 * Creates a feature. Its key, kind, meter and credit type are fixed from then on. Errors: `feature_exists`, `meter_not_found`,
 * `credit_type_not_found`, `validation_failed`.
 */
export async function createFeature(unit: UnitOfWork, input: unknown): Promise<FeatureRow> {
  const values = parseFeature(input);
  const { key, alertPercents: alerts } = values;
  if (await unit.one('features', { key }))
    refuse('feature_exists', { path: 'key', message: 'is the key of another feature' });
  const all = await unit.many('features', { where: {}, limit: mostFeatures });
  if (all.length === mostFeatures)
    refuse('validation_failed', {
      path: 'key',
      message: `must not be more: there are ${mostFeatures} features, the most there may be`,
    });
  if (values.meterId !== null) await refuseArchived(unit, values.meterId);
  await keepForLimit(unit, await listMeters(unit, values), Boolean(alerts?.length));
  return unit.create('features', {
    id: unit.id('feat'),
    ...values,
    createdAt: unit.now,
    updatedAt: unit.now,
  });
}

/** What counts the use of a feature. */
type CountedBy = Pick<FeatureRow, 'meterId' | 'creditTypeId'>;

/** Refuses what counts use unless the feature is a limit, and two of it. Error: `validation_failed`. */
function refuseOtherCounters({ kind, meterId, creditTypeId }: CountedBy & Pick<FeatureRow, 'kind'>): void {
  for (const [path, id] of Object.entries({ meterId, creditTypeId }))
    if (id !== null && kind !== 'limit')
      refuse('validation_failed', { path, message: 'must not be given unless kind is limit' });
  if (meterId !== null && creditTypeId !== null)
    refuse('validation_failed', { path: 'creditTypeId', message: 'must not be given beside meterId' });
}

/** Lists the ids of the meters that count the use of a feature. Error: `credit_type_not_found`. */
async function listMeters(reads: Reads, { meterId, creditTypeId }: CountedBy): Promise<string[]> {
  if (meterId !== null) return [meterId];
  if (creditTypeId === null) return [];
  const { rates } = await findCreditType(reads, creditTypeId, 'creditTypeId');
  return rates.map((rate) => rate.meterId);
}

/** Refuses a meter that does not count any more. Errors: `meter_not_found`, `validation_failed`. */
async function refuseArchived(reads: Reads, meterId: string): Promise<void> {
  if ((await findMeter(reads, meterId)).archivedAt !== null)
    refuse('validation_failed', { path: 'meterId', message: 'must not be the id of an archived meter' });
}

function refuseAlerts({ meterId, creditTypeId }: CountedBy, alerts: number[] | null): void {
  if (alerts?.length && meterId === null && creditTypeId === null)
    refuse('validation_failed', {
      path: 'alertPercents',
      message: 'must not be given unless the feature has a meter or a credit type',
    });
}

/** Changes the name or the alerts of a feature; what is absent stays. Errors: `feature_not_found`, `validation_failed`. */
export async function updateFeature(unit: UnitOfWork, id: string, input: unknown): Promise<FeatureRow> {
  const { name: newName, alertPercents: alerts } = parseInput(featureChanges, input);
  const feature = await findFeature(unit, id);
  const changes = {
    ...(newName !== undefined && { name: newName }),
    ...(alerts !== undefined && { alertPercents: alerts }),
  };
  refuseAlerts(feature, alerts ?? null);
  if (alerts?.length) await keepForLimit(unit, await listMeters(unit, feature), true);
  return unit.change('features', feature, changes);
}

/** Withdraws a feature: it cannot be attached any more, and who has it keeps it. Error: `feature_not_found`. */
export async function archiveFeature(unit: UnitOfWork, id: string): Promise<FeatureRow> {
  const feature = await findFeature(unit, id);
  if (feature.archivedAt !== null) return feature;
  return unit.change('features', feature, { archivedAt: unit.now }, { action: 'archived' });
}

/** Returns the feature with this id. Error: `feature_not_found`. */
export const findFeature = async (reads: Reads, id: string): Promise<FeatureRow> =>
  (await reads.one('features', { id })) ?? refuse('feature_not_found');

/** Returns the feature with this key. Error: `feature_not_found`. */
export const findFeatureByKey = async (reads: Reads, key: string): Promise<FeatureRow> =>
  (await reads.one('features', { key })) ??
  refuse('feature_not_found', { path: 'feature', message: 'is not the key of a feature' });

/** Returns the feature with this key, which can be attached. Errors: `feature_not_found`, `feature_archived`. */
export async function findFeatureToAttach(reads: Reads, key: string): Promise<FeatureRow> {
  const feature = await findFeatureByKey(reads, key);
  if (feature.archivedAt === null) return feature;
  return refuse('feature_archived', { path: 'feature', message: 'is the key of an archived feature' });
}

/** Lists the features; newest first by default. Error: `cursor_invalid`. */
export const listFeatures = (
  tenant: TenantScope,
  filter: { kind?: FeatureKind | null; key?: string | null },
  args: PageArgs,
): Promise<Page<FeatureRow>> => {
  const key = filter.key ?? undefined;
  const kind = filter.kind ?? undefined;
  // A key has one feature.
  const conditions = key === undefined ? { where: { kind } } : { where: { key }, filter: { kind } };
  return readPage(
    tenant,
    { name: 'features', table: 'features', ...conditions, request: { key, kind }, by: ['createdAt', 'id'] },
    args,
  );
};
