import 'reflect-metadata';
import type { GraphQLSchema } from 'graphql';
import { Field, Int, ObjectType, Query, registerEnumType, Resolver } from 'type-graphql';
import { catalogue, type Reason } from '../lib/errors.ts';
import {
  commonReasons,
  consoleReasons,
  documentReasons,
  mutationReasons,
  operationReasons,
} from './operationReasons.ts';
import { CurrentTenant } from './arguments.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';

const reasons = Object.keys(catalogue) as Reason[];
const ErrorReason = Object.fromEntries(reasons.map((reason) => [reason, reason]));
registerEnumType(ErrorReason, {
  name: 'ErrorReason',
  description:
    'The reason of an error: `extensions.reason` in GraphQL, `body.reason` in REST. Never renamed.',
  valuesConfig: Object.fromEntries(
    reasons.map((reason) => {
      const { status, message } = catalogue[reason];
      return [reason, { description: `${message} (HTTP status ${status})` }];
    }),
  ),
});

@ObjectType({ simpleResolvers: true, description: 'An error reason and the operations that can return it.' })
class ErrorReasonUse {
  @Field(() => ErrorReason, { description: 'The reason.' })
  reason!: Reason;

  @Field(() => Int, { description: 'Its HTTP status.' })
  status!: number;

  @Field(() => String, { description: 'A message for people; the wording may change.' })
  message!: string;

  @Field(() => [String], {
    description:
      'The root fields that can return it. Empty if any operation, or any mutation, can. Connections below any ' +
      'root field, and `totalCount`, can return `cursor_invalid` and `query_timeout`.',
  })
  operations!: string[];

  @Field(() => Boolean, { description: 'Whether any operation can return it.' })
  anyOperation!: boolean;

  @Field(() => Boolean, { description: 'Whether any mutation can return it.' })
  anyMutation!: boolean;
}

const reasonsOfAny = new Set([...commonReasons, ...consoleReasons, ...documentReasons]);

const uses: ErrorReasonUse[] = reasons.map((reason) => {
  const anyOperation = reasonsOfAny.has(reason);
  const anyMutation = anyOperation || mutationReasons.includes(reason);
  const own = Object.keys(operationReasons).filter((name) => operationReasons[name]!.includes(reason));
  const operations = anyMutation ? [] : own;
  return { reason, ...catalogue[reason], operations, anyOperation, anyMutation };
});

@Resolver()
export class ErrorReasonResolver {
  @Query(() => [ErrorReasonUse], {
    description: 'Lists all error reasons and the operations that can return each.',
  })
  errorReasons(@CurrentTenant() _tenant: TenantScope): ErrorReasonUse[] {
    return uses;
  }
}

/** Appends the declared error reasons to the description of every root field. */
export function describeReasons(schema: GraphQLSchema): void {
  for (const root of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]) {
    for (const field of Object.values(root?.getFields() ?? {})) {
      const own = (operationReasons[field.name] ?? []).map((reason) => `\`${reason}\``);
      if (own.length === 0) continue;
      const said = own.length === 1 ? `Error: ${own[0]}.` : `Errors: ${own.join(', ')}.`;
      field.description = field.description ? `${field.description} ${said}` : said;
    }
  }
}
