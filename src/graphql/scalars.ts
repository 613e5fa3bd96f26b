import { GraphQLError, GraphQLScalarType, Kind, print, type ValueNode } from 'graphql';
import { GraphQLDateTimeISO, GraphQLEmailAddress, GraphQLJSON, GraphQLJSONObject } from 'graphql-scalars';
import { parseDecimal } from '../lib/decimal.ts';
import { withCode } from './issueCodes.ts';

/**
 * Output of the graphql-scalars types: values from the database are valid, so they are returned unchanged. Checking
 * each again would take longer than reading it.
 */
const asStored = { serialize: (value: unknown) => value };

/** Reads a literal of a document. Its error has the literal and its position, as those of GraphQL's own scalars. */
function readLiteral(node: ValueNode, read: (value: unknown) => string, value: unknown): string {
  try {
    return read(value);
  } catch (error) {
    throw new GraphQLError(`${print(node)} ${(error as Error).message}.`, { nodes: node });
  }
}

/** A value that is not of the type of its field, which the rule of the field refuses itself (`checkedByRule`). */
export class UncheckedValue {
  readonly text: string;

  constructor(value: unknown) {
    this.text = typeof value === 'string' ? value : JSON.stringify(value);
  }
}

const dateAlone = /^\d{4}-\d{2}-\d{2}$/;

function readInstant(value: unknown): string {
  if (value instanceof UncheckedValue) return value.text;
  if (typeof value !== 'string') throw new GraphQLError('must be an ISO 8601 date or date-time');
  if (dateAlone.test(value)) return value;
  try {
    GraphQLDateTimeISO.parseValue(value);
    return value;
  } catch {
    throw new GraphQLError('must be an ISO 8601 date, or date-time with its offset');
  }
}

export const DateTime = new GraphQLScalarType({
  name: 'DateTime',
  description:
    'An instant in ISO 8601. Output is in UTC with milliseconds (`2026-01-31T00:00:00.000Z`). Input may ' +
    "have any offset, or be a date, which means midnight in the tenant's time zone.",
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339',
  ...asStored,
  parseValue: readInstant,
  parseLiteral: (node) => readLiteral(node, readInstant, node.kind === Kind.STRING ? node.value : undefined),
});

/** The text of a number as it was written: a JSON number reads back as the same decimal up to 15 digits. */
function readDecimalText(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text === 'string' && parseDecimal(text)) return text;
  const message = 'must be a decimal number, as text such as "0.000375"';
  throw new GraphQLError(message, { extensions: withCode('not_a_number') });
}

export const Decimal = new GraphQLScalarType({
  name: 'Decimal',
  description:
    'An exact number as text, such as `"0.000375"`: at most 18 digits before the point and 12 after it, without an ' +
    'exponent. Inputs may also be numbers.',
  specifiedByURL: 'https://www.w3.org/TR/xmlschema11-2/#decimal',
  ...asStored,
  parseValue: readDecimalText,
  parseLiteral: (node) =>
    readLiteral(
      node,
      readDecimalText,
      node.kind === Kind.STRING || node.kind === Kind.INT || node.kind === Kind.FLOAT
        ? node.value
        : undefined,
    ),
});

export const JSONObject = new GraphQLScalarType({ ...GraphQLJSONObject.toConfig(), ...asStored });

export const JSONValue = new GraphQLScalarType({
  ...GraphQLJSON.toConfig(),
  name: 'JSON',
  description: 'Any JSON value.',
  ...asStored,
});

/** Marks a JSONObject field whose values are all text. */
export const textValues = { textValues: true };

/** Letters, digits and marks of any script, besides what HTML permits (`GraphQLEmailAddress`); no spaces or controls. */
const internationalAddress =
  /^[\p{L}\p{M}\p{N}.!#$%&'*+/=?^_`{|}~-]+@[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?(?:\.[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?)*$/u;

/** Returns the address in the composed form (NFC), so that both ways to write `é` are one address. */
const readInternational = (value: unknown): string | undefined =>
  typeof value === 'string' && internationalAddress.test(value) ? value.normalize('NFC') : undefined;

function readAddress(value: unknown): string {
  const international = readInternational(value);
  if (international !== undefined) return international;
  try {
    return GraphQLEmailAddress.parseValue(value);
  } catch (error) {
    throw new GraphQLError((error as Error).message, { extensions: withCode('not_an_email') });
  }
}

export const EmailAddress = new GraphQLScalarType({
  name: 'EmailAddress',
  description: 'An e-mail address, also an international one such as `rené@müller.example`.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc6531',
  ...asStored,
  parseValue: readAddress,
  parseLiteral: (node) =>
    (node.kind === Kind.STRING ? readInternational(node.value) : undefined) ??
    GraphQLEmailAddress.parseLiteral(node, undefined),
});

function readText(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new GraphQLError('must be text');
}

/** Defines a scalar of texts that clients may tell from others. The rules check inputs, with errors of their own. */
const defineText = (name: string, description: string, specifiedByURL: string) =>
  new GraphQLScalarType({
    name,
    description,
    specifiedByURL,
    ...asStored,
    parseValue: readText,
    parseLiteral: (node) => readLiteral(node, readText, node.kind === Kind.STRING ? node.value : undefined),
  });

export const Currency = defineText(
  'Currency',
  'An ISO 4217 currency code in lower case, such as `afn`.',
  'https://www.iso.org/iso-4217-currency-codes.html',
);

export const CountryCode = defineText(
  'CountryCode',
  'An ISO 3166-1 alpha-2 country code in upper case, such as `AF`.',
  'https://www.iso.org/iso-3166-country-codes.html',
);

export const DateScalar = defineText(
  'Date',
  'A date without a time, such as `2026-01-31`.',
  'https://www.rfc-editor.org/rfc/rfc3339',
);

export const UrlScalar = defineText(
  'URL',
  'An absolute URL, such as `https://shop.example/plans`.',
  'https://www.rfc-editor.org/rfc/rfc3986',
);
