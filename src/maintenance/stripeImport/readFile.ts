import { isTooDeep, nestingLimit, refuseBadText } from '../../lib/storableText.ts';
import { parsePrice } from './apiPrices.ts';
import { parseCustomer, parseProduct, parseSubscription } from './apiRecords.ts';
import { parseCsv } from './csv.ts';
import { addRows } from './csvRecords.ts';
import { listExpandedMethods, parseMethod } from './paymentMethods.ts';
import type { StripeExport } from './records.ts';
import { parseTaxRate } from './taxRates.ts';
import { expectedForm, isObject, parseObject, readRecord, shorten, type Json } from './values.ts';

const scalar = /^(?:null|true|false|-?\d[\d.eE+-]*|"[^"\n]*")$/;

/**
 * Reads one file exported from Stripe into `into`: a CSV of the dashboard, or JSON objects of the API (a list, an
 * array, or one per line). Throws an Error for any other content and for an empty file.
 */
export function readStripeFile(bytes: Uint8Array, into: StripeExport): void {
  const text = decode(bytes).trim();
  if (text === '') throw new Error(`The file is empty. ${expectedForm}`);
  if (text.startsWith('{') || text.startsWith('[')) {
    for (const object of parseObjects(text, into)) addObject(object, into);
  } else if (scalar.test(text)) refuseOtherValues();
  else addRows(parseCsv(text), into);
}

/** Decodes UTF-8, with or without a byte order mark. */
function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new Error(`The file is not UTF-8 text. ${expectedForm}`, { cause: error });
  }
}

function refuseOtherValues(): never {
  throw new Error(`The JSON holds something other than objects. ${expectedForm}`);
}

/** Parses JSON text, or text with JSON on each line, into objects. Adds a note if a list has more pages. */
function parseObjects(text: string, into: StripeExport): Json[] {
  const objects = parseValues(text).flatMap((value) => unwrapList(value, into));
  return objects.every(isObject) ? objects : refuseOtherValues();
}

function parseValues(text: string): unknown[] {
  const whole = parseJson(text);
  if ('value' in whole) return [whole.value];
  const lines = text.split('\n').map(parseLine);
  const [first] = lines;
  if (first && 'problem' in first) throw new Error(`The JSON cannot be read: ${whole.problem}.`);
  return lines.flatMap((line, index) => {
    if (line === undefined) return [];
    if ('value' in line) return [line.value];
    throw new Error(`The JSON cannot be read at line ${index + 1}: ${line.problem}.`);
  });
}

type ParsedJson = { value: unknown } | { problem: string };

const parseLine = (line: string): ParsedJson | undefined =>
  line.trim() === '' ? undefined : parseJson(line);

function parseJson(text: string): ParsedJson {
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(text) ? { problem: `it is nested deeper than ${nestingLimit} levels` } : { value };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

function unwrapList(value: unknown, into: StripeExport): unknown[] {
  if (Array.isArray(value)) return value;
  if (!isObject(value) || value['object'] !== 'list') return [value];
  const { data, has_more: hasMore } = value;
  if (!Array.isArray(data)) throw new Error('A list has no data.');
  const note =
    'A list in the files has further pages at Stripe (has_more): import the files of those pages, too.';
  if (hasMore === true && !into.notes.includes(note)) into.notes.push(note);
  return data;
}

const adders: Record<string, (object: Json, into: StripeExport) => unknown> = {
  customer: (object, into) => {
    into.customers.push(parseCustomer(object));
    const { default_payment_method: method } = parseObject(object['invoice_settings'], 'invoice_settings');
    into.methods.push(...listExpandedMethods(method, object['default_source']));
  },
  product: (object, into) => into.products.push(parseProduct(object)),
  price: (object, into) => into.prices.push(parsePrice(object)),
  subscription: (object, into) => {
    into.subscriptions.push(parseSubscription(object));
    into.methods.push(...listExpandedMethods(object['default_payment_method'], object['default_source']));
  },
  payment_method: (object, into) => into.methods.push(parseMethod(object)),
  tax_rate: (object, into) => into.taxRates.push(parseTaxRate(object)),
};

/** Adds an object of the API. Throws an Error that names the object if it has no id or a field cannot be read. */
function addObject(object: Json, into: StripeExport): void {
  const kind = typeof object['object'] === 'string' ? object['object'] : 'object';
  const add = Object.hasOwn(adders, kind) ? adders[kind]! : undefined;
  if (!add)
    throw new Error(
      `Stripe's ${shorten(kind)} is not customer, product, price, subscription, tax_rate or payment_method.`,
    );
  readRecord(kind, object['id'], () => {
    refuseBadText(object);
    add(object, into);
  });
}
