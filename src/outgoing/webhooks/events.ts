import type { Row, TenantTable } from '../../storage/model/rowTypes.ts';
import { toMinor } from '../../lib/money.ts';
import {
  restoreAddOns,
  restoreCommitment,
  restoreSpendAlerts,
  restoreTaxes,
  type ShownCommitment,
  type ShownMoney,
} from '../../tenancy/traces/shownFields.ts';
import { toCurrentSpelling, type ActivityType } from '../../tenancy/traces/eventTypes.ts';
import type { TraceRow } from '../../insights/activity/traces.ts';

/** The records that an event can refer to, with their tables and activity types. */
const tables = {
  customer: { table: 'customers', type: 'CustomerEvent' },
  group: { table: 'groups', type: 'GroupEvent' },
  product: { table: 'products', type: 'ProductEvent' },
  price: { table: 'prices', type: 'PriceEvent' },
  intent: { table: 'intents', type: 'IntentEvent' },
  subscription: { table: 'subscriptions', type: 'SubscriptionEvent' },
  invoice: { table: 'invoices', type: 'InvoiceEvent' },
} as const satisfies Record<string, { table: TenantTable; type: ActivityType }>;

export type Kind = keyof typeof tables;
type RecordRow<K extends Kind> = Row<(typeof tables)[K]['table']>;

type Find = <Name extends TenantTable>(table: Name, id: string) => Promise<Row<Name> | null>;

/**
 * Returns the event's own record as of the event, or the related record of this kind as it is now. Returns null if
 * there is none or it was deleted. `find` looks up a record by id.
 */
export async function findRecord<K extends Kind>(
  { activityType, payload }: TraceRow,
  kind: K,
  find: Find,
): Promise<RecordRow<K> | null> {
  const { table, type } = tables[kind];
  const object = payload['object'] as Shown;
  if (activityType === type) {
    const now = await find(table, String(payload['resourceId']));
    return { ...now, ...toColumns(object) } as RecordRow<K>;
  }
  const id = await findRecordId(object, kind, find);
  return id === undefined ? null : ((await find(table, id)) as RecordRow<K> | null);
}

/** The records to look for the id of a record that the event's object does not contain, in order of preference. */
const routes: Partial<Record<Kind, Kind[]>> = {
  subscription: ['invoice', 'intent'],
  product: ['intent', 'subscription'],
  price: ['intent', 'subscription'],
  group: ['product'],
};

async function findRecordId(object: Shown, kind: Kind, find: Find): Promise<string | undefined> {
  const own = readRecordId(object, kind);
  if (own !== undefined) return own;
  for (const via of routes[kind] ?? []) {
    const id = await findRecordId(object, via, find);
    const found = id === undefined ? undefined : readRecordId(await find(tables[via].table, id), kind);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Columns that refer to a record but are not named after its kind. */
const otherNames: Partial<Record<Kind, string>> = {
  intent: 'paymentIntentId',
  subscription: 'changesSubscriptionId',
};

function readRecordId(record: object | null, kind: Kind): string | undefined {
  const shown = (record ?? {}) as Shown;
  const ids = [shown[`${kind}Id`], shown[otherNames[kind] ?? '']];
  return ids.find((id) => typeof id === 'string');
}

type Shown = Record<string, unknown>;

/** Columns that traces leave out while they are null, by a field that every trace of the record has. */
const columnsOfNull: Record<string, readonly string[]> = {
  total: [
    'documentNumber',
    'documentKind',
    'issuedAt',
    'finalizeAt',
    'taxes',
    'creditedMinor',
    'withdrawnMinor',
  ],
  price: [
    'addOns',
    'billing',
    'trialDays',
    'setupFeeMinor',
    'trialEndsAt',
    'billingThresholdMinor',
    'commitment',
    'spendAlerts',
  ],
  details: ['trialDays', 'setupFeeMinor'],
};

/** Returns null for the columns that a trace leaves out, which may have a value by now. */
function listNullColumns(shown: Shown): Shown {
  const columns = Object.entries(columnsOfNull).flatMap(([field, names]) =>
    shown[field] === undefined ? [] : names,
  );
  return Object.fromEntries(columns.map((name) => [name, null]));
}

/** Converts the traced form of a record to its columns. */
function toColumns(shown: Shown): Shown {
  const {
    price,
    details,
    total,
    refunded,
    credited,
    withdrawn,
    setupFee,
    taxes,
    addOns,
    recurring,
    billingThreshold,
    commitment,
    spendAlerts,
    ...others
  } = shown;
  const same = recurring === undefined ? others : withPricing(others);
  // Only a flat price has an amount per cycle; that of a unit may be finer than the currency.
  const isOfUnit = details !== undefined && same['pricing'] !== null;
  return {
    ...listNullColumns(shown),
    ...same,
    ...(typeof same['status'] === 'string' && { status: toCurrentSpelling(same['status']) }),
    ...(recurring as object | undefined),
    ...(isOfUnit
      ? { amountMinor: 0n, currency: (details as ShownMoney).currency }
      : toMinorColumns('amountMinor', price ?? details)),
    ...toMinorColumns('totalMinor', total),
    ...toMinorColumns('refundedMinor', refunded),
    ...toMinorColumns('creditedMinor', credited),
    ...toMinorColumns('withdrawnMinor', withdrawn),
    ...toMinorColumns('setupFeeMinor', setupFee),
    ...toMinorColumns('billingThresholdMinor', billingThreshold),
    ...(commitment ? { commitment: restoreCommitment(commitment as ShownCommitment) } : {}),
    ...(Array.isArray(spendAlerts) && { spendAlerts: restoreSpendAlerts(spendAlerts) }),
    ...(Array.isArray(taxes) && { taxes: restoreTaxes(taxes) }),
    ...(Array.isArray(addOns) && { addOns: restoreAddOns(addOns) }),
  };
}

/** Rebuilds the pricing columns; those of a flat price if the trace has no model. */
function withPricing(of: Shown): Shown {
  const { model, unitAmount, tiers, packageSize, usage, percentage, ...same } = of;
  const shown = Object.entries({ model, unitAmount, tiers, packageSize, usage, percentage });
  const pricing = model && Object.fromEntries(shown.filter(([, value]) => value !== undefined));
  return {
    quantity: null,
    minQuantity: null,
    maxQuantity: null,
    nickname: null,
    ...same,
    pricing: pricing ?? null,
  };
}

function toMinorColumns(column: string, shown: unknown): Shown {
  if (shown === undefined) return {};
  const { amount, currency } = shown as ShownMoney;
  return { [column]: toMinor(amount, currency, column), currency };
}
