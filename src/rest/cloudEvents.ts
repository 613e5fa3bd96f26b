/** Usage as a batch of CloudEvents 1.0: https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md */
import { isJsonObject } from '../lib/json.ts';
import { refuse } from '../lib/errors.ts';
import type { BodyFormat } from './route.ts';

/** The attributes that are read; the specification tells receivers to ignore those that they do not know. */
const schema = {
  type: 'array',
  minItems: 1,
  maxItems: 1000,
  items: {
    type: 'object',
    required: ['specversion', 'id', 'source', 'type'],
    properties: {
      specversion: { const: '1.0' },
      id: {
        type: 'string',
        description: 'Unique with `source`: together, with a space between, they are the id of the event.',
      },
      source: { type: 'string', description: 'What produced the event.' },
      type: { type: 'string', description: 'The name of the event, which meters count.' },
      subject: { type: 'string', description: 'The customer by your id, unless `customerid` is given.' },
      customerid: { type: 'string', description: 'The customer by their id here; an extension attribute.' },
      time: { type: 'string', format: 'date-time', description: 'When it happened. Default: now.' },
      datacontenttype: { type: 'string', description: '`application/json`, if given.' },
      data: { type: 'object', description: 'The properties of the event.' },
    },
  },
};

/** The batch format of CloudEvents as a body of `POST /usage`. */
export const cloudEventsBatch: BodyFormat = {
  mediaType: 'application/cloudevents-batch+json',
  schema,
  read: (body) => {
    if (!Array.isArray(body))
      refuse('validation_failed', { path: 'body', message: 'must be a list of CloudEvents' });
    return { events: (body as unknown[]).map(toUsageEvent) };
  },
};

function toUsageEvent(given: unknown, index: number): Record<string, unknown> {
  const fail = (name: string, message: string) =>
    refuse('validation_failed', { path: `events.${index}${name && `.${name}`}`, message });
  if (!isJsonObject(given)) return fail('', 'must be a CloudEvent');
  const { specversion, id, source, type, subject, customerid, time, datacontenttype, data } = given;
  if (specversion !== '1.0') fail('specversion', 'must be 1.0');
  for (const [name, value] of Object.entries({ id, source, type }))
    if (typeof value !== 'string' || value === '') fail(name, 'must be text that is not empty');
  if (given['data_base64'] !== undefined) fail('data_base64', 'must not be given: data is JSON');
  if (datacontenttype !== undefined && !isJsonType(datacontenttype))
    fail('datacontenttype', 'must be application/json');
  return {
    id: `${String(source)} ${String(id)}`,
    event: type,
    ...(customerid === undefined ? { associatedId: subject } : { customerId: customerid }),
    at: time,
    properties: data,
  };
}

const isJsonType = (type: unknown): boolean =>
  typeof type === 'string' && /^application\/json\s*(;|$)/i.test(type);
