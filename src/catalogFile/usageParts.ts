/** Groups, meters and features of a file: what products and prices refer to by name. */
import {
  archiveFeature,
  createFeature,
  parseFeature,
  updateFeature,
} from '../billing/entitlements/features.ts';
import { addGroup, newGroup, updateGroup } from '../billing/catalog/groups.ts';
import { createMeter, readMeterDefinition } from '../billing/usage/meters.ts';
import { refuse } from '../lib/errors.ts';
import { hasIdForm } from '../lib/ids.ts';
import { parseInput } from '../lib/validation.ts';
import {
  addStep,
  checkAt,
  compareFields,
  differs,
  isPending,
  performAt,
  refuseReference,
  referTo,
  type Planning,
} from './planning.ts';
import type { CatalogFile } from './schema.ts';

/** Refuses a name that several records have. Error: `validation_failed`. */
function findByName<Record extends { name: string }>(
  records: Record[],
  name: string,
  path: string,
): Record | undefined {
  const [found, ...others] = records.filter((each) => each.name === name);
  return others.length > 0
    ? refuseReference(path, 'is the name of several records: rename all but one')
    : found;
}

/** Plans the product groups of a file. Error: `validation_failed`. */
export function planGroups(planning: Planning, entries: CatalogFile['groups'] = []): void {
  const { state, names } = planning;
  for (const [n, entry] of entries.entries()) {
    const path = `groups.${n}`;
    const wanted = checkAt(path, () => parseInput(newGroup, entry));
    const found = findByName(state.groups, wanted.name, `${path}.name`);
    const common = { resource: 'group' as const, key: wanted.name, path };
    names.groups.set(wanted.name, found?.id ?? referTo(names.groups, wanted.name));
    if (!found) {
      addStep(planning, {
        ...common,
        action: 'create',
        id: null,
        changes: compareFields({}, wanted),
        run: async (unit, known) => known.groups.set(wanted.name, (await addGroup(unit, wanted)).id),
      });
      continue;
    }
    const { name, metadata, prorateUpgrades } = found;
    const changes = compareFields({ name, metadata, prorateUpgrades }, wanted);
    if (differs(changes))
      addStep(planning, {
        ...common,
        action: 'update',
        id: found.id,
        changes,
        run: (unit) => updateGroup(unit, found.id, wanted),
      });
  }
}

/** Returns the id of the group of a product, which may have to be created. */
export function findGroup({ state, names }: Planning, name: string, path: string): string {
  const known = names.groups.get(name);
  if (known !== undefined) return known;
  if (state.groups.some(({ id }) => id === name)) return name;
  const found = findByName(state.groups, name, path);
  if (!found) return refuseReference(path, 'is not the name of a group of the file or the tenant');
  names.groups.set(name, found.id);
  return found.id;
}

/** Plans the meters of a file, whose definitions are fixed. Error: `validation_failed`. */
export function planMeters(planning: Planning, entries: CatalogFile['meters'] = []): void {
  const { state, names } = planning;
  for (const [n, entry] of entries.entries()) {
    const path = `meters.${n}`;
    const input = {
      ...entry,
      ...(entry.unitMultiplier !== undefined && { unitMultiplier: String(entry.unitMultiplier) }),
    };
    const wanted = checkAt(path, () => readMeterDefinition(input));
    const found = findByName(state.meters, wanted.name, `${path}.name`);
    names.meters.set(wanted.name, found?.id ?? referTo(names.meters, wanted.name));
    if (!found) {
      addStep(planning, {
        action: 'create',
        resource: 'meter',
        key: wanted.name,
        path,
        id: null,
        changes: compareFields({}, wanted),
        run: async (unit, known) =>
          known.meters.set(wanted.name, (await performAt(path, () => createMeter(unit, input))).id),
      });
      continue;
    }
    const present = Object.fromEntries(Object.keys(wanted).map((field) => [field, found[field as 'name']]));
    const [changed] = Object.keys(compareFields(present, wanted));
    if (changed !== undefined)
      refuseReference(
        `${path}.${changed}`,
        'is fixed: give the meter another name, or use createMeterVersion',
      );
  }
}

/** Returns the id of a meter, which may have to be created. */
export function findMeterId({ state, names }: Planning, name: string, path: string): string {
  const known = names.meters.get(name);
  if (known !== undefined) return known;
  // A meter whose name is not unique, or that is archived, is named by its id.
  if (hasIdForm(name)) return name;
  const found = findByName(state.meters, name, path);
  if (!found) return refuseReference(path, 'is not the name of a meter of the file or the tenant');
  names.meters.set(name, found.id);
  return found.id;
}

type FeatureEntry = NonNullable<CatalogFile['features']>[number];

function parseFeatureEntry(planning: Planning, entry: FeatureEntry, path: string) {
  const { meter, creditType, archived: _, ...fields } = entry;
  const meterId =
    meter === undefined || meter === null ? null : findMeterId(planning, meter, `${path}.meter`);
  const credit =
    creditType === undefined || creditType === null
      ? undefined
      : (planning.state.creditTypes.find(({ id }) => id === creditType) ??
        findByName(planning.state.creditTypes, creditType, `${path}.creditType`) ??
        refuseReference(`${path}.creditType`, 'is not the name of a credit type of the tenant'));
  return checkAt(path, () => parseFeature({ ...fields, meterId, creditTypeId: credit?.id ?? null }));
}

/** Plans the features of a file. Error: `validation_failed`. */
export function planFeatures(planning: Planning, entries: CatalogFile['features']): void {
  if (!entries) return;
  const { state } = planning;
  for (const [n, entry] of entries.entries()) planFeature(planning, entry, `features.${n}`);
  const kept = new Set(entries.map(({ key }) => key));
  for (const { key, id, archivedAt } of state.features)
    if (!kept.has(key) && archivedAt === null)
      addStep(planning, {
        action: 'retire',
        resource: 'feature',
        key,
        path: null,
        id,
        changes: { archived: [false, true] },
        run: (unit) => archiveFeature(unit, id),
      });
}

function planFeature(planning: Planning, entry: FeatureEntry, path: string): void {
  const wanted = parseFeatureEntry(planning, entry, path);
  const { archived = false } = entry;
  const found = planning.state.features.find(({ key }) => key === wanted.key);
  const common = { resource: 'feature' as const, key: wanted.key, path };
  if (!found) {
    addStep(planning, {
      ...common,
      action: 'create',
      id: null,
      changes: compareFields({}, { ...wanted, ...(archived && { archived }) }),
      run: (unit, names) =>
        performAt(path, async () => {
          const meterId =
            wanted.meterId && isPending(wanted.meterId) ? names.meters.get(entry.meter!)! : wanted.meterId;
          const made = await createFeature(unit, { ...wanted, meterId });
          return archived ? archiveFeature(unit, made.id) : made;
        }),
    });
    return;
  }
  for (const field of ['kind', 'meterId', 'creditTypeId'] as const)
    if (found[field] !== wanted[field])
      refuseReference(`${path}.${field.replace(/Id$/, '')}`, 'is fixed: give the feature another key');
  if (found.archivedAt !== null && !archived)
    refuseReference(`${path}.archived`, 'must be true: the feature is archived, which is final');
  const changes = compareFields(
    { name: found.name, alertPercents: found.alertPercents, archived: found.archivedAt !== null },
    { name: wanted.name, alertPercents: wanted.alertPercents, archived },
  );
  if (!differs(changes)) return;
  addStep(planning, {
    ...common,
    action: changes['archived'] ? 'retire' : 'update',
    id: found.id,
    changes,
    run: (unit) =>
      performAt(path, async () => {
        await updateFeature(unit, found.id, { name: wanted.name, alertPercents: wanted.alertPercents });
        if (archived) await archiveFeature(unit, found.id);
      }),
  });
}

/** Refuses a key that no feature of the file or the tenant has. Error: `feature_not_found`. */
export const refuseUnknownFeature = (path: string): never =>
  refuse('feature_not_found', { path, message: 'is not the key of a feature of the file or the tenant' });
