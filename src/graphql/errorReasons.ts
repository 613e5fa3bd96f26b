import 'reflect-metadata';
import type { GraphQLResolveInfo, GraphQLSchema } from 'graphql';
import { Field, Int, ObjectType, registerEnumType, Resolver, Info } from 'type-graphql';
import { Query } from './operations.ts';
import { catalogue, type Reason } from '../lib/errors.ts';
import { commonReasons, consoleReasons, documentReasons, mutationReasons } from './reasons.ts';
import { getDeclaration, listRootFields } from './operations.ts';
import { CurrentTenant } from './arguments.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';

const reasons = Object.keys(catalogue) as Reason[];
export const ErrorReason = Object.fromEntries(reasons.map((reason) => [reason, reason]));
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

function listUses(schema: GraphQLSchema): ErrorReasonUse[] {
  const fields = listRootFields(schema).toSorted((a, b) => a.name.localeCompare(b.name));
  return reasons.map((reason) => {
    const anyOperation = reasonsOfAny.has(reason);
    const anyMutation = anyOperation || mutationReasons.includes(reason);
    const own = fields.filter((field) => getDeclaration(field).reasons.includes(reason));
    const operations = anyMutation ? [] : own.map(({ name }) => name);
    return { reason, ...catalogue[reason], operations, anyOperation, anyMutation };
  });
}

@Resolver()
export class ErrorReasonResolver {
  @Query(() => [ErrorReasonUse], {
    description: 'Lists all error reasons and the operations that can return each.',
    permission: 'read',
    reasons: [],
  })
  errorReasons(
    @CurrentTenant() _tenant: TenantScope,
    @Info() { schema }: GraphQLResolveInfo,
  ): ErrorReasonUse[] {
    return listUses(schema);
  }
}

/** Appends the declared error reasons to the description of every root field. */
export function describeReasons(schema: GraphQLSchema): void {
  for (const field of listRootFields(schema)) {
    const own = getDeclaration(field).reasons.map((reason) => `\`${reason}\``);
    if (own.length === 0) continue;
    const said = own.length === 1 ? `Error: ${own[0]}.` : `Errors: ${own.join(', ')}.`;
    field.description = field.description ? `${field.description} ${said}` : said;
  }
}
