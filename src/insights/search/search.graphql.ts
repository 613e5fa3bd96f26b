import type { GraphQLResolveInfo } from 'graphql';
import {
  Arg,
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
import { Query } from '../../graphql/operations.ts';
import { Customer } from '../../billing/customers/customers.graphql.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import type { Context } from '../../graphql/context.ts';
import { findOnce, Node } from '../../graphql/node.ts';
import { declareWork } from '../../graphql/work.ts';
import { refuse } from '../../lib/errors.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { searchRecords } from './search.ts';
import { searchTypes, type SearchHit, type SearchType } from './searchedTypes.ts';

const SearchTypes = Object.fromEntries(searchTypes.map((type) => [type, type]));
registerEnumType(SearchTypes, {
  name: 'SearchType',
  description: 'A type of records that `search` finds, and by what besides the id.',
  valuesConfig: {
    customer: {
      description: 'By name, company, `associatedId` and e-mail address.',
    },
    subscription: { description: 'By id.' },
    intent: { description: 'By order number.' },
    payment: { description: 'By the whole id or its beginning only.' },
    payment_method: { description: 'By the last four digits of the card or account.' },
    invoice: { description: 'By document number.' },
    credit_note: { description: 'By document number.' },
    product: { description: 'By name and lookup key.' },
    price: { description: 'By nickname and lookup key.' },
    coupon: { description: 'By name and lookup key.' },
    promotion_code: { description: 'By code, active or not.' },
    webhook_endpoint: { description: 'By URL and description.' },
    mail: { description: 'By the beginning of the recipient.' },
    event: { description: 'By the whole id or its beginning only.' },
  },
});

@ObjectType('SearchHit', { simpleResolvers: true, description: 'A record that `search` found.' })
class SearchHitObject {
  @Field(() => ID, { description: 'The id of the record.' })
  nodeId!: string;

  @Field(() => SearchTypes, { description: 'The type of the record.' })
  type!: SearchType;

  @Field(() => String, {
    description: 'What the record is called: a name, a number, a code, a URL, or its id.',
  })
  title!: string;

  @Field(() => String, {
    nullable: true,
    description: 'What tells it from others: an e-mail address, a status, the kind of a mail.',
  })
  detail!: string | null;

  @Field(() => ID, {
    nullable: true,
    description:
      'The record that contains it: the product of a price, the coupon of a code, the invoice of a payment, the resource of an event.',
  })
  parentId!: string | null;
}

const defaultFirst = 10;
const mostFirst = 50;

@Resolver(() => SearchHitObject)
export class SearchResolver {
  @FieldResolver(() => Customer, { nullable: true, description: 'The customer that it belongs to.' })
  customer(@Ctx() context: Context, @Root() { customerId }: SearchHit) {
    return customerId === null ? null : context.byId('customers', customerId);
  }

  @Extensions(declareWork({ cost: 1 }))
  @FieldResolver(() => Node, { nullable: true, description: 'The record; null if it was deleted meanwhile.' })
  node(@Ctx() context: Context, @Info() { schema }: GraphQLResolveInfo, @Root() { nodeId }: SearchHit) {
    return findOnce(context, schema, nodeId);
  }

  @Query(() => [SearchHitObject], {
    nullable: true,
    description:
      'Finds records of all types by any part of a name, a number, an address or an id, in any case and without accents. ' +
      'Several words may be parts of different texts of a record. The order: the record with exactly this text, then those ' +
      'that begin with it, then those that contain it. Two characters are found at the beginning of a word, and elsewhere in ' +
      'the newest 5,000 records of a type.',
    work: { cost: 200 },
    permission: 'read',
    reasons: ['query_timeout'],
  })
  search(
    @CurrentTenant() tenant: TenantScope,
    @Arg('query', () => String, { description: 'The text, 2 to 200 characters.' }) query: string,
    @Arg('first', () => Int, { nullable: true, description: 'The most records: 1 to 50. Default: 10.' })
    first?: number,
    @Arg('types', () => [SearchTypes], { nullable: true, description: 'Only these types. Default: all.' })
    types?: SearchType[],
  ): Promise<SearchHit[]> {
    const most = first ?? defaultFirst;
    if (most < 1 || most > mostFirst)
      refuse('validation_failed', { path: 'first', message: `must be 1 to ${mostFirst}` });
    return searchRecords(tenant, query, types ?? searchTypes, most);
  }
}
