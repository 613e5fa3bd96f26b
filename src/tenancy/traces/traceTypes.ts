import { columnNames } from '../../storage/query/tableMeta.ts';
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
  showOrder,
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
  hidden?: (keyof Row<Name>)[];
  /** Columns that `make` turns into fields, which are shown instead of them. */
  parts?: (keyof Row<Name>)[];
  make?: (row: Row<Name>) => Shown;
}

function buildActivity<Name extends TracedTable>(
  name: Name,
  { hidden = [], parts = [], make = () => ({}) }: ActivityOptions<Name> = {},
): Activity<Name> {
  const hiddenColumns = new Set<string>(hidden as string[]);
  const excluded = new Set<string>([...hidden, ...parts] as string[]);
  const shownColumns = columnNames(name).filter((column) => !excluded.has(column));
  let mapColumns: ((row: object) => Shown) | undefined;
  const show = (row: Row<Name>): Shown => {
    mapColumns ??= compileObjectMapper(shownColumns.map((column) => ({ name: column })));
    return Object.assign(mapColumns(row), make(row));
  };
  const computeChanges: Activity<Name>['computeChanges'] = (changes, before) => {
    const shown: Record<string, [unknown, unknown]> = {};
    const compare = (field: string, was: unknown, is: unknown) => {
      if (!isSame(was, is)) shown[field] = [was, is];
    };
    if (Object.keys(changes).every((column) => hiddenColumns.has(column))) return shown;
    for (const column in changes) if (!excluded.has(column)) compare(column, before[column], changes[column]);
    if (!parts.some((column) => column in changes)) return shown;
    const [was, is] = [make(before), make({ ...before, ...changes })];
    // Fields of a price model come and go with the model: a missing one is null.
    for (const field in { ...was, ...is }) compare(field, was[field] ?? null, is[field] ?? null);
    return shown;
  };
  return { type: activityTypeByTable[name], show, computeChanges: computeChanges };
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null;

const isSame = (was: unknown, is: unknown) =>
  was === is || (isObject(was) && isObject(is) && JSON.stringify(was) === JSON.stringify(is));

const showEnding = (subscription: Row<'subscriptions'>): Shown => {
  const { cancellationReason, cancellationComment, retriesStoppedReason } = subscription;
  return pickSet({ cancellationReason, cancellationComment, retriesStoppedReason });
};

/** The activity of each traced table. */
export const activities: { [Name in TracedTable]: Activity<Name> } = {
  tenants: buildActivity('tenants', {
    hidden: ['cursorSecret', 'hasWebhooks', 'discountsSince', 'invoiceItemsSince', 'revenueSince'],
    parts: [
      'changePolicy',
      'trialEndWithoutMethod',
      'seller',
      'invoiceGraceHours',
      'documentRetentionYears',
      'numberSeries',
      'vatIdCheck',
      'branding',
      'portal',
      'dunning',
      'mail',
    ],
    make: (tenant) => {
      const { changePolicy, trialEndWithoutMethod, seller, invoiceGraceHours, numberSeries } = tenant;
      const { documentRetentionYears } = tenant;
      const invoicing = { seller, invoiceGraceHours, documentRetentionYears, numberSeries };
      const { vatIdCheck, branding, portal, dunning, mail } = tenant;
      const facing = { vatIdCheck, branding, portal, dunning, mail };
      return pickSet({ changePolicy, trialEndWithoutMethod, ...invoicing, ...facing });
    },
  }),
  apiKeys: buildActivity('apiKeys', { hidden: ['secretHash', 'lastUsedAt'] }),
  operatorMemberships: buildActivity('operatorMemberships'),
  customers: buildActivity('customers', {
    hidden: ['vatIdCheckDueAt', 'firstNameLower', 'lastNameLower', 'companyNameLower', 'emailLower'],
    parts: [
      'companyName',
      'address',
      'taxIds',
      'taxExempt',
      'locale',
      'taxRateId',
      'vatIdCheck',
      'defaultPaymentMethodId',
      'mailBlockedAt',
      'mailBlockedReason',
    ],
    make: (customer) => {
      const { companyName, address, taxIds, taxExempt, locale, taxRateId } = customer;
      const { vatIdCheck, defaultPaymentMethodId, mailBlockedAt, mailBlockedReason } = customer;
      const marks = { vatIdCheck, defaultPaymentMethodId, mailBlockedAt, mailBlockedReason };
      return pickSet({ companyName, address, taxIds, taxExempt, locale, taxRateId, ...marks });
    },
  }),
  groups: buildActivity('groups', { hidden: ['nameLower'] }),
  products: buildActivity('products', {
    hidden: ['nameLower'],
    parts: ['taxCode'],
    make: ({ taxCode }) => pickSet({ taxCode }),
  }),
  prices: buildActivity('prices', {
    hidden: ['nicknameLower'],
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
      'taxBehavior',
    ],
    make: (price) => ({
      recurring: recurring(price),
      details: details(price),
      ...priceModel(price),
      ...pickSet({
        trialDays: price.trialDays,
        setupFee: setupFee(price),
        taxBehavior: price.taxBehavior,
      }),
    }),
  }),
  coupons: buildActivity('coupons', {
    hidden: ['nameLower'],
    parts: ['amountOffMinor', 'currency'],
    make: ({ amountOffMinor, currency }) => ({
      amountOff: amountOffMinor === null ? null : money(amountOffMinor, currency!),
    }),
  }),
  promotionCodes: buildActivity('promotionCodes', {
    hidden: ['activeCode', 'codeLower'],
    parts: ['minimumAmountMinor', 'currency'],
    make: ({ minimumAmountMinor, currency }) => ({
      minimumAmount: minimumAmountMinor === null ? null : money(minimumAmountMinor, currency!),
    }),
  }),
  discounts: buildActivity('discounts', {
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
      'couponId',
      'promotionCodeId',
    ],
    make: (intent) => ({
      recurring: recurring(intent),
      price: money(intent.amountMinor, intent.currency),
      ...agreedModel(intent),
      ...showOrder(intent),
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
      'cancellationReason',
      'cancellationComment',
      'retriesStoppedReason',
    ],
    make: (subscription) => ({
      recurring: { period: subscription.period, frequency: subscription.frequency },
      price: money(subscription.amountMinor, subscription.currency),
      ...agreedModel(subscription),
      ...showItems(subscription),
      ...showEnding(subscription),
    }),
  }),
  paymentMethods: buildActivity('paymentMethods', {
    hidden: ['reference', 'fingerprint', 'expiryAnnouncedAt'],
  }),
  invoices: buildActivity('invoices', {
    hidden: ['attempts', 'chargeStartedAt', 'chargeProvider', 'chargeMethod', 'remindAt', 'retryAt'],
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
  payments: buildActivity('payments', {
    hidden: ['toBalanceMinor'],
    parts: ['amountMinor', 'currency', 'disputeStatus', 'disputeReason', 'evidenceDueAt'],
    make: showPayment,
  }),
  mailTemplates: buildActivity('mailTemplates'),
  webhookEndpoints: buildActivity('webhookEndpoints', {
    hidden: ['secret', 'previousSecret', 'lastSequence'],
  }),
};
