// An example of each root field of the GraphQL schema: an operation that the schema accepts, and its variables.
import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';

const mostLeaves = 10;
const deepest = 3;

/** Values by the name of the argument or field, in order. */
const byName = [
  [/currency/i, 'eur'],
  [/email|recipient/i, 'ada@example.com'],
  [/url/i, 'https://shop.example/thanks'],
  [/timeZone/i, 'Europe/Berlin'],
  [/country/i, 'DE'],
  [/amount|decimal|percent|price/i, '12.50'],
  [/associated/i, 'user-1'],
  [/firstName/, 'Ada'],
  [/lastName/, 'Lovelace'],
  [/paymentMethod$/, 'sandbox_ok'],
  [/code$/i, 'WELCOME20'],
  [/name|legal/i, 'Pro'],
  [/description|reason|text|subject|body/i, 'A text'],
];

const scalars = {
  Int: () => 1,
  Float: () => 12.5,
  Boolean: () => true,
  DateTime: () => '2026-01-31T10:00:00.000Z',
  Decimal: () => '12.50',
  EmailAddress: () => 'ada@example.com',
  JSONObject: () => ({}),
};

const prefixes = {
  customer: 'cus',
  product: 'prod',
  price: 'price',
  group: 'grp',
  subscription: 'sub',
  intent: 'int',
  invoice: 'inv',
  coupon: 'coup',
  discount: 'disc',
  creditNote: 'cn',
  taxRate: 'txr',
  promotionCode: 'promo',
  paymentMethod: 'pm',
  trace: 'evt',
  event: 'evt',
  delivery: 'whd',
  endpoint: 'whe',
  portalSession: 'pss',
  line: 'line',
  item: 'itm',
};

/** Returns a value of a type for an argument or a field; `owner` names the record to which a plain `id` belongs. */
export function exampleValue(type, name, owner) {
  if (isNonNullType(type)) return exampleValue(type.ofType, name, owner);
  if (isListType(type)) return [exampleValue(type.ofType, name, owner)];
  if (isEnumType(type)) return type.getValues()[0].name;
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    const required = fields.filter(isRequiredInputField);
    const shown =
      required.length > 0
        ? required
        : fields.filter((field) => isLeafType(getNamedType(field.type))).slice(0, 2);
    return Object.fromEntries(
      shown.map((field) => [field.name, exampleValue(field.type, field.name, owner)]),
    );
  }
  if (type.name === 'ID') return exampleId(name === 'id' ? owner : name);
  if (scalars[type.name]) return scalars[type.name]();
  return byName.find(([pattern]) => pattern.test(name))?.[1] ?? 'text';
}

function exampleId(name) {
  const kind = Object.keys(prefixes).find((each) => name.toLowerCase().includes(each.toLowerCase()));
  return `${prefixes[kind] ?? 'cus'}_01kg9qxg8000kbw8rnyvdqak55`;
}

/** Builds the example of a root field. */
export function buildExample(operation, field) {
  const required = field.args.filter(isRequiredArgument);
  const input = field.args.find(({ name }) => name === 'input');
  const given = input && !required.includes(input) ? [...required, input] : required;
  const variables = Object.fromEntries(
    given.map((each) => [each.name, exampleValue(each.type, each.name, field.name)]),
  );
  const isPaged = field.args.some(({ name }) => name === 'first');
  const declared = given.map(({ name, type }) => `$${name}: ${type}`);
  const passed = [...given.map(({ name }) => `${name}: $${name}`), ...(isPaged ? ['first: 10'] : [])];
  const name = field.name[0].toUpperCase() + field.name.slice(1);
  const head = `${operation} ${name}${declared.length > 0 ? `(${declared.join(', ')})` : ''}`;
  const call = `${field.name}${passed.length > 0 ? `(${passed.join(', ')})` : ''}`;
  return { document: `${head} {\n  ${call}${select(field.type, 1)}\n}\n`, variables };
}

/** The selection of a type: its own fields, and the small ones of the objects in it. */
function select(type, depth) {
  const named = getNamedType(type);
  if (isLeafType(named)) return '';
  const pad = '  '.repeat(depth + 1);
  const fields = listFields(named, depth).map((text) => `${pad}${text}\n`);
  return ` {\n${fields.join('')}${'  '.repeat(depth)}}`;
}

function listFields(type, depth) {
  const fields = Object.values(type.getFields()).filter(
    (field) => !field.deprecationReason && !field.args.some(isRequiredArgument),
  );
  if (type.getFields().nodes && type.getFields().pageInfo)
    return [`nodes${select(type.getFields().nodes.type, depth + 1)}`, 'pageInfo { hasNextPage endCursor }'];
  const leaves = fields
    .filter((field) => isLeafType(getNamedType(field.type)))
    .slice(0, depth === 1 ? mostLeaves : 4);
  const small =
    depth >= deepest ? [] : fields.filter((field) => isSmall(getNamedType(field.type))).slice(0, 4);
  const shown = [
    ...leaves.map(({ name }) => name),
    ...small.map((field) => `${field.name}${select(field.type, depth + 1)}`),
  ];
  if (shown.length > 0) return shown;
  const [first] = fields;
  return first && depth < deepest + 3 ? [`${first.name}${select(first.type, depth + 1)}`] : ['__typename'];
}

/** Money and its like: an object of a few plain fields. */
const isSmall = (type) =>
  isObjectType(type) &&
  Object.values(type.getFields()).length <= 4 &&
  Object.values(type.getFields()).every((field) => isLeafType(getNamedType(field.type)));
