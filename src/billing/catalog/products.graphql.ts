import type { GraphQLResolveInfo } from 'graphql';
import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  ID,
  Info,
  Int,
  ObjectType,
  registerEnumType,
  Resolver,
  Root,
} from 'type-graphql';
import type { MaybePromise } from '../../lib/maybePromise.ts';
import { openToBrowsers } from '../../graphql/openness.ts';
import { Query, Mutation, toBrowsers } from '../../graphql/operations.ts';
import { moneyReasons } from '../../graphql/reasons.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { ConnectionArgs, defineConnection } from '../../graphql/connections.ts';
import { listUnread } from '../../graphql/selectedFields.ts';
import type { Context } from '../../graphql/context.ts';
import { keyedBy } from '../../graphql/lookupKeys.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { Currency, DateTime, JSONObject } from '../../graphql/scalars.ts';
import { lookupKeyField, lookupKeyFilter } from './lookupKey.graphql.ts';
import { listUnreadColumns, Price } from './prices.graphql.ts';
import { CreateProductInput } from './productInput.graphql.ts';
import { kindField, ProductKind } from './productKind.graphql.ts';
import type { PriceRow } from './prices.ts';
import {
  createProduct,
  findProduct,
  findProductOnSale,
  listProducts,
  type ProductFilter,
  type ProductOrder,
  type ProductRow,
} from './products.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';

// A deleted one too: its group and its coupons still list it.
@Extensions(refetchBy(({ read }, id) => read.one('products', { id })))
@Extensions(keyedBy('products', 'lookupKey'))
@ObjectType('Product', {
  implements: Node,
  simpleResolvers: true,
  description: 'A product that customers can subscribe to.',
})
export class Product extends Node {
  @Extensions(openToBrowsers)
  @Field(() => ID, { nullable: true, description: 'The product group, if any.' })
  groupId!: string | null;

  @Field(() => String, { description: 'The tenant that the product belongs to.' })
  tenantAlias!: string;

  @Extensions(openToBrowsers)
  @Field(() => String, { description: 'The name.' })
  name!: string;

  @Field(() => Boolean, { description: 'Whether customers can subscribe to it.' })
  active!: boolean;

  @Extensions(openToBrowsers)
  @Field(() => String, { description: 'The description.' })
  description!: string;

  @Field(() => JSONObject, { description: "The client's own data." })
  metadata!: Record<string, unknown>;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it stops being available for new subscriptions.',
  })
  expiresAt!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Selects the tax rates with this code; null for those of all products.',
  })
  taxCode!: string | null;

  @Field(() => ProductKind, kindField)
  kind!: string | null;

  @Extensions(openToBrowsers)
  @Field(() => String, lookupKeyField)
  lookupKey!: string | null;

  @Extensions(openToBrowsers)
  @Field(() => Int, {
    nullable: true,
    description: 'Its place among other products, the lowest first; null for after those with one.',
  })
  sortOrder!: number | null;

  @Field(() => DateTime, { description: 'When the product was created.' })
  createdAt!: string;

  @Field(() => DateTime, { description: 'When the product was last changed.' })
  updatedAt!: string;
}

enum ProductOrders {
  created_at = 'created_at',
  sort_order = 'sort_order',
}
registerEnumType(ProductOrders, {
  name: 'ProductOrder',
  description: 'What a list of products is ordered by.',
  valuesConfig: {
    created_at: { description: 'The creation; by default newest first.' },
    sort_order: {
      description:
        'The `sortOrder`, then the name without case; by default the lowest first, and products without a place last.',
    },
  },
});

@ArgsType()
class ProductsArgs extends ConnectionArgs implements ProductFilter {
  @Field(() => ID, { nullable: true, description: 'Filter by product group.' })
  groupId?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Filter by whether products are active.' })
  active?: boolean | null;

  @Field(() => String, lookupKeyFilter)
  lookupKey?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Filter by a part of the name, case-insensitive.',
  })
  name?: string | null;

  @Field(() => ProductOrders, {
    nullable: true,
    description: 'What `order` refers to. Default: `created_at`; browsers get `sort_order`.',
  })
  orderBy?: ProductOrder | null;
}

export const ProductConnection = defineConnection<ProductRow>('Product', () => Product, openToBrowsers);

/** The description of the argument for a product id. */
export const productId = { description: 'The id of the product.' };

/** The columns that a list reads only for these fields. */
const fieldsOfColumns = {
  description: ['description'],
  metadata: ['metadata'],
  expiresAt: ['expiresAt'],
  updatedAt: ['updatedAt'],
  taxCode: ['taxCode'],
  kind: ['kind'],
  lookupKey: ['lookupKey'],
  features: ['features'],
  highlighted: ['highlighted'],
  sortOrder: ['sortOrder'],
  nameLower: [],
  catalogPlace: [],
} as const;

@Resolver(() => Product)
export class ProductResolver {
  @FieldResolver(() => Boolean, {
    description:
      'Whether it was deleted. Lists of products leave out a deleted one; what refers to it and `node` find it, without prices.',
  })
  deleted(@Root() { deletedAt }: ProductRow): boolean {
    return deletedAt !== null;
  }

  @Extensions(openToBrowsers)
  @FieldResolver(() => [String], { description: 'What a pricing page lists, in its order.' })
  features(@Root() { features }: ProductRow): string[] {
    return features ?? [];
  }

  @Extensions(openToBrowsers)
  @FieldResolver(() => Boolean, { description: 'Whether a pricing page emphasises it.' })
  highlighted(@Root() { highlighted }: ProductRow): boolean {
    return highlighted ?? false;
  }

  @Extensions(openToBrowsers)
  @FieldResolver(() => [Price], {
    description: 'Its prices, oldest first. Browsers get those that are active.',
  })
  prices(
    @Root() { id, deletedAt }: ProductRow,
    @Ctx() context: Context,
    @Info() info: GraphQLResolveInfo,
    @Arg('currency', () => Currency, { nullable: true, description: 'Filter by an ISO 4217 currency code.' })
    currency?: string | null,
    @Arg('active', () => Boolean, {
      nullable: true,
      description: 'Filter by whether prices are active: not archived.',
    })
    active?: boolean | null,
  ): MaybePromise<PriceRow[]> {
    if (deletedAt !== null) return [];
    const wanted = { currency: currency?.toLowerCase(), active: context.audience ? true : active };
    const isFiltered = typeof wanted.active === 'boolean';
    const unasked = listUnreadColumns(info);
    const unread = isFiltered ? unasked.filter((column) => column !== 'archivedAt') : unasked;
    const reading = context.listBy('prices', 'productId', id, undefined, unread);
    if (wanted.currency === undefined && !isFiltered) return reading;
    return reading.then((prices) => prices.filter((price) => matches(price, wanted)));
  }

  @Query(() => Product, {
    nullable: true,
    description: 'Returns a product by id. Browsers get those on sale only.',
    permission: 'read',
    openTo: toBrowsers('id'),
    reasons: ['product_not_found'],
  })
  product(
    @Ctx() { audience }: Context,
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, productId) id: string,
  ): Promise<ProductRow> {
    return audience ? findProductOnSale(tenant.read, id, tenant.now()) : findProduct(tenant.read, id);
  }

  @Query(() => ProductConnection, {
    nullable: true,
    description: 'Lists products. Browsers get those on sale only, by `sortOrder`, then by name.',
    work: { cost: 2000, with: 'name' },
    permission: 'read',
    openTo: toBrowsers('first', 'after', 'last', 'before', 'order'),
    reasons: ['cursor_invalid', 'query_timeout'],
  })
  async products(
    @Ctx() { audience }: Context,
    @CurrentTenant() tenant: TenantScope,
    @Info() info: GraphQLResolveInfo,
    @Args(() => ProductsArgs) args: ProductsArgs,
  ) {
    const leaveOut = listUnread(info, fieldsOfColumns);
    const filter = audience ? { active: true, onSaleAt: tenant.now(), orderBy: 'sort_order' as const } : args;
    return new ProductConnection(await listProducts(tenant, filter, args, leaveOut));
  }

  @Mutation(() => Product, {
    nullable: true,
    description: 'Creates a product with its prices, and a group if wanted, all or nothing.',
    permission: 'manage_catalog',
    reasons: ['group_not_found', 'lookup_key_exists', 'meter_not_found', ...moneyReasons],
  })
  createProduct(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => CreateProductInput, { description: 'The product.' }) input: CreateProductInput,
  ): Promise<ProductRow> {
    return tenant.write((unit) => createProduct(unit, input));
  }
}

const matches = (
  price: PriceRow,
  { currency, active }: { currency: string | undefined; active: boolean | null | undefined },
): boolean =>
  (currency === undefined || price.currency === currency) &&
  (typeof active !== 'boolean' || (price.archivedAt === null) === active);

/** Declared here because a product already refers to its prices; the reverse import would be a cycle. */
@Resolver(() => Price)
export class PriceProductResolver {
  @FieldResolver(() => Product, {
    nullable: true,
    description: 'The product, also if it was deleted.',
  })
  product(@Root() price: PriceRow, @Ctx() context: Context): Promise<ProductRow | null> {
    return context.byId('products', price.productId);
  }
}
