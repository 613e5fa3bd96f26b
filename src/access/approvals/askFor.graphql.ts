/** Asking for an operation instead of performing it. */
import { isRequiredArgument, type GraphQLResolveInfo, type GraphQLSchema } from 'graphql';
import type { Context } from '../../graphql/context.ts';
import { refuse } from '../../lib/errors.ts';
import { formatSuggestions } from '../../lib/suggestions.ts';
import type { ActionPreview } from '../../storage/model/approvals.ts';
import { describeUnit, findConcerned } from './preview.ts';
import {
  execute,
  findProposable,
  listProposable,
  writeArguments,
  type Proposable,
} from '../../graphql/proposable.ts';
import { createRequest, parseTerms, type Decider, type RequestRow, type RequestTerms } from './requests.ts';

/** What a client asks for: an operation and its arguments. */
interface ProposedAction extends RequestTerms {
  operation: string;
  id?: string | null;
  input?: Record<string, unknown> | null;
}

/** Returns who makes a request. */
export const describeCaller = ({ tenant, client }: Context): Decider => ({
  id: tenant.caller!.keyId,
  name: client?.signedIn?.operator.name ?? null,
});

/**
 * Records a request for an operation, which is not performed. Errors: `validation_failed`, `action_without_effect`, and those with
 * which the operation would be refused now.
 */
export async function proposeAction(
  context: Context,
  schema: GraphQLSchema,
  { operation, id, input, ...terms }: ProposedAction,
): Promise<RequestRow> {
  const { tenant } = context;
  const action = findProposable(schema, operation) ?? refuseUnknown(schema, operation);
  const given = { ...(id != null && { id }), ...(input != null && { input }) };
  refuseArguments(action, given);
  const parsed = parseTerms(tenant, terms);
  const asked = await preview(context, action, given);
  return tenant.write((unit) => createRequest(unit, describeCaller(context), asked, parsed));
}

/**
 * Asks for the operation that a key called without its permission. A repeat of the request with the same idempotency key names
 * the same request for it. Error: `approval_required`, and those of `proposeAction`.
 */
export async function askForOperation(
  context: Context,
  { schema, path, fieldName }: Pick<GraphQLResolveInfo, 'schema' | 'path' | 'fieldName'>,
  args: Record<string, unknown>,
): Promise<never> {
  const { tenant } = context;
  const action = findProposable(schema, fieldName)!;
  return tenant.performOnce(String(path.key), async () => {
    const terms = parseTerms(tenant, {});
    const asked = await preview(context, action, writeArguments(action.field, args));
    const { value: request } = await tenant.checkpoint('action proposed', (unit) =>
      createRequest(unit, describeCaller(context), asked, terms),
    );
    return refuse('approval_required', { path: 'actionRequest', message: request.id });
  });
}

function refuseUnknown(schema: GraphQLSchema, operation: string): never {
  const names = listProposable(schema).map(({ name }) => name);
  return refuse('validation_failed', {
    path: 'operation',
    message: `is not an operation that can be asked for.${formatSuggestions(operation, names)}`,
  });
}

/** Refuses arguments that the operation does not take, and a call without those that it needs. */
function refuseArguments({ field }: Proposable, given: Record<string, unknown>): void {
  const fail = (path: string, message: string) => refuse('validation_failed', { path, message });
  for (const name of Object.keys(given))
    if (!field.args.some((arg) => arg.name === name)) fail(name, `is no argument of ${field.name}`);
  for (const arg of field.args)
    if (isRequiredArgument(arg) && given[arg.name] === undefined) fail(arg.name, 'is required');
}

/** Thrown inside a unit to roll it back. */
class Previewed extends Error {
  constructor() {
    super('The unit was a preview.');
  }
}

/**
 * Executes an operation as far as the unit of work that decides it, and rolls that back. Returns what it would do. Errors:
 * `action_without_effect`, and those of the operation.
 */
async function preview(context: Context, action: Proposable, input: Record<string, unknown>) {
  let seen: { preview: ActionPreview; customerId: string | null } | undefined;
  const tenant = context.tenant.openSupervised(async (unit, rule) => {
    await rule(unit);
    seen = { preview: await describeUnit(unit), customerId: findConcerned(unit) };
    throw new Previewed();
  });
  try {
    await execute(action, context.openWithin('preview', tenant), input);
  } catch (error) {
    if (!seen) throw error;
  }
  if (!seen || seen.preview.changes.length === 0) return refuse('action_without_effect');
  return { operation: action.field.name, input, ...seen };
}
