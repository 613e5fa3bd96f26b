import type { GraphQLResolveInfo } from 'graphql';
import {
  Arg,
  Args,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  ID,
  Info,
  InputType,
  ObjectType,
  Resolver,
  Root,
} from 'type-graphql';
import { openToBrowsers } from '../../graphql/openness.ts';
import { Query, Mutation } from '../../graphql/operations.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { ConnectionArgs, defineConnection, nestedPage } from '../../graphql/connections.ts';
import type { Context } from '../../graphql/context.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { DateTime, JSONObject } from '../../graphql/scalars.ts';
import { listUnread } from '../../graphql/selectedFields.ts';
import type { MaybePromise } from '../../lib/maybePromise.ts';
import { CreateGroupInput } from './groupInput.graphql.ts';
import { createGroup, findGroup, listGroups, updateGroup, type GroupRow } from './groups.ts';
import { Product, ProductConnection } from './products.graphql.ts';
import { listGroupProducts, type ProductRow } from './products.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';

@Extensions(refetchBy(({ read }, id) => findGroup(read, id)))
@ObjectType('Group', {
  implements: Node,
  simpleResolvers: true,
  description: 'A product group: a customer can subscribe to one of its products at a time.',
})
export class Group extends Node {
  @Field(() => String, { description: 'The tenant that the group belongs to.' })
  tenantAlias!: string;

  @Extensions(openToBrowsers)
  @Field(() => String, { description: 'The name.' })
  name!: string;

  @Field(() => JSONObject, { description: "The client's own data." })
  metadata!: Record<string, unknown>;

  @Field(() => DateTime, { description: 'When the group was created.' })
  createdAt!: string;

  @Field(() => DateTime, { description: 'When the group was last changed.' })
  updatedAt!: string;

  @Field(() => Boolean, {
    description:
      'Whether an upgrade credits the unused part of the current cycle, unless the `changePolicy` of the tenant says otherwise.',
  })
  prorateUpgrades!: boolean;
}

@InputType({ description: 'Changes to a product group. Omitted fields stay unchanged.' })
class UpdateGroupInput {
  @Field(() => String, { nullable: true, description: 'The name, 1 to 200 characters.' })
  name?: string;

  @Field(() => JSONObject, {
    nullable: true,
    description: 'Replaces all metadata, within the same limits; null empties it.',
  })
  metadata?: Record<string, unknown> | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'Whether an upgrade credits the unused part of the current cycle, unless the `changePolicy` of the tenant says otherwise.',
  })
  prorateUpgrades?: boolean;
}

const GroupConnection = defineConnection<GroupRow>('Group', () => Group);

/** The columns that a look-up by products reads only for these fields. */
const fieldsOfColumns = {
  name: ['name'],
  metadata: ['metadata'],
  prorateUpgrades: ['prorateUpgrades'],
  createdAt: ['createdAt'],
  updatedAt: ['updatedAt'],
  nameLower: [],
} as const;

const groupId = { description: 'The id of the group.' };

@Resolver(() => Group)
export class GroupResolver {
  @FieldResolver(() => [Product], { description: 'Its products, including deleted ones, oldest first.' })
  products(@Root() { id }: GroupRow, @Ctx() context: Context): Promise<ProductRow[]> {
    return context.listBy('products', 'groupId', id);
  }

  @Extensions(nestedPage)
  @FieldResolver(() => ProductConnection, {
    nullable: true,
    description: 'The same products as `products`, including deleted ones, in pages.',
  })
  async productsConnection(
    @Root() { id }: GroupRow,
    @Ctx() { tenant }: Context,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
  ) {
    return new ProductConnection(await listGroupProducts(tenant, id, page));
  }

  @Query(() => Group, {
    nullable: true,
    description: 'Returns a product group by id.',
    permission: 'read',
    reasons: ['group_not_found'],
  })
  group(@CurrentTenant() tenant: TenantScope, @Arg('id', () => ID, groupId) id: string): Promise<GroupRow> {
    return findGroup(tenant.read, id);
  }

  @Query(() => GroupConnection, {
    nullable: true,
    description: 'Lists product groups.',
    work: { cost: 2000, with: 'name' },
    permission: 'read',
    reasons: ['cursor_invalid', 'query_timeout'],
  })
  async groups(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('name', () => String, {
      nullable: true,
      description: 'Filter by a part of the name, case-insensitive.',
    })
    name?: string,
  ) {
    return new GroupConnection(await listGroups(tenant, { name }, page));
  }

  @Mutation(() => Group, {
    nullable: true,
    description: 'Creates a product group.',
    permission: 'manage_catalog',
    reasons: [],
  })
  createGroup(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => CreateGroupInput, { description: 'The group.' }) input: CreateGroupInput,
  ): Promise<GroupRow> {
    return tenant.write((unit) => createGroup(unit, input));
  }

  @Mutation(() => Group, {
    nullable: true,
    description: 'Changes a product group.',
    permission: 'manage_catalog',
    reasons: ['group_not_found'],
  })
  updateGroup(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, groupId) id: string,
    @Arg('input', () => UpdateGroupInput, { description: 'The changes.' }) input: UpdateGroupInput,
  ): Promise<GroupRow> {
    return tenant.write((unit) => updateGroup(unit, id, input));
  }
}

/** Declared here because a group already refers to its products; the reverse import would be a cycle. */
@Resolver(() => Product)
export class ProductGroupResolver {
  @Extensions(openToBrowsers)
  @FieldResolver(() => Group, {
    nullable: true,
    description: 'The product group, if any.',
  })
  group(
    @Root() { groupId: id }: ProductRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
  ): MaybePromise<GroupRow | null> {
    return id === null ? null : context.byId('groups', id, listUnread(info, fieldsOfColumns));
  }
}
