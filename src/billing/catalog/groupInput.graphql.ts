import { Field, InputType } from 'type-graphql';
import { JSONObject } from '../../graphql/scalars.ts';

@InputType({ description: 'A product group to create.' })
export class CreateGroupInput {
  @Field(() => String, { description: 'The name, 1 to 200 characters.' })
  name!: string;

  @Field(() => JSONObject, {
    nullable: true,
    description: 'Your own data, at most 50 keys, 8 levels and 16 KiB as JSON.',
  })
  metadata?: Record<string, unknown> | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether an upgrade credits the unused part of the current cycle, unless the `changePolicy` of the tenant says ' +
      'otherwise. Default: false.',
  })
  prorateUpgrades?: boolean | null;
}
