import fc from 'fast-check';

/** Values chosen by fast-check, one at a time, so that a seed reproduces all of them. */
export type Choose = fc.GeneratorValue;

/** A request that may be anything but unsendable. */
export interface FuzzRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
  /** Bytes to be broken: where, how, and with what. Undefined: it is sent as it is. */
  damage?: Damage;
}

export interface Damage {
  /** The head may be broken too, or the body alone, which then has its right length. */
  where: 'all' | 'body';
  edits: { at: number; how: 'replace' | 'insert' | 'remove' | 'repeat'; byte: number }[];
}

type Schema = Record<string, any>;

/** One in this many values is of no sensible form. */
const oneWildIn = 12;
const mostDepth = 4;

const pools: Record<string, string> = {
  tenantAlias: 'tenantAlias',
  customer: 'customerId',
  associatedCustomerId: 'associatedId',
};
const pooled = new Set([
  'tenantAlias',
  'customerId',
  'associatedId',
  'productId',
  'priceId',
  'groupId',
  'intentId',
  'subscriptionId',
  'cursor',
]);

/** Stands for a value that the server has given: replaced when the request is sent. */
const placeholder = (name: string, index: number) => `@@${name}:${index}@@`;

/** Replaces placeholders by values that the server has returned. */
export function withKnown(
  text: string,
  known: Map<string, string[]>,
  escape = (value: string) => value,
): string {
  return text.replace(/@@(\w+):(\d+)@@/g, (_, name: string, index: string) => {
    const values = known.get(name) ?? [];
    return escape(values[Number(index) % values.length] ?? 'none');
  });
}

export const chance = (g: Choose, of: number) => g(fc.nat, { max: of - 1 }) === 0;
export const pick = <T>(g: Choose, values: readonly T[]): T => values[g(fc.nat, { max: values.length - 1 })]!;

/** A text for a field of that name: often one that the server knows. */
export function textFor(g: Choose, name: string): string {
  const pool = pools[name] ?? name;
  if (pooled.has(pool) && !chance(g, 5)) return placeholder(pool, g(fc.nat, { max: 1000 }));
  if (name === 'email') return pick(g, ['ada@example.com', 'x@y', 'ü@example.com']);
  if (name.toLowerCase().includes('url'))
    return pick(g, ['https://127.0.0.1/hook', 'http://[::1]/', 'javascript:x']);
  if (name === 'currency') return pick(g, ['usd', 'AFN', 'jpy', 'kwd', 'xxx']);
  if (name.endsWith('Method'))
    return pick(g, ['sandbox_ok', 'sandbox_declined', 'sandbox_ok_then_declined', 'x']);
  return g(fc.string, { unit: 'binary', maxLength: 40 });
}

/** An instant, near or far, or similar text. */
export const instant = (g: Choose): string =>
  pick(g, [
    '2026-02-30',
    '2030-01-31T10:00:00Z',
    '2026-01-31',
    '9999-12-31T23:59:59.999Z',
    '0001-01-01',
    'now',
  ]);

/** Any JSON value. */
export const wild = (g: Choose): unknown => g(fc.jsonValue, { maxDepth: 3, stringUnit: 'binary' });

export const number = (g: Choose): number =>
  pick(g, [
    0,
    1,
    2,
    10,
    100,
    101,
    -1,
    0.5,
    5.001,
    1e15,
    2 ** 53,
    1e308,
    g(fc.nat),
    g(fc.double, { noNaN: true, noDefaultInfinity: true }),
  ]);

/** A value of a JSON schema; now and then of another. */
export function drawValue(g: Choose, schema: Schema, document: Schema, name: string, depth = 0): unknown {
  if (chance(g, oneWildIn)) return wild(g);
  if (schema.$ref) {
    const target = (schema.$ref as string)
      .split('/')
      .slice(1)
      .reduce((at, step) => at[step], document);
    return drawValue(g, target, document, name, depth);
  }
  const options = schema.oneOf ?? schema.anyOf;
  if (options) return drawValue(g, pick(g, options as Schema[]), document, name, depth);
  if (schema.enum) return pick(g, schema.enum as unknown[]);
  const type = Array.isArray(schema.type) ? pick(g, schema.type as string[]) : schema.type;
  if (type === 'object') return drawObject(g, schema, document, depth);
  if (type === 'array') {
    const length = depth > mostDepth ? 0 : g(fc.nat, { max: 3 });
    return Array.from({ length }, () => drawValue(g, schema.items ?? {}, document, name, depth + 1));
  }
  if (type === 'integer' || type === 'number') return number(g);
  if (type === 'boolean') return chance(g, 2);
  if (type === 'null') return null;
  return String(schema.format).startsWith('date') ? instant(g) : textFor(g, name);
}

function drawObject(g: Choose, schema: Schema, document: Schema, depth: number): object {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  const required = new Set(schema.required as string[]);
  const chosen = properties.filter(([name]) => (required.has(name) ? !chance(g, 20) : chance(g, 2)));
  const own = Object.fromEntries(
    chosen.map(([name, each]) => [name, drawValue(g, each, document, name, depth + 1)]),
  );
  return properties.length === 0 || chance(g, 20) ? { ...(wild(g) as object | null), ...own } : own;
}

/** How a request is broken. */
export function drawDamage(g: Choose, hasBody: boolean): Damage {
  const edits = Array.from({ length: 1 + g(fc.nat, { max: 4 }) }, () => ({
    at: g(fc.nat, { max: 1_000_000 }),
    how: pick(g, ['replace', 'insert', 'remove', 'repeat'] as const),
    byte: g(fc.nat, { max: 255 }),
  }));
  return { where: hasBody && chance(g, 2) ? 'body' : 'all', edits };
}

/** The bytes after they have been broken. */
export function broken(bytes: Buffer, { edits }: Damage): Buffer {
  return edits.reduce((whole, { at, how, byte }) => {
    const place = whole.length === 0 ? 0 : at % whole.length;
    const [before, after] = [whole.subarray(0, place), whole.subarray(place)];
    if (how === 'repeat') return Buffer.concat([whole, after]);
    const rest = how === 'insert' ? after : after.subarray(1);
    return Buffer.concat([before, how === 'remove' ? Buffer.alloc(0) : Buffer.of(byte), rest]);
  }, bytes);
}
