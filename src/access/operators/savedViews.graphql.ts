import { Arg, Ctx, Field, InputType, Resolver } from 'type-graphql';
import { Mutation } from '../../graphql/operations.ts';
import type { Context } from '../../graphql/context.ts';
import { requireSignedIn } from '../../tenancy/actor.ts';
import { Operator } from './operatorTypes.graphql.ts';
import { replaceViews } from './savedViews.ts';
import type { OperatorRow } from './sessions.ts';
import { requireClient } from './signIn.graphql.ts';

@InputType({ description: 'A view of a list.' })
class SavedViewInput {
  @Field(() => String, { description: 'The name, 1 to 60 characters.' })
  name!: string;

  @Field(() => String, {
    description:
      'The query part of the address of the list, at most 2,000 characters: its filters, its order, its columns.',
  })
  query!: string;
}

@InputType({ description: 'The views of a list.' })
class SaveViewsInput {
  @Field(() => String, { description: 'The list, 1 to 40 characters of a–z and hyphens.' })
  list!: string;

  @Field(() => [SavedViewInput], { description: 'All views of the list, at most 30, in their order.' })
  views!: SavedViewInput[];
}

@Resolver()
export class SavedViewsResolver {
  @Mutation(() => Operator, {
    nullable: true,
    description:
      'Replaces the views that the operator has saved of a list of the console, in the tenant of the request. Nobody else ' +
      'sees them.',
    permission: 'operator',
    reasons: [],
  })
  async saveViews(
    @Ctx() context: Context,
    @Arg('input', () => SaveViewsInput, { description: 'The views.' }) { list, views }: SaveViewsInput,
  ): Promise<OperatorRow> {
    const client = requireClient(context);
    const { operator } = requireSignedIn(client);
    await client.server.changeViews(operator.id, context.tenant.alias, (all) =>
      replaceViews(all, list, views),
    );
    return operator;
  }
}
