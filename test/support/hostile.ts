import fc from 'fast-check';
import {
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type GraphQLInputType,
} from 'graphql';
import type { World } from './world.ts';

/** A place in the fields of a request, and the values refused there because of its type. */
export interface Place {
  path: string[];
  required: boolean;
  type: string;
  refused: unknown[];
}

/** Stands for a number that JSON can write and JavaScript cannot hold. */
const endless = '@@1e400';

/** The JSON of a value, numbers beyond doubles and keys such as `__proto__` included. */
export const writeJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(`"${endless}"`, '1e400');

/** An object with a key that `{}` would take for its prototype. */
export const withProto = (json: string): Record<string, unknown> => JSON.parse(json);

const nul = 'a\0b';
const unkeepable = [nul, '\ud800', 'x\udc00', '\udfffy\ud800'];
const notText = [5, 1.5, true, [], ['a'], {}, { a: 1 }, withProto('{"__proto__":"a"}')];

/** Dates that the calendar, the clock or ISO 8601 does not have, or that say no offset. */
export const badDates = [
  '2026-02-30',
  '2026-13-01',
  '2026-00-10',
  '2026-01-01T24:00:00Z',
  '2026-01-01T10:60:00Z',
  '2016-12-31T23:59:60Z',
  '2026-01-01T10:00:00',
  '2026-01-01 10:00:00Z',
  '2026-01-01T10:00:00+25:00',
  '0000-01-01',
  '10000-01-01',
  '+010000-01-01T00:00:00Z',
  '-000001-01-01T00:00:00Z',
  '2026-W01-1',
  '20260101',
  '26-01-01',
  '01/02/2026',
  'now',
  '',
  ' ',
  '1767225600',
  '2026-01-01T10:00:00Z[Europe/Berlin]',
  "2026-01-01'; DROP TABLE customers; --",
  '٢٠٢٦-٠١-٠١',
];

const badEmails = [
  '',
  'a',
  'a@',
  '@b.co',
  'a b@c.co',
  'a@b c.co',
  'a@b..co',
  'a@b.co,c@d.co',
  '<a@b.co>',
  'Ada <a@b.co>',
  'a@b.co\r\nbcc: c@d.co',
  'a@@b.co',
  `${'a'.repeat(5000)}@b.co`,
  `a@${'b.'.repeat(2000)}co`,
  'a.'.repeat(2500),
];

/** Addresses that a browser must not be sent to. */
export const badAddresses = [
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  'java\nscript:alert(1)',
  'ftp://shop.example/',
  'data:text/html,hello',
  'file:///etc/passwd',
  'mailto:a@b.co',
  '//shop.example/',
  '/receipt',
  'shop.example',
  'http://',
  'https://',
  'https:shop.example',
  'https:/shop.example',
  'https://shop example/',
  'https://shop.example/a b',
  ' https://shop.example/',
  'https://shop.example/ ',
  'https://shop.example/\r\nset-cookie: a=b',
  'https://shop.example/\t',
  'https://shop.example:99999/',
  'https://[::1/',
  '',
  ' ',
  `https://shop.example/${'a'.repeat(5000)}`,
];

const deep = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);
const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, key) => [`k${key}`, 'v']));

const badMetadata = [
  5,
  'a',
  '',
  true,
  [],
  [{}],
  keys(51),
  keys(10_000),
  deep(40),
  { a: deep(17) },
  { ['k'.repeat(41)]: 'a' },
  { a: 'v'.repeat(501) },
  { a: endless },
  { a: 2 ** 60 },
  { a: 9_007_199_254_740_993 },
  { [nul]: 'a' },
  { '\ud800': 'a' },
  { a: nul },
  { a: ['\udc00'] },
  { a: { b: { '\ud800': 1 } } },
];

const words = ['up', '', 'constructor', '__proto__', 'toString', 'hasOwnProperty', 5, true, [], {}, nul];

/** Texts that are no decimal numbers, or have more digits than one may have. */
const badDecimals = [
  '',
  ' ',
  'a',
  '1e5',
  '+1',
  ' 1',
  '1.',
  '.5',
  '1,5',
  '0x1',
  '١',
  'NaN',
  '1'.repeat(5000),
].concat(['0.0000000000001', '1234567890123456789']);

/** Metadata that properties of a usage event may be: their names are longer, and they are not added up. */
const takenProperties = badMetadata.filter((value) =>
  ['{"a":1152921504606846976}', `{"${'k'.repeat(41)}":"a"}`].includes(JSON.stringify(value)),
);

/** What each scalar must refuse wherever it stands. */
const refusedBy: Record<string, unknown[]> = {
  ...Object.fromEntries(
    ['String', 'CountryCode', 'Currency', 'Date', 'URL'].map((name) => [name, [...notText, ...unkeepable]]),
  ),
  ID: [1.5, true, [], ['a', 'b'], {}, withProto('{"__proto__":"a"}'), ...unkeepable],
  Int: ['5', '', 'a', true, [], {}, 0.5, 1.5, -1, 0, 2 ** 31, 1e300, endless, -(2 ** 40)],
  Float: ['1', '', 'a', true, [], {}, -1, -0.01, 1e300, endless, 123456789012345680, 1e-7],
  Boolean: ['true', '', 'a', 1, 0, [], {}],
  DateTime: [...badDates, 5, 0, 1.5, true, [], {}, ...unkeepable],
  EmailAddress: [...badEmails, 5, true, [], {}, ...unkeepable],
  Decimal: [...badDecimals, 1e300, endless, 1e-13, true, [], {}, ...unkeepable],
  JSONObject: badMetadata,
  // The values of features, of a limit.
  JSON: ['a', '', '-1', -1, 1e300, 1e-13, true, [], {}],
};

/** Further values that a field of a name must refuse. */
const refusedIn: Record<string, unknown[]> = {
  limit: [101],
  first: [101],
  last: [101],
  receiptUrl: badAddresses,
  returnUrl: badAddresses,
  orderNumber: ['', 'x'.repeat(256)],
  reason: ['', ' ', 'x'.repeat(201)],
  currency: ['zzz', '', 'afn ', 'xau', 'AFN;', 'u'.repeat(5000), '__proto__', 'constructor'],
  period: [1_000_000],
  description: ['x'.repeat(5001)],
};

/** Values that a field of a name accepts, unlike others of its type. */
const takenIn: Record<string, unknown[]> = {
  paymentTermsDays: [0],
  trialDays: [0],
  invoiceGraceHours: [0],
  accessGraceDays: [0],
  renewalNoticeDays: [0],
  sortOrder: [0],
  priority: [0],
  properties: takenProperties,
};

/** Names of people and things. Elsewhere (`name` as a filter) only long values are refused. */
const labels = new Set(['firstName', 'lastName', 'name']);

/** Texts that are no harm unless somebody makes code, markup or a pattern of them. */
export const oddTexts = [
  "'; DROP TABLE customers; --",
  "' OR '1'='1",
  '" OR ""="',
  "1); DELETE FROM tenants WHERE ('1'='1",
  '%',
  '_%',
  '!%!_!!',
  '\\',
  '$1 ? :id @id',
  '../../../etc/passwd',
  '__proto__',
  'constructor',
  'toString',
  '<script>alert(1)</script>',
  '${7*7} {{7*7}} #{7*7}',
  'x'.repeat(5000),
  '😀'.repeat(50),
  'e\u0301 \u202e \u2028 \u200b \ufeff',
  '\r\n\t',
  'null',
  'undefined',
  'NaN',
  '',
  ' ',
];

/** Every place in an argument or a variable where a value can stand, its inputs and lists unfolded. */
export function listPlaces(name: string, type: GraphQLInputType): Place[] {
  return unfold([name], type, name);
}

function unfold(path: string[], given: GraphQLInputType, field: string): Place[] {
  const required = isNonNullType(given);
  const type = required ? given.ofType : given;
  if (isListType(type)) {
    const isOfInputs = isInputObjectType(getNamedType(type));
    // GraphQL takes a single value for a list of one.
    const refused = isOfInputs ? [5, 'a', [5], [null], [[]], {}] : [[null], [[]], [{}], {}, [1.5]];
    return [{ path, required, type: 'list', refused }, ...unfold([...path, '0'], type.ofType, field)];
  }
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    const refused = [
      5,
      'a',
      true,
      [],
      [5],
      { unknown: 1 },
      withProto('{"__proto__":{}}'),
      { constructor: 1 },
    ];
    return [
      { path, required, type: 'input', refused },
      ...fields.flatMap((each) => unfold([...path, each.name], each.type, each.name)),
    ];
  }
  const scalar = getNamedType(type).name;
  const label = labels.has(field) ? ['x'.repeat(201), ...(required ? ['', ' ', '\t'] : [])] : [];
  const own = [...(refusedBy[scalar] ?? words), ...(refusedIn[field] ?? []), ...label];
  const refused = own.filter((value) => !takenIn[field]?.includes(value));
  return [{ path, required, type: scalar, refused }];
}

/** Whether a database could refuse the value after all else has let it pass: bytes that it cannot keep, numbers too large. */
export const concernsDatabase = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.includes('\0') || !value.isWellFormed() || value === endless
    : typeof value === 'number' && Math.abs(value) >= 2 ** 31;

/** Copies the values with another value at the place, and creates missing parents. */
export function placed(values: unknown, path: string[], value: unknown): any {
  const [first, ...rest] = path;
  if (first === undefined) return value;
  if (first === '0') return [placed(Array.isArray(values) ? values[0] : undefined, rest, value)];
  const object = typeof values === 'object' && values !== null ? values : {};
  return { ...object, [first]: placed((object as any)[first], rest, value) };
}

/** A value as it is written into a document of GraphQL, without its type. */
export function writeLiteral(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (value === endless) return '1e400';
  if (Array.isArray(value)) return `[${value.map(writeLiteral).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const written = Object.entries(value).map(([key, member]) => `${writeKey(key)}: ${writeLiteral(member)}`);
  return `{${written.join(', ')}}`;
}

const writeKey = (key: string) => (/^\w+$/.test(key) ? key : JSON.stringify(key));

/** A value as the literal of a type; the words of an enum are not quoted. */
export function writeLiteralOf(given: GraphQLInputType, value: unknown): string {
  const type = getNullableType(given);
  if (isEnumType(type))
    return typeof value === 'string' && /^[A-Za-z_]\w*$/.test(value) ? value : writeLiteral(value);
  if (isListType(type) && Array.isArray(value))
    return `[${value.map((each) => writeLiteralOf(type.ofType, each)).join(', ')}]`;
  if (!isInputObjectType(type) || typeof value !== 'object' || value === null || Array.isArray(value))
    return writeLiteral(value);
  const fields = type.getFields();
  const written = Object.entries(value).map(
    ([key, each]) =>
      `${writeKey(key)}: ${fields[key] ? writeLiteralOf(fields[key].type, each) : writeLiteral(each)}`,
  );
  return `{${written.join(', ')}}`;
}

/** Made once: fast-check lists a million characters for it. */
const anyText = fc.string({ unit: 'binary', maxLength: 40 });

/** One to four places of a request, each with something that may or may not belong there. */
export const listChanges = (places: Place[], world: World) =>
  fc.array(
    fc.record({
      place: fc.constantFrom(...places),
      value: fc.oneof(
        fc.constantFrom(...places.flatMap(({ refused }) => refused), ...oddTexts),
        fc.jsonValue({ maxDepth: 4 }),
        anyText,
        fc.double(),
        fc.constantFrom<unknown>(...Object.values(world), '2026-01-01', 'https://a.example/', true, 5, null),
      ),
    }),
    { minLength: 1, maxLength: 4 },
  );
