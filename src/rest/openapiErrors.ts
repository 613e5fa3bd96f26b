import { catalogue, type Reason } from '../lib/errors.ts';
import { buildObjectSchema, buildJsonContent, buildReference, type JsonSchema } from './openapiSchemas.ts';
import type { Route } from './route.ts';

const retryAfter = {
  description: 'Seconds to wait before a retry.',
  schema: { type: 'integer', minimum: 0 },
};

const isReason = (word: string): word is Reason => Object.hasOwn(catalogue, word);
const listReasons = (status: number) =>
  Object.keys(catalogue)
    .filter(isReason)
    .filter((reason) => catalogue[reason].status === status);

/** Statuses with the same reasons for every operation that can return them. */
const sharedStatuses = [401, 413, 415, 429, 500, 503];

/** Returns the shared headers and error responses. */
export const buildErrorComponents = (): JsonSchema => ({
  headers: { RetryAfter: retryAfter },
  responses: Object.fromEntries(
    sharedStatuses.map((status) => [`Error${status}`, describeError(status, listReasons(status))]),
  ),
});

/** Describes the error responses of an operation by status, from the reasons that its root field declares. */
export function describeErrors(route: Route, reasons: Reason[]): JsonSchema {
  const takesBody = route.method === 'POST' || route.method === 'PATCH';
  const shared = sharedStatuses.filter((status) => takesBody || (status !== 413 && status !== 415));
  const possible = new Set<Reason>(reasons);
  const own = Object.keys(catalogue)
    .filter(isReason)
    .filter((reason) => possible.has(reason) && !shared.includes(catalogue[reason].status))
    // A request for an action is no error.
    .filter((reason) => reason !== 'approval_required');
  const statuses = new Set(own.map((reason) => catalogue[reason].status));
  return Object.fromEntries([
    ...shared.map((status) => [status, buildReference('responses', `Error${status}`)]),
    ...Array.from(statuses, (status) => [
      status,
      describeError(
        status,
        own.filter((reason) => catalogue[reason].status === status),
      ),
    ]),
  ]);
}

function describeError(status: number, reasons: Reason[]): JsonSchema {
  return {
    description: reasons.map((reason) => `\`${reason}\`: ${catalogue[reason].message}`).join('\n\n'),
    ...((status === 429 || status === 503) && {
      headers: { 'Retry-After': buildReference('headers', 'RetryAfter') },
    }),
    content: buildJsonContent(buildReference('schemas', 'Error')),
  };
}

/** Returns the schemas of the error body, with a table of the catalogue. */
export function buildErrorSchemas(): Record<string, JsonSchema> {
  const text = { type: 'string' };
  const texts = { type: 'object', additionalProperties: text };
  const buildRequired = (properties: Record<string, JsonSchema>) =>
    buildObjectSchema(properties, Object.keys(properties));
  const cause = buildRequired({
    message: text,
    issues: { type: 'array', items: buildReference('schemas', 'Issue') },
  });
  const rows = Object.entries(catalogue).map(
    ([reason, { status, message }]) => `| ${status} | \`${reason}\` | ${message} |`,
  );
  return {
    Issue: {
      description: 'A problem with a request. `path` names the field, for example `prices.0.details.amount`.',
      ...buildRequired({ path: text, message: text }),
    },
    Error: {
      description: ['An error.\n', '| code | reason | meaning |', '| --- | --- | --- |', ...rows].join('\n'),
      ...buildRequired({
        cause: {
          description: 'The fields with problems, for people.',
          anyOf: [cause, { type: 'null' }],
        },
        body: buildRequired({
          code: { description: 'The HTTP status.', type: 'integer' },
          reason: {
            description: 'The reason, for programs. Reasons are never renamed.',
            type: 'string',
            enum: Object.keys(catalogue),
          },
          request: buildRequired({ body: text, headers: texts, url: text, method: text }),
          response: buildRequired({ body: text, headers: texts }),
        }),
      }),
    },
  };
}
