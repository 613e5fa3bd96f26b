import { columnNames, listShownIfSet } from '../../storage/query/tableMeta.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import { compileObjectMapper } from '../../runtime/compileMapper.ts';
import {
  money,
  recurring,
  details,
  priceModel,
  agreedModel,
  pickSet,
  setupFee,
  showTaxes,
  showAutoTopUp,
  showEntitlement,
  showOrder,
  showPreview,
  showSpendAlerts,
  showUsageTerms,
  showItems,
  showInvoice,
  showPayment,
  type Shown,
} from './shownFields.ts';
import { activityTypeByTable, type ActivityType, type TracedTable } from './eventTypes.ts';

/** How changes of a table are recorded in traces. */
export interface Activity<Name extends TracedTable> {
  /** The activity type of a change. */
  type: ActivityType;
  /** Returns the resource as the interface shows it, for the trace's payload. */
  show: (row: Row<Name>) => Shown;
  /** Returns how a change of columns appears in the resource: `{field: [before, after]}`. */
  computeChanges: (changes: Partial<Row<Name>>, before: Row<Name>) => Record<string, [unknown, unknown]>;
}

interface ActivityOptions<Name extends TracedTable> {
  /** Columns that are the books' own, or secret. */
  hidden?: readonly (keyof Row<Name>)[];
  /** Columns that `make` turns into fields, which are shown instead of them, before those that are shown if they are set. */
  parts?: (keyof Row<Name>)[];
  make?: (row: Row<Name>) => Shown;
}

function buildActivity<Name extends TracedTable>(
  name: Name,
  { hidden = [], parts = [], make = () => ({}) }: ActivityOptions<Name> = {},
): Activity<Name> {
  const hiddenColumns = new Set<string>(hidden as readonly string[]);
  const shownIfSet = listShownIfSet(name);
  const fieldColumns = [...parts, ...shownIfSet];
  const excluded = new Set<string>([...hidden, ...fieldColumns] as string[]);
  const shownColumns = columnNames(name).filter((column) => !excluded.has(column));
  const makeFields = (row: Row<Name>): Shown => {
    const fields = make(row);
    for (const column of shownIfSet) if (row[column] !== null) fields[column] = row[column];
    return fields;
  };
  let mapColumns: ((row: object) => Shown) | undefined;
  const show = (row: Row<Name>): Shown => {
    mapColumns ??= compileObjectMapper(shownColumns.map((column) => ({ name: column })));
    return Object.assign(mapColumns(row), makeFields(row));
  };
  const computeChanges: Activity<Name>['computeChanges'] = (changes, before) => {
    const shown: Record<string, [unknown, unknown]> = {};
    const compare = (field: string, was: unknown, is: unknown) => {
      if (!isSame(was, is)) shown[field] = [was, is];
    };
    if (Object.keys(changes).every((column) => hiddenColumns.has(column))) return shown;
    for (const column in changes) if (!excluded.has(column)) compare(column, before[column], changes[column]);
    if (!fieldColumns.some((column) => column in changes)) return shown;
    const [was, is] = [makeFields(before), makeFields({ ...before, ...changes })];
    // Fields of a price model come and go with the model: a missing one is null.
    for (const field in { ...was, ...is }) compare(field, was[field] ?? null, is[field] ?? null);
    return shown;
  };
  return { type: activityTypeByTable[name], show, computeChanges: computeChanges };
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null;

const isSame = (was: unknown, is: unknown) =>
  was === is || (isObject(was) && isObject(is) && JSON.stringify(was) === JSON.stringify(is));

/** Columns of a tenant that only the program reads. */
export const internalTenantColumns = [
  'cursorSecret',
  'hasWebhooks',
  'discountsSince',
  'invoiceItemsSince',
  'productKindsSince',
  'usageSince',
  'thresholdsSince',
  'spendAlertsSince',
  'usageForgottenUntil',
  'revenueSince',
] as const;

/** The activity of each traced table. */
export const activities: { [Name in TracedTable]: Activity<Name> } = {
  tenants: buildActivity('tenants', {
    hidden: internalTenantColumns,
  }),
  apiKeys: buildActivity('apiKeys', { hidden: ['secretHash', 'lastUsedAt', 'lastUsedFrom', 'lastRefusal'] }),
  actionRequests: buildActivity('actionRequests', {
    parts: ['preview'],
    make: ({ preview }) => ({ preview: showPreview(preview) }),
  }),
  operatorMemberships: buildActivity('operatorMemberships', { hidden: ['views'] }),
  customers: buildActivity('customers', { hidden: ['vatIdCheckDueAt', 'vatIdStatus'] }),
  customerNotes: buildActivity('customerNotes'),
  groups: buildActivity('groups', { hidden: ['nameLower'] }),
  products: buildActivity('products', { hidden: ['nameLower', 'catalogPlace'] }),
  prices: buildActivity('prices', {
    parts: [
      'amountMinor',
      'currency',
      'frequency',
      'period',
      'executionDate',
      'pricing',
      'minQuantity',
      'maxQuantity',
      'nickname',
      'trialDays',
      'setupFeeMinor',
    ],
    make: (price) => ({
      recurring: recurring(price),
      details: details(price),
      ...priceModel(price),
      ...pickSet({ trialDays: price.trialDays, setupFee: setupFee(price) }),
    }),
  }),
  coupons: buildActivity('coupons', {
    parts: ['amountOffMinor', 'currency'],
    make: ({ amountOffMinor, currency }) => ({
      amountOff: amountOffMinor === null ? null : money(amountOffMinor, currency!),
    }),
  }),
  promotionCodes: buildActivity('promotionCodes', {
    hidden: ['activeCode'],
    parts: ['minimumAmountMinor', 'currency'],
    make: ({ minimumAmountMinor, currency }) => ({
      minimumAmount: minimumAmountMinor === null ? null : money(minimumAmountMinor, currency!),
    }),
  }),
  discounts: buildActivity('discounts', {
    hidden: ['endRecordedFor'],
    parts: ['spentInvoiceId'],
    make: ({ spentInvoiceId }) => ({ usedBy: spentInvoiceId }),
  }),
  intents: buildActivity('intents', {
    hidden: [
      'requestHash',
      'dueMinor',
      'askedAt',
      // Opens the provider's page, which leads back to the payment page.
      'actionUrl',
      'hasSecretLink',
      'balanceMinor',
      'creditedLineId',
      'creditedMinor',
      'givenBackMinor',
      'credits',
      'discounts',
      'tax',
      'taxBehavior',
    ],
    parts: [
      'amountMinor',
      'currency',
      'frequency',
      'period',
      'executionDate',
      'quantity',
      'pricing',
      'addOns',
      'billing',
      'trialDays',
      'setupFeeMinor',
      'billingThresholdMinor',
      'commitment',
      'spendAlerts',
    ],
    make: (intent) => ({
      recurring: recurring(intent),
      price: money(intent.amountMinor, intent.currency),
      ...agreedModel(intent),
      ...showOrder(intent),
      ...showUsageTerms(intent),
      ...showSpendAlerts(intent),
    }),
  }),
  subscriptions: buildActivity('subscriptions', {
    hidden: [
      'changingIntentId',
      'openInvoiceId',
      'claimedUntil',
      'trialEndAnnouncedAt',
      'taxBehavior',
      'renewalAnnouncedFor',
      'mrr',
      'retriesEndedAt',
      'accessEndedFor',
      'usageSince',
      'spendAlerted',
    ],
    parts: [
      'amountMinor',
      'currency',
      'frequency',
      'period',
      'quantity',
      'pricing',
      'addOns',
      'trialEndsAt',
      'billingThresholdMinor',
      'commitment',
      'spendAlerts',
    ],
    make: (subscription) => ({
      recurring: { period: subscription.period, frequency: subscription.frequency },
      price: money(subscription.amountMinor, subscription.currency),
      ...agreedModel(subscription),
      ...showItems(subscription),
      ...showUsageTerms(subscription),
      ...showSpendAlerts(subscription),
    }),
  }),
  paymentMethods: buildActivity('paymentMethods', {
    hidden: ['reference', 'fingerprint', 'expiryAnnouncedAt'],
  }),
  invoices: buildActivity('invoices', {
    hidden: [
      'attempts',
      'chargeStartedAt',
      'chargeProvider',
      'chargeMethod',
      'remindAt',
      'retryAt',
      'taxCountry',
      'topUp',
      'evidenceGap',
    ],
    parts: [
      'totalMinor',
      'refundedMinor',
      'currency',
      'taxes',
      'documentNumber',
      'documentKind',
      'issuedAt',
      'finalizeAt',
      'creditedMinor',
      'unchargedMinor',
      'withdrawnMinor',
    ],
    make: showInvoice,
  }),
  invoiceItems: buildActivity('invoiceItems', {
    hidden: ['explanation', 'creditedLineId', 'discounts', 'priceId', 'taxBehavior', 'taxTerms'],
    parts: ['amountMinor', 'currency'],
    make: ({ amountMinor, currency }) => ({ price: money(amountMinor, currency) }),
  }),
  creditNotes: buildActivity('creditNotes', {
    parts: ['totalMinor', 'currency', 'taxes', 'lines'],
    make: ({ totalMinor, currency, taxes, lines }) => ({
      total: money(totalMinor, currency),
      taxes: showTaxes(taxes, currency),
      lines: lines.map(({ netMinor, taxMinor, ...line }) => ({
        ...line,
        net: money(BigInt(netMinor), currency),
        tax: money(BigInt(taxMinor), currency),
      })),
    }),
  }),
  taxRates: buildActivity('taxRates'),
  meters: buildActivity('meters', { hidden: ['totalsSince', 'alertsSince'] }),
  features: buildActivity('features'),
  productEntitlements: buildActivity('productEntitlements', {
    hidden: ['since', 'earlier'],
    parts: ['terms'],
    make: ({ terms }) => showEntitlement(terms),
  }),
  entitlementOverrides: buildActivity('entitlementOverrides', {
    parts: ['terms'],
    make: ({ terms }) => showEntitlement(terms),
  }),
  creditTypes: buildActivity('creditTypes'),
  autoTopUps: buildActivity('autoTopUps', {
    hidden: ['pool', 'checkAt', 'lastInvoiceId', 'month', 'soldInMonth'],
    parts: ['thresholdMinor', 'amountMinor', 'currency', 'creditTypeId'],
    make: showAutoTopUp,
  }),
  usagePriceOverrides: buildActivity('usagePriceOverrides', {
    parts: ['pricing'],
    make: ({ pricing }) => ({ ...pricing }),
  }),
  payments: buildActivity('payments', {
    hidden: ['toBalanceMinor'],
    parts: ['amountMinor', 'currency', 'disputeStatus', 'disputeReason', 'evidenceDueAt'],
    make: showPayment,
  }),
  mailTemplates: buildActivity('mailTemplates'),
  webhookEndpoints: buildActivity('webhookEndpoints', {
    hidden: ['secret', 'previousSecret', 'lastSequence', 'queryShape'],
  }),
};
