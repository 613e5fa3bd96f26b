/** What is searched: the types of records, the texts by which each is found, and what a result shows of it. */
import { isErased } from '../../billing/customers/erasedData.ts';
import { foldText, joinTexts } from '../../lib/searchText.ts';
import type { IndexedType } from '../../storage/model/search.ts';
import type { Row, TenantTable } from '../../storage/model/rowTypes.ts';

/** The types of records that are searched, in the order of the results. */
export const searchTypes = [
  'customer',
  'subscription',
  'invoice',
  'credit_note',
  'intent',
  'payment',
  'payment_method',
  'product',
  'price',
  'coupon',
  'promotion_code',
  'webhook_endpoint',
  'mail',
  'event',
] as const;

export type SearchType = (typeof searchTypes)[number];

/** A record that was found. */
export interface SearchHit {
  nodeId: string;
  type: SearchType;
  /** What the record is called. */
  title: string;
  detail: string | null;
  customerId: string | null;
  /** The record that contains it. */
  parentId: string | null;
}

/** How the records of a table are found and shown. */
interface Searched<Name extends TenantTable> {
  table: Name;
  /** The column of the id. */
  id?: keyof Row<Name> & string;
  leaveOut?: (keyof Row<Name> & string)[];
  /** Lists the texts by which a record is found, besides its id. */
  listTexts: (row: Row<Name>) => (string | null)[];
  show: (
    row: Row<Name>,
  ) => Pick<SearchHit, 'title' | 'detail'> & Partial<Pick<SearchHit, 'customerId' | 'parentId'>>;
}

const defineSearch = <Name extends TenantTable>(searched: Searched<Name>): Searched<any> => searched;

export const searched: Record<SearchType, Searched<any>> = {
  customer: defineSearch({
    table: 'customers',
    leaveOut: ['metadata', 'address'],
    listTexts: (row) =>
      isErased(row) ? [] : [row.email, `${row.firstName} ${row.lastName}`, row.companyName, row.associatedId],
    show: ({ id, firstName, lastName, companyName, email }) => ({
      title: companyName ?? `${firstName} ${lastName}`,
      detail: email,
      customerId: id,
    }),
  }),
  subscription: defineSearch({
    table: 'subscriptions',
    leaveOut: ['metadata', 'addOns', 'pricing'],
    listTexts: () => [],
    show: ({ id, customerId, productId }) => ({ title: id, detail: null, customerId, parentId: productId }),
  }),
  invoice: defineSearch({
    table: 'invoices',
    leaveOut: ['taxes'],
    listTexts: ({ documentNumber }) => [documentNumber],
    show: ({ id, documentNumber, status, customerId }) => ({
      title: documentNumber ?? id,
      detail: status,
      customerId,
    }),
  }),
  credit_note: defineSearch({
    table: 'creditNotes',
    leaveOut: ['lines', 'taxes'],
    listTexts: ({ documentNumber }) => [documentNumber],
    show: ({ documentNumber, status, customerId, invoiceId }) => ({
      title: documentNumber,
      detail: status,
      customerId,
      parentId: invoiceId,
    }),
  }),
  intent: defineSearch({
    table: 'intents',
    leaveOut: ['addOns', 'pricing', 'discounts', 'credits', 'tax'],
    listTexts: ({ orderNumber }) => [orderNumber],
    show: ({ id, orderNumber, status, customerId, subscriptionId }) => ({
      title: orderNumber ?? id,
      detail: status,
      customerId,
      parentId: subscriptionId,
    }),
  }),
  payment: defineSearch({
    table: 'payments',
    listTexts: () => [],
    show: ({ id, status, customerId, invoiceId }) => ({
      title: id,
      detail: status,
      customerId,
      parentId: invoiceId,
    }),
  }),
  payment_method: defineSearch({
    table: 'paymentMethods',
    listTexts: ({ last4 }) => [last4],
    show: ({ brand, type, last4, customerId, provider }) => ({
      title: [brand ?? type ?? provider, last4].filter((part) => part !== null).join(' ···· '),
      detail: null,
      customerId,
      parentId: customerId,
    }),
  }),
  product: defineSearch({
    table: 'products',
    leaveOut: ['metadata'],
    listTexts: ({ name, lookupKey, deletedAt }) => (deletedAt === null ? [name, lookupKey] : []),
    show: ({ name, groupId }) => ({ title: name, detail: null, parentId: groupId }),
  }),
  price: defineSearch({
    table: 'prices',
    listTexts: ({ nickname, lookupKey }) => [nickname, lookupKey],
    show: ({ id, nickname, lookupKey, productId }) => ({
      title: nickname ?? lookupKey ?? id,
      detail: null,
      parentId: productId,
    }),
  }),
  coupon: defineSearch({
    table: 'coupons',
    leaveOut: ['metadata'],
    listTexts: ({ name, lookupKey }) => [name, lookupKey],
    show: ({ name }) => ({ title: name, detail: null }),
  }),
  promotion_code: defineSearch({
    table: 'promotionCodes',
    listTexts: ({ code }) => [code],
    show: ({ code, couponId }) => ({ title: code, detail: null, parentId: couponId }),
  }),
  webhook_endpoint: defineSearch({
    table: 'webhookEndpoints',
    listTexts: ({ url, description }) => [url, description],
    show: ({ url, description }) => ({ title: url, detail: description }),
  }),
  mail: defineSearch({
    table: 'mailDeliveries',
    leaveOut: ['data', 'tries'],
    listTexts: ({ recipient }) => [recipient],
    show: ({ recipient, kind, customerId }) => ({ title: recipient, detail: kind, customerId }),
  }),
  event: defineSearch({
    table: 'traces',
    id: 'eventId',
    leaveOut: ['payload'],
    listTexts: () => [],
    show: ({ activityType, resourceId }) => ({
      title: activityType,
      detail: null,
      parentId: resourceId,
    }),
  }),
};

/** Returns the id of a record, by which it is found as well. */
export const getRecordId = (type: SearchType, row: Record<string, unknown>): string =>
  String(row[searched[type].id ?? 'id']);

/** Returns the folded texts of a record, its id last. */
export const listFoldedTexts = (type: SearchType, row: Record<string, unknown>): string[] => [
  ...searched[type].listTexts(row).flatMap((text) => (text === null ? [] : foldText(text))),
  getRecordId(type, row).toLowerCase(),
];

/** Returns the text of a record's entry in the index. */
export const buildEntryText = (type: IndexedType, row: Record<string, unknown>): string =>
  joinTexts(listFoldedTexts(type, row));
