import type { ApolloServer } from '@apollo/server';
import type { Context } from '../graphql/context.ts';
import { BillingError, type Issue, type Reason } from '../lib/errors.ts';

/** Who calls a tool: executes operations by the permissions, limits and idempotency key of the request. */
export interface Caller {
  readonly tenantAlias: string;
  /** The id under which the changes of the request are traced. */
  readonly traceId: string;
  /** Whether no real money moves in the tenant. */
  readonly isTestTenant: boolean;
  /**
   * Executes an operation like one that is sent to `/graphql`, and returns its data. `names` renames the beginnings of the
   * paths of errors, from an argument of the operation to one of the tool. Throws the BillingError of the first field that
   * fails.
   */
  run<Data>(
    document: string,
    variables?: Record<string, unknown>,
    names?: Record<string, string>,
  ): Promise<Data>;
}

/** Creates the caller of a request. */
export function createCaller(apollo: ApolloServer<Context>, context: Context): Caller {
  const { alias: tenantAlias, record, origin } = context.tenant;
  return {
    tenantAlias,
    traceId: origin.traceId,
    isTestTenant: record.test,
    run: async <Data>(
      query: string,
      variables: Record<string, unknown> = {},
      names: Record<string, string> = {},
    ) => {
      const contextValue = context.renew();
      const { body } = await apollo.executeOperation({ query, variables }, { contextValue });
      if (body.kind !== 'single') throw new BillingError('internal_error');
      const { data, errors } = body.singleResult;
      const [failure] = errors ?? [];
      if (failure) throw readFailure(failure.message, failure.extensions as unknown as Failure, names);
      return data as Data;
    },
  };
}

interface Failure {
  reason: Reason;
  issues?: Issue[];
  retryAfterSeconds?: number;
}

/** Returns the error that `formatFailure` has formatted. */
function readFailure(
  message: string,
  { reason, issues = [], retryAfterSeconds }: Failure,
  names: Record<string, string>,
): BillingError {
  const error = new BillingError(
    reason,
    issues.map((issue) => ({ ...issue, path: rename(issue.path, names) })),
    retryAfterSeconds,
  );
  // For a document that is wrong, the message says what and where.
  error.message = message;
  return error;
}

/** The name of an empty path comes before paths that have no other name. */
function rename(path: string, { '': before, ...names }: Record<string, string>): string {
  const [first, ...rest] = path.split('.') as [string, ...string[]];
  if (Object.hasOwn(names, first)) return [names[first], ...rest].filter(Boolean).join('.');
  return before === undefined ? path : `${before}.${path}`;
}
