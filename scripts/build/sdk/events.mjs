// Writes the types of webhooks from the server's table of events, and of their records from its recorded examples.
import { getNamedType, isEnumType, isScalarType } from 'graphql';
import { groupBy, writeComment } from './types.mjs';

/** The object type of the schema that shows the record of an activity type, if its name differs. */
const schemaNames = {
  IntentEvent: 'SubscriptionIntent',
  OperatorEvent: 'TenantOperator',
  SubscriptionEvent: 'SubscriptionContract',
  WebhookEvent: 'WebhookEndpoint',
};

/** Returns the name of an event as handlers write it: `payment_method.removed` for `PaymentMethodEvent.removed`. */
const shortenName = ({ activityType, action }) =>
  `${activityType
    .replace(/Event$/, '')
    .replace(/(?!^)[A-Z]/g, '_$&')
    .toLowerCase()}.${action}`;

/** Writes the table of names, and the type of each event. */
export function writeEvents(schema, eventTypes, examples) {
  const byType = groupBy(eventTypes, ({ activityType }) => activityType);
  const records = Object.entries(byType).map(([activityType, events]) => {
    const payloads = events.map(({ name }) => examples[name]?.data.payload).filter(Boolean);
    const shown = payloads.map(({ object }) => object).filter(Boolean);
    const description = `The record of the events of ${activityType}, as it is after the event.`;
    return `${writeComment(description)}export type ${activityType}Record = ${writeShape(shown, readSchemaTypes(schema, activityType))};\n`;
  });
  const rows = eventTypes.map((event) => {
    const details = examples[event.name]?.data.payload.details;
    const written = details ? `, ${writeShape([details], () => undefined)}` : '';
    return `${writeComment(event.description, '  ')}  '${shortenName(event)}': WebhookEvent<'${event.name}', '${shortenName(event)}', ${event.activityType}Record${written}>;\n`;
  });
  return `import type { WebhookEvent } from '../event.ts';\n\n${records.join('\n')}
/** The event of each name. */
export interface WebhookEvents {\n${rows.join('')}}\n`;
}

/** Writes the names of all events by the activity type of the server and the noun of the handlers. */
export function writeEventNames(eventTypes) {
  const rows = Object.entries(groupBy(eventTypes, ({ activityType }) => activityType)).map(
    ([activityType, events]) => {
      const [noun] = shortenName(events[0]).split('.');
      return `  ['${activityType}', '${noun}', '${events.map(({ action }) => action).join(' ')}'],\n`;
    },
  );
  return `const rows = [\n${rows.join('')}] as const;

/** The names of events as handlers write them, by the server's own. */
export const eventNames: Readonly<Record<string, string>> = Object.fromEntries(
  rows.flatMap(([activityType, noun, actions]) =>
    actions.split(' ').map((action) => [\`\${activityType}.\${action}\`, \`\${noun}.\${action}\`]),
  ),
);
`;
}

/** Returns a function that reads the type of a field from the schema, for values that are null in every example. */
function readSchemaTypes(schema, activityType) {
  const type = schema.getType(schemaNames[activityType] ?? activityType.replace(/Event$/, ''));
  return (name) => {
    const field = type?.getFields()[name];
    const named = field && getNamedType(field.type);
    if (!named) return undefined;
    if (isEnumType(named)) return 'string';
    if (!isScalarType(named)) return undefined;
    if (['Int', 'Float'].includes(named.name)) return 'number';
    if (named.name === 'Boolean') return 'boolean';
    return named.name.startsWith('JSON') ? 'unknown' : 'string';
  };
}

/** Writes a type that has all values. */
function writeShape(values, findType, name) {
  const kinds = new Set(values.map(describe));
  const hasNull = kinds.delete('null');
  const written = [...kinds]
    .toSorted((a, b) => a.localeCompare(b))
    .map((kind) => {
      if (kind === 'object')
        return writeFields(
          values.filter((each) => describe(each) === 'object'),
          findType,
          name,
        );
      if (kind !== 'array') return kind;
      const items = values.filter(Array.isArray).flat();
      const item = items.length === 0 ? 'unknown' : writeShape(items, () => undefined);
      return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
    });
  if (kinds.size === 0) written.push((name && findType(name)) ?? 'unknown');
  if (hasNull && !written.includes('unknown')) written.push('null');
  return written.join(' | ');
}

/** Objects whose keys are the adopter's own. */
const free = new Set(['metadata', 'properties', 'match']);

function writeFields(objects, findType, owner) {
  if (free.has(owner)) return 'Record<string, unknown>';
  const names = new Set(objects.flatMap((each) => Object.keys(each)));
  const fields = [...names].map((name) => {
    const having = objects.filter((each) => Object.hasOwn(each, name));
    const mark = having.length < objects.length ? '?' : '';
    const values = having.map((each) => each[name]);
    return `${name}${mark}: ${writeShape(values, owner === undefined ? findType : () => undefined, name)}`;
  });
  return `{ ${fields.join('; ')} }`;
}

function describe(value) {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
