type Schema = Record<string, any>;

/**
 * What in a value does not fit its schema, each with its place; nothing where all fits. It knows the keywords that the
 * document uses, and reports any other.
 */
export function misfits(document: Schema, schema: Schema, value: unknown, at = 'answer'): string[] {
  return Object.entries(schema).flatMap(([keyword, wanted]) => {
    const check = keywords[keyword];
    return check ? check({ document, schema, wanted, value, at }) : [`${at}: unknown keyword ${keyword}`];
  });
}

interface Check {
  document: Schema;
  schema: Schema;
  wanted: any;
  value: any;
  at: string;
}

const nothing = () => [];

const keywords: Record<string, (check: Check) => string[]> = {
  description: nothing,
  $ref: ({ document, wanted, value, at }) => misfits(document, dereference(document, wanted), value, at),
  anyOf: ({ document, wanted, value, at }) => {
    const tried = (wanted as Schema[]).map((each) => misfits(document, each, value, at));
    return tried.some((problems) => problems.length === 0) ? [] : tried.flat();
  },
  allOf: ({ document, wanted, value, at }) =>
    (wanted as Schema[]).flatMap((each) => misfits(document, each, value, at)),
  const: ({ wanted, value, at }) => (value === wanted ? [] : [`${at}: ${String(value)} is not ${wanted}`]),
  type: ({ wanted, value, at }) => {
    const types = [wanted].flat() as string[];
    const isWhole = types.includes('integer') && Number.isInteger(value);
    return isWhole || types.includes(getJsonType(value))
      ? []
      : [`${at}: ${getJsonType(value)}, not ${types.join('|')}`];
  },
  format: ({ wanted, value, at }) =>
    typeof value !== 'string' || formats[wanted]?.test(value) ? [] : [`${at}: ${value} is no ${wanted}`],
  pattern: ({ wanted, value, at }) =>
    typeof value !== 'string' || new RegExp(wanted, 'u').test(value)
      ? []
      : [`${at}: ${value} is not ${wanted}`],
  enum: ({ wanted, value, at }) => (wanted.includes(value) ? [] : [`${at}: ${value} is none of the words`]),
  required: ({ wanted, value, at }) =>
    getJsonType(value) !== 'object'
      ? []
      : (wanted as string[])
          .filter((name) => !Object.hasOwn(value, name))
          .map((name) => `${at}.${name}: missing`),
  properties: ({ document, wanted, value, at }) =>
    listMembers(value)
      .filter(([name]) => Object.hasOwn(wanted, name))
      .flatMap(([name, member]) => misfits(document, wanted[name], member, `${at}.${name}`)),
  additionalProperties: ({ document, schema, wanted, value, at }) =>
    listMembers(value)
      .filter(([name]) => !Object.hasOwn(schema['properties'] ?? {}, name))
      .flatMap(([name, member]) => {
        if (typeof wanted === 'object') return misfits(document, wanted, member, `${at}.${name}`);
        return wanted ? [] : [`${at}.${name}: not in the schema`];
      }),
  maxItems: ({ wanted, value, at }) =>
    Array.isArray(value) && value.length > wanted ? [`${at}: more than ${wanted} items`] : [],
  items: ({ document, wanted, value, at }) =>
    Array.isArray(value)
      ? value.flatMap((each, index) => misfits(document, wanted, each, `${at}.${index}`))
      : [],
};

const formats: Record<string, RegExp> = {
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  'idn-email': /^[^@\s]+@[^@\s]+$/u,
};

const listMembers = (value: unknown) =>
  getJsonType(value) === 'object' ? Object.entries(value as Schema) : [];

function getJsonType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** What a reference of the document points to. */
export function dereference(document: Schema, pointer: string): Schema {
  return pointer
    .split('/')
    .slice(1)
    .reduce((part, name) => part[name], document);
}
