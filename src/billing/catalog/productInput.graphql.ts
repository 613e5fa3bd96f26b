import { Field, ID, InputType, Int } from 'type-graphql';
import { DateTime, JSONObject } from '../../graphql/scalars.ts';
import { CreateGroupInput } from './groupInput.graphql.ts';
import { changedLookupKey, givenLookupKey } from './lookupKey.graphql.ts';
import { CreatePriceInput } from './priceInput.graphql.ts';
import { givenKind, ProductKind } from './productKind.graphql.ts';

@InputType({ description: 'A product to create.' })
export class CreateProductInput {
  @Field(() => ID, { nullable: true, description: 'The product group.' })
  groupId?: string | null;

  @Field(() => CreateGroupInput, {
    nullable: true,
    description: 'A product group to create for it. Excludes `groupId`.',
  })
  newGroup?: CreateGroupInput | null;

  @Field(() => String, { description: 'The name, 1 to 200 characters.' })
  name!: string;

  @Field(() => String, { description: 'The description, at most 5,000 characters.' })
  description!: string;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether customers can subscribe to it. Default: true.',
  })
  active?: boolean | null;

  @Field(() => JSONObject, {
    nullable: true,
    description: 'Your own data, at most 50 keys, 8 levels and 16 KiB as JSON.',
  })
  metadata?: Record<string, unknown> | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it stops being available for new subscriptions.',
  })
  expiresAt?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Selects the tax rates with this code, 1 to 50 letters, digits and `_.-`.',
  })
  taxCode?: string | null;

  @Field(() => ProductKind, givenKind)
  kind?: string | null;

  @Field(() => String, givenLookupKey)
  lookupKey?: string | null;

  @Field(() => [String], {
    nullable: true,
    description: 'What a pricing page lists, at most 20 lines of 1 to 200 characters. Default: none.',
  })
  features?: string[] | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether a pricing page emphasises it. Default: false.',
  })
  highlighted?: boolean | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'Its place among other products, 0 to 1,000,000, the lowest first. Default: after those with one.',
  })
  sortOrder?: number | null;

  @Field(() => [CreatePriceInput], { nullable: true, description: 'Its prices, at most 100.' })
  prices?: CreatePriceInput[] | null;
}

@InputType({ description: 'Changes to a product. Omitted fields stay unchanged.' })
export class UpdateProductInput {
  @Field(() => ID, {
    nullable: true,
    description: 'The new product group; null removes it from its group.',
  })
  groupId?: string | null;

  @Field(() => String, { nullable: true, description: 'The name, 1 to 200 characters.' })
  name?: string;

  @Field(() => String, { nullable: true, description: 'The description, at most 5,000 characters.' })
  description?: string;

  @Field(() => Boolean, { nullable: true, description: 'Whether customers can subscribe to it.' })
  active?: boolean;

  @Field(() => JSONObject, {
    nullable: true,
    description: 'Replaces all metadata, within the same limits; null empties it.',
  })
  metadata?: Record<string, unknown> | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it stops being available for new subscriptions; null removes the date.',
  })
  expiresAt?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Selects the tax rates with this code, 1 to 50 letters, digits and `_.-`; null removes it.',
  })
  taxCode?: string | null;

  @Field(() => ProductKind, givenKind)
  kind?: string | null;

  @Field(() => String, changedLookupKey)
  lookupKey?: string | null;

  @Field(() => [String], {
    nullable: true,
    description:
      'Replaces what a pricing page lists, at most 20 lines of 1 to 200 characters; null empties it.',
  })
  features?: string[] | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether a pricing page emphasises it; null for false.',
  })
  highlighted?: boolean | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'Its place among other products, 0 to 1,000,000, the lowest first; null for after those with one.',
  })
  sortOrder?: number | null;
}
