/** Where `perennial catalog` plans and applies: a database, or a server by its address and a key. */
import { applyCatalog, planCatalog, type CatalogPlan } from '../catalogFile/plan.ts';
import { pullCatalog } from '../catalogFile/pull.ts';
import { clientVariables } from '../config/settings.ts';
import { refuse, type Issue, type Reason } from '../lib/errors.ts';
import { openScheduledTenant } from '../tenancy/openTenant.ts';
import { createOperatorOrigin, findTenant } from '../tenancy/tenants.ts';
import { readConnection, type Connection } from './connection.ts';
import { retryWhileBusy, withService, type Flags, type Io } from './io.ts';

/** The catalogue of a tenant. */
export interface CatalogSource {
  pull(): Promise<unknown>;
  plan(file: unknown): Promise<CatalogPlan>;
  apply(file: unknown, hash: string): Promise<CatalogPlan>;
}

/** Opens the catalogue of a tenant: by `PERENNIAL_URL` and `PERENNIAL_API_KEY` if both are set, in the database otherwise. */
export async function withCatalog<T>(
  alias: string,
  flags: Flags,
  io: Io,
  work: (source: CatalogSource) => Promise<T>,
): Promise<T> {
  const isRemote = [clientVariables.url, clientVariables.apiKey].every((name) => io.env[name]);
  if (isRemote && flags['database'] === undefined) return work(openRemote(readConnection(io.env), alias));
  return withService(flags, io, async (service) => {
    const tenant = await findTenant(service, alias);
    if (!tenant) throw new Error(`There is no tenant ${alias}.`);
    const { executorId } = createOperatorOrigin(service);
    // A scope of its own for each step, so that each has the present record of the tenant.
    const open = async () => openScheduledTenant(service, (await findTenant(service, alias))!, executorId);
    return work({
      pull: async () => pullCatalog(await open()),
      plan: async (file) => planCatalog(await open(), file),
      apply: (file, hash) => retryWhileBusy(async () => applyCatalog(await open(), file, hash)),
    });
  });
}

const planFields = 'hash unmanaged changes { action resource key path recordId changes subscribers }';
const answerLimitMs = 60_000;

function openRemote({ url, apiKey }: Connection, alias: string): CatalogSource {
  const send = async (query: string, input?: object): Promise<Record<string, any>> => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'api-key': apiKey, 'perennial-tenant': alias },
      body: JSON.stringify({ query, variables: input && { input } }),
      signal: AbortSignal.timeout(answerLimitMs),
    }).catch((error: unknown) => {
      throw new Error(`${url} does not respond. Check ${clientVariables.url}.`, { cause: error });
    });
    const body: any = await response.json().catch(() => ({}));
    if (body.data && !body.errors) return body.data;
    throw readError(body.errors?.[0], `${url} returned ${response.status}.`);
  };
  return {
    pull: async () => (await send('{ catalog }'))['catalog'],
    plan: async (catalog) =>
      (
        await send(`query ($input: PlanCatalogInput!) { planCatalog(input: $input) { ${planFields} } }`, {
          catalog,
        })
      )['planCatalog'],
    apply: async (catalog, hash) =>
      (
        await send(
          `mutation ($input: ApplyCatalogInput!) { applyCatalog(input: $input) { ${planFields} } }`,
          {
            catalog,
            hash,
          },
        )
      )['applyCatalog'],
  };
}

/** Throws the error of the server as the program throws its own. */
function readError(
  error: { message: string; extensions?: { reason?: Reason; issues?: Issue[] } } | undefined,
  otherwise: string,
): Error {
  const { reason, issues = [] } = error?.extensions ?? {};
  return reason && issues.length > 0 ? refuse(reason, ...issues) : new Error(error?.message ?? otherwise);
}
