/** Usage as a batch of CloudEvents 1.0: https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md */
import { isJsonObject } from '../lib/json.ts';
import { refuse } from '../lib/errors.ts';
import { isGiven } from '../lib/validation.ts';
import type { BodyFormat } from './route.ts';
import { readApart, type Fault } from './usageEvents.ts';

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

/** The batch format of CloudEvents as a body of `POST /usage`. Each event is accepted or refused by itself. */
export const cloudEventsBatch: BodyFormat = {
  mediaType: 'application/cloudevents-batch+json',
  schema,
  read: (body) => {
    if (!Array.isArray(body))
      return refuse('validation_failed', { path: 'body', message: 'must be a list of CloudEvents' });
    return readApart(body, findFault, toUsageEvent);
  },
};

type CloudEvent = Record<string, unknown>;

/** Finds what is wrong with the form of an event; the recording checks its values. */
function findFault(given: unknown): Fault | undefined {
  if (!isJsonObject(given)) return ['', 'must be a CloudEvent'];
  const { specversion, id, source, type, subject, customerid, datacontenttype, data } = given;
  if (specversion !== '1.0') return ['specversion', 'must be 1.0'];
  for (const [name, value] of Object.entries({ id, source, type }))
    if (typeof value !== 'string' || value === '') return [name, 'must be text that is not empty'];
  for (const [name, value] of Object.entries({ subject, customerid }))
    if (isGiven(value) && typeof value !== 'string') return [name, 'must be text'];
  if (given['data_base64'] !== undefined) return ['data_base64', 'must not be given: data is JSON'];
  if (datacontenttype !== undefined && !isJsonType(datacontenttype))
    return ['datacontenttype', 'must be application/json'];
  return isGiven(data) && !isJsonObject(data) ? ['data', 'must be an object'] : undefined;
}

const toUsageEvent = ({ id, source, type, subject, customerid, time, data }: CloudEvent): CloudEvent => ({
  id: `${String(source)} ${String(id)}`,
  event: type,
  ...(customerid === undefined ? { associatedId: subject } : { customerId: customerid }),
  at: time,
  properties: data,
});

const isJsonType = (type: unknown): boolean =>
  typeof type === 'string' && /^application\/json\s*(;|$)/i.test(type);
