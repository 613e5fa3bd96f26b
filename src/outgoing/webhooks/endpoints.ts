import * as z from 'zod';
import { parseInput, longText } from '../../lib/validation.ts';
import { refuse } from '../../lib/errors.ts';
import { toCustomIssue } from '../../lib/issueCodes.ts';
import { createSecret, parseOverlap } from '../../lib/signedMessages.ts';
import { addMs } from '../../lib/time.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { Reads } from '../../storage/store.ts';
import { readPage, type Page, type PageArgs } from '../../tenancy/pagination.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { UnitOfWork } from '../../tenancy/unitOfWork.ts';
import { cancelPending } from './deliveries.ts';
import { eventFilter } from './eventFilters.ts';
import { findUrlProblem } from '../../lib/urlPolicy.ts';

export type EndpointRow = Row<'webhookEndpoints'>;

/** An endpoint with a secret to be shown once, encrypted until then. */
export interface EndpointWithSecret {
  endpoint: EndpointRow;
  sealedSecret: string;
}

/**
 * The shape of events that payload queries select from. A query sees the shape for which it was stored until its endpoint gets
 * another query, so that an upgrade never changes messages. Queries of release 0.9 and before have none.
 */
export const currentEventShape = 1;

const mostEndpoints = 50;
const longestQuery = 20_000;

/** Builds the validation of an endpoint's URL and query for a tenant; the tenant determines the allowed URLs. */
function buildFieldSchemas({ record, dispatcher }: TenantScope) {
  const rules = { mayBePlain: record.test, mayBePrivate: dispatcher.mayCallPrivate };
  const url = z.string().superRefine((text, context) => {
    const problem = findUrlProblem(text, rules);
    if (problem) context.addIssue(toCustomIssue(problem));
  });
  const query = z
    .string()
    .max(longestQuery, { error: `must be at most ${longestQuery} characters`, abort: true })
    .superRefine((text, context) => {
      const message = dispatcher.findQueryProblem(text);
      if (message) context.addIssue({ code: 'custom', message });
    });
  return { url, query };
}

/** Checks the fields of a new endpoint. Error: `validation_failed`. */
export function parseEndpoint(tenant: TenantScope, input: unknown) {
  const { url, query } = buildFieldSchemas(tenant);
  return parseInput(
    z.object({
      url,
      description: longText.nullish().transform((text) => text ?? ''),
      events: eventFilter.nullish().transform((names) => names ?? []),
      query: query.nullish().transform((text) => text ?? null),
      active: z.boolean().optional().default(true),
    }),
    input,
  );
}

/**
 * Creates an endpoint that receives events from now on. Error: `validation_failed`, also if the server has no
 * encryption key for secrets.
 */
export async function createEndpoint(tenant: TenantScope, input: unknown): Promise<EndpointWithSecret> {
  const values = parseEndpoint(tenant, input);
  const secret = createSealedSecret(tenant);
  const endpoint = await tenant.write((unit) => addEndpoint(unit, values, secret));
  return { endpoint, sealedSecret: endpoint.secret };
}

/** Adds an endpoint whose fields are checked. Error: `validation_failed` for more than a tenant may have. */
export async function addEndpoint(
  unit: UnitOfWork,
  values: ReturnType<typeof parseEndpoint>,
  secret: string,
): Promise<EndpointRow> {
  const others = await unit.many('webhookEndpoints', { where: {}, limit: mostEndpoints });
  if (others.length === mostEndpoints) {
    refuse('validation_failed', {
      path: 'input',
      message: `a tenant may have at most ${mostEndpoints} endpoints`,
    });
  }
  await unit.change('tenants', unit.tenant, { hasWebhooks: true });
  return unit.create('webhookEndpoints', {
    id: unit.id('whe'),
    ...values,
    queryShape: currentEventShape,
    secret,
    lastSequence: 0,
    createdAt: unit.now,
    updatedAt: unit.now,
  });
}

/** Creates the secret of an endpoint. Error: `validation_failed` if the server has no encryption key for secrets. */
export const createSealedSecret = (tenant: TenantScope): string =>
  tenant.seal(createSecret(tenant.randomBytes));

/**
 * Changes an endpoint. Disabling it cancels its pending deliveries, which can be replayed. Errors: `validation_failed`,
 * `webhook_endpoint_not_found`.
 */
export async function updateEndpoint(tenant: TenantScope, id: string, input: unknown): Promise<EndpointRow> {
  const { url, query } = buildFieldSchemas(tenant);
  const changes = parseInput(
    z.object({
      url: url.optional(),
      description: longText
        .nullable()
        .transform((text) => text ?? '')
        .optional(),
      events: eventFilter
        .nullable()
        .transform((names) => names ?? [])
        .optional(),
      query: query.nullable().optional(),
      active: z.boolean().optional(),
    }),
    input,
  );
  return tenant.write((unit) => changeEndpoint(unit, id, changes));
}

/** Changes an endpoint by fields that are checked. Error: `webhook_endpoint_not_found`. */
export async function changeEndpoint(
  unit: UnitOfWork,
  id: string,
  changes: Partial<ReturnType<typeof parseEndpoint>>,
): Promise<EndpointRow> {
  const endpoint = await findEndpoint(unit, id);
  if (changes.active === false && endpoint.active) await cancelPending(unit, id);
  const reason = changes.active ? { disabledReason: null } : {};
  const shape = changes.query === undefined ? {} : { queryShape: currentEventShape };
  return unit.change('webhookEndpoints', endpoint, { ...changes, ...shape, ...reason });
}

/** Deletes an endpoint; its deliveries stay in the log. Error: `webhook_endpoint_not_found`. */
export async function deleteEndpoint(unit: UnitOfWork, id: string): Promise<EndpointRow> {
  const endpoint = await findEndpoint(unit, id);
  await cancelPending(unit, id);
  await unit.remove('webhookEndpoints', endpoint);
  const left = await unit.one('webhookEndpoints', {});
  if (!left) await unit.change('tenants', unit.tenant, { hasWebhooks: false });
  return endpoint;
}

/**
 * Rotates the secret of an endpoint. The previous secret also signs for `overlapSeconds` (default: a day; at most a
 * week). Errors: `validation_failed`, `webhook_endpoint_not_found`.
 */
export async function rotateSecret(
  tenant: TenantScope,
  id: string,
  overlapSeconds?: number | null,
): Promise<EndpointWithSecret> {
  const overlapMs = parseOverlap(overlapSeconds, 1);
  const secret = createSealedSecret(tenant);
  const endpoint = await tenant.write(async (unit) => {
    const before = await findEndpoint(unit, id);
    const changes = {
      secret,
      previousSecret: before.secret,
      previousSecretUntil: addMs(unit.now, overlapMs),
    };
    return unit.change('webhookEndpoints', before, changes, { action: 'secret_rotated' });
  });
  return { endpoint, sealedSecret: endpoint.secret };
}

/** Returns the endpoint with this id. Error: `webhook_endpoint_not_found`. */
export async function findEndpoint(reads: Reads, id: string): Promise<EndpointRow> {
  return (await reads.one('webhookEndpoints', { id })) ?? refuse('webhook_endpoint_not_found');
}

/** Lists the tenant's endpoints; newest first by default. Errors: `validation_failed`, `cursor_invalid`. */
export function listEndpoints(tenant: TenantScope, args: PageArgs): Promise<Page<EndpointRow>> {
  const list = { name: 'webhookEndpoints', table: 'webhookEndpoints' as const, where: {} };
  return readPage(tenant, { ...list, by: ['createdAt', 'id'] }, args);
}
