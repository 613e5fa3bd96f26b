import { eventTypes, type EventType } from '../tenancy/traces/eventTypes.ts';
import { buildJsonContent, buildObjectSchema, buildReference, type JsonSchema } from './openapiSchemas.ts';

const text = { type: 'string' };

/** The headers of every message, as Standard Webhooks specifies them. */
const headers = [
  {
    name: 'webhook-id',
    description: 'The id of the event, the same in every attempt: process each id once.',
  },
  { name: 'webhook-timestamp', description: 'When the message was sent, in seconds since 1970.' },
  {
    name: 'webhook-signature',
    description: 'Signatures of the message, one for each secret of the endpoint: `v1,` and Base64.',
  },
].map((header) => ({ ...header, in: 'header', required: true, schema: text }));

/** Returns the schema of messages. Its `data` refers to the schema of traces. */
export const buildWebhookSchemas = (): Record<string, JsonSchema> => ({
  WebhookMessage: {
    description: 'A message to a webhook endpoint.',
    ...buildObjectSchema(
      {
        type: { description: 'The name of the event.', ...text },
        timestamp: { description: 'When the change was made.', type: 'string', format: 'date-time' },
        sequence: { description: 'The number of the message for its endpoint, from 1.', type: 'integer' },
        data: {
          description: 'The trace of the change, or the data of the query that the endpoint has.',
          anyOf: [buildReference('schemas', 'Trace'), { type: 'object' }, { type: 'null' }],
        },
        errors: { description: 'The errors of the query.', type: 'array', items: { type: 'object' } },
      },
      ['type', 'timestamp', 'sequence', 'data'],
    ),
  },
});

/** Describes the message of each event. `docsUrl` is the address of the page with an example of each. */
export const describeWebhooks = (docsUrl: string): Record<string, JsonSchema> =>
  Object.fromEntries(eventTypes.map((event) => [event.name, { post: describeMessage(event, docsUrl) }]));

function describeMessage({ name, description }: EventType, docsUrl: string): JsonSchema {
  const schema = {
    allOf: [buildReference('schemas', 'WebhookMessage'), { properties: { type: { const: name } } }],
  };
  return {
    operationId: `receive${name.replace('.', '_')}`,
    tags: ['Webhooks'],
    summary: description,
    externalDocs: { url: `${docsUrl}#${name.toLowerCase().replace('.', '')}` },
    security: [],
    parameters: headers,
    requestBody: { required: true, content: buildJsonContent(schema) },
    responses: {
      '2XX': { description: 'Received. Any other response, and none in 20 seconds, is repeated later.' },
    },
  };
}
