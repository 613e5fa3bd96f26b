/** The search over all records: by their ids, numbers, names and addresses, each from its beginning. */
import { findIdType } from '../../lib/ids.ts';
import { refuse } from '../../lib/errors.ts';
import type { Row, TenantTable } from '../../storage/model/rowTypes.ts';
import type { Match } from '../../storage/query/queries.ts';
import type { Reads } from '../../storage/store.ts';

/** The types of records that are searched, in the order of the results. */
export const searchTypes = [
  'customer',
  'subscription',
  'invoice',
  'credit_note',
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

const [shortestQuery, longestQuery] = [2, 200];
const mostWords = 6;

interface LookUp<Name extends TenantTable> {
  where: Match<Name>;
  orderBy: (keyof Row<Name> & string)[];
}

/** How the records of a table are found and shown. */
interface Searched<Name extends TenantTable> {
  table: Name;
  /** The column of the id. */
  id?: keyof Row<Name> & string;
  /** Returns the look-ups, each served by an index in its order. A table without them is searched by ids only. */
  find?: (text: string) => LookUp<Name>[];
  leaveOut?: (keyof Row<Name> & string)[];
  show: (
    row: Row<Name>,
  ) => Pick<SearchHit, 'title' | 'detail'> & Partial<Pick<SearchHit, 'customerId' | 'parentId'>>;
}

interface Prefix {
  from: string;
  before: string;
}

/** Matches texts that begin with a prefix; the texts are compared by code points on both databases. */
const startingWith = (prefix: string): Prefix => ({ from: prefix, before: `${prefix}\u{10ffff}` });

const inEachCase = (text: string): string[] => [...new Set([text, text.toLowerCase(), text.toUpperCase()])];

const [byFirstName, byLastName] = [
  ['firstNameLower', 'lastNameLower', 'id'],
  ['lastNameLower', 'firstNameLower', 'id'],
] as const;

/** Finds "Ada Lovelace" and "Lovelace Ada", and the beginnings of both. */
function matchNames(text: string): LookUp<'customers'>[] {
  const lower = text.toLowerCase();
  const words = lower.split(' ');
  const splits = words.slice(1, mostWords).flatMap((_, index): LookUp<'customers'>[] => {
    const [first, rest] = [words.slice(0, index + 1).join(' '), words.slice(index + 1).join(' ')];
    return [
      { where: { firstNameLower: first, lastNameLower: startingWith(rest) }, orderBy: [...byFirstName] },
      { where: { lastNameLower: first, firstNameLower: startingWith(rest) }, orderBy: [...byLastName] },
    ];
  });
  const whole = startingWith(lower);
  return [
    { where: { firstNameLower: whole }, orderBy: [...byFirstName] },
    { where: { lastNameLower: whole }, orderBy: [...byLastName] },
    { where: { companyNameLower: whole }, orderBy: ['companyNameLower', 'id'] },
    ...splits,
  ];
}

/** Finds documents by number. */
const matchNumber = (text: string): { where: { documentNumber: Prefix }; orderBy: ['documentNumber'] }[] =>
  inEachCase(text).map((number) => ({
    where: { documentNumber: startingWith(number) },
    orderBy: ['documentNumber'],
  }));

const defineSearch = <Name extends TenantTable>(searched: Searched<Name>): Searched<any> => searched;

const searched: Record<SearchType, Searched<any>> = {
  customer: defineSearch({
    table: 'customers',
    leaveOut: ['metadata', 'address'],
    find: (text) => [
      {
        where: { emailLower: startingWith(text.toLowerCase()) },
        orderBy: ['emailLower', 'createdAt', 'id'],
      },
      ...matchNames(text),
      { where: { associatedId: startingWith(text) }, orderBy: ['associatedId'] },
    ],
    show: ({ id, firstName, lastName, companyName, email }) => ({
      title: companyName ?? `${firstName} ${lastName}`,
      detail: email,
      customerId: id,
    }),
  }),
  subscription: defineSearch({
    table: 'subscriptions',
    show: ({ id, customerId, productId }) => ({
      title: id,
      detail: null,
      customerId,
      parentId: productId,
    }),
  }),
  invoice: defineSearch({
    table: 'invoices',
    // Each kind has an index.
    find: (text) =>
      matchNumber(text).flatMap(({ where, orderBy }) => [
        { where: { ...where, documentKind: null }, orderBy },
        { where: { ...where, documentKind: 'credit_note' as const }, orderBy },
      ]),
    show: ({ id, documentNumber, status, customerId }) => ({
      title: documentNumber ?? id,
      detail: status,
      customerId,
    }),
  }),
  credit_note: defineSearch({
    table: 'creditNotes',
    leaveOut: ['lines'],
    find: matchNumber,
    show: ({ documentNumber, status, customerId, invoiceId }) => ({
      title: documentNumber,
      detail: status,
      customerId,
      parentId: invoiceId,
    }),
  }),
  product: defineSearch({
    table: 'products',
    leaveOut: ['metadata'],
    find: (text) => [
      {
        where: { nameLower: startingWith(text.toLowerCase()), deletedAt: null },
        orderBy: ['nameLower', 'id'],
      },
    ],
    show: ({ name, groupId }) => ({ title: name, detail: null, parentId: groupId }),
  }),
  price: defineSearch({
    table: 'prices',
    find: (text) => [
      { where: { nicknameLower: startingWith(text.toLowerCase()) }, orderBy: ['nicknameLower', 'id'] },
    ],
    show: ({ id, nickname, productId }) => ({ title: nickname ?? id, detail: null, parentId: productId }),
  }),
  coupon: defineSearch({
    table: 'coupons',
    leaveOut: ['metadata'],
    find: (text) => [
      { where: { nameLower: startingWith(text.toLowerCase()) }, orderBy: ['nameLower', 'id'] },
    ],
    show: ({ name }) => ({ title: name, detail: null }),
  }),
  promotion_code: defineSearch({
    table: 'promotionCodes',
    find: (text) => [
      { where: { codeLower: startingWith(text.toLowerCase()) }, orderBy: ['codeLower', 'id'] },
    ],
    show: ({ code, couponId }) => ({ title: code, detail: null, parentId: couponId }),
  }),
  webhook_endpoint: defineSearch({
    table: 'webhookEndpoints',
    // A tenant has few.
    find: () => [{ where: {}, orderBy: ['createdAt', 'id'] }],
    show: ({ url, description }) => ({ title: url, detail: description }),
  }),
  mail: defineSearch({
    table: 'mailDeliveries',
    leaveOut: ['data', 'tries'],
    find: (text) =>
      inEachCase(text).map((recipient) => ({
        where: { recipient: startingWith(recipient) },
        orderBy: ['recipient', 'createdAt', 'id'],
      })),
    show: ({ recipient, kind, customerId }) => ({ title: recipient, detail: kind, customerId }),
  }),
  event: defineSearch({
    table: 'traces',
    id: 'eventId',
    leaveOut: ['payload'],
    show: ({ activityType, resourceId }) => ({
      title: activityType,
      detail: null,
      parentId: resourceId,
    }),
  }),
};

/** The type of the records whose ids have this form. */
const typesById: Record<string, SearchType | undefined> = {
  Customer: 'customer',
  SubscriptionContract: 'subscription',
  Invoice: 'invoice',
  CreditNote: 'credit_note',
  Product: 'product',
  Price: 'price',
  Coupon: 'coupon',
  PromotionCode: 'promotion_code',
  WebhookEndpoint: 'webhook_endpoint',
  MailDelivery: 'mail',
  Trace: 'event',
};

/**
 * Returns the records that a text finds from its beginning, at most `first`, by their types in the order of `searchTypes`. A
 * text in the form of an id finds that type by its ids only. Error: `validation_failed`.
 */
export async function searchRecords(
  reads: Reads,
  query: string,
  types: readonly SearchType[],
  first: number,
): Promise<SearchHit[]> {
  const text = query.trim().replace(/\s+/g, ' ');
  if (text.length < shortestQuery || text.length > longestQuery)
    refuse('validation_failed', {
      path: 'query',
      message: `must have ${shortestQuery} to ${longestQuery} characters`,
    });
  const named = typesById[findIdType(text) ?? ''];
  const wanted = searchTypes.filter((type) => types.includes(type) && (!named || type === named));
  const found = await Promise.all(
    wanted.map((type) => (named ? findById(reads, type, text, first) : findByText(reads, type, text, first))),
  );
  return shareOut(found, first);
}

function findById(reads: Reads, type: SearchType, text: string, limit: number): Promise<SearchHit[]> {
  const { id = 'id' } = searched[type];
  return lookUp(reads, type, [{ where: { [id]: startingWith(text) }, orderBy: [id] }], limit);
}

async function findByText(reads: Reads, type: SearchType, text: string, limit: number): Promise<SearchHit[]> {
  const hits = await lookUp(reads, type, searched[type].find?.(text) ?? [], limit);
  if (type !== 'webhook_endpoint') return hits;
  const part = text.toLowerCase();
  return hits.filter(({ title, detail }) => `${title} ${detail ?? ''}`.toLowerCase().includes(part));
}

const mostEndpoints = 50;

async function lookUp(
  reads: Reads,
  type: SearchType,
  lookUps: LookUp<any>[],
  first: number,
): Promise<SearchHit[]> {
  const { table, id = 'id', leaveOut, show } = searched[type];
  const limit = type === 'webhook_endpoint' ? mostEndpoints : first;
  const rows = await Promise.all(
    lookUps.map(async ({ where, orderBy }) => reads.many(table, { where, orderBy, limit, leaveOut })),
  );
  const hits = new Map<string, SearchHit>();
  for (const row of rows.flat()) {
    const nodeId = String(row[id]);
    if (!hits.has(nodeId)) hits.set(nodeId, { customerId: null, parentId: null, ...show(row), type, nodeId });
  }
  return [...hits.values()];
}

/** Takes the best of each type in turn, so that one type does not push out the others. */
function shareOut(found: SearchHit[][], most: number): SearchHit[] {
  const total = found.reduce((sum, { length }) => sum + length, 0);
  const counts = found.map(() => 0);
  for (let left = Math.min(most, total); left > 0;) {
    for (const [index, { length }] of found.entries()) {
      if (left === 0 || counts[index]! >= length) continue;
      counts[index]! += 1;
      left -= 1;
    }
  }
  return found.flatMap((hits, index) => hits.slice(0, counts[index]));
}
