/** The look-ups of records by the beginning of a text, each served by an index in its order. */
import type { Row, TenantTable } from '../../storage/model/rowTypes.ts';
import type { Match } from '../../storage/query/queries.ts';
import type { SearchType } from './searchedTypes.ts';

interface LookUp<Name extends TenantTable> {
  where: Match<Name>;
  orderBy: (keyof Row<Name> & string)[];
}

interface Prefix {
  from: string;
  before: string;
}

const mostWords = 6;

/** Matches texts that begin with a prefix; the texts are compared by code points on both databases. */
export const startingWith = (prefix: string): Prefix => ({ from: prefix, before: `${prefix}\u{10ffff}` });

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

const define = <Name extends TenantTable>(_table: Name, find: (text: string) => LookUp<Name>[]) =>
  find as (text: string) => LookUp<any>[];

/** Returns the look-ups of a type by the beginnings of its texts. */
export const beginnings: Partial<Record<SearchType, (text: string) => LookUp<any>[]>> = {
  customer: define('customers', (text) => [
    {
      where: { emailLower: startingWith(text.toLowerCase()) },
      orderBy: ['emailLower', 'createdAt', 'id'],
    },
    ...matchNames(text),
    { where: { associatedId: startingWith(text) }, orderBy: ['associatedId'] },
  ]),
  // Each kind has an index.
  invoice: define('invoices', (text) =>
    matchNumber(text).flatMap(({ where, orderBy }) => [
      { where: { ...where, documentKind: null }, orderBy },
      { where: { ...where, documentKind: 'credit_note' as const }, orderBy },
    ]),
  ),
  credit_note: define('creditNotes', matchNumber),
  intent: define('intents', (text) =>
    inEachCase(text).map((number) => ({
      where: { orderNumber: startingWith(number) },
      orderBy: ['orderNumber'],
    })),
  ),
  product: define('products', (text) => [
    {
      where: { nameLower: startingWith(text.toLowerCase()), deletedAt: null },
      orderBy: ['nameLower', 'id'],
    },
  ]),
  price: define('prices', (text) => [
    { where: { nicknameLower: startingWith(text.toLowerCase()) }, orderBy: ['nicknameLower', 'id'] },
  ]),
  coupon: define('coupons', (text) => [
    { where: { nameLower: startingWith(text.toLowerCase()) }, orderBy: ['nameLower', 'id'] },
  ]),
  promotion_code: define('promotionCodes', (text) => [
    { where: { codeLower: startingWith(text.toLowerCase()) }, orderBy: ['codeLower', 'id'] },
  ]),
  // A tenant has few.
  webhook_endpoint: define('webhookEndpoints', () => [{ where: {}, orderBy: ['createdAt', 'id'] }]),
  mail: define('mailDeliveries', (text) =>
    inEachCase(text).map((recipient) => ({
      where: { recipient: startingWith(recipient) },
      orderBy: ['recipient', 'createdAt', 'id'],
    })),
  ),
};
