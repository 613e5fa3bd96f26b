import 'reflect-metadata';
import { ArgsType, Extensions, Field, Int, ObjectType, registerEnumType, type ClassType } from 'type-graphql';
import { openTo, openToBrowsers } from './openness.ts';
import type { CreatedRange, Page, PageArgs } from '../tenancy/pagination.ts';
import { MoneyInput } from './money.ts';
import { Currency, DateTime } from './scalars.ts';
import { declareWork } from './work.ts';

enum Order {
  ASC = 'asc',
  DESC = 'desc',
}
registerEnumType(Order, {
  name: 'Order',
  description: 'The order of a list by creation time.',
  valuesConfig: { ASC: { description: 'Oldest first.' }, DESC: { description: 'Newest first.' } },
});

/** The arguments of every paginated list. */
@ArgsType()
export class ConnectionArgs implements PageArgs {
  @Field(() => Int, {
    nullable: true,
    description: 'The number of items from the start: 1 to 100. Default: 10.',
  })
  first?: number | null;

  @Field(() => String, { nullable: true, description: 'Return items after this cursor.' })
  after?: string | null;

  @Field(() => Int, { nullable: true, description: 'The number of items from the end: 1 to 100.' })
  last?: number | null;

  @Field(() => String, { nullable: true, description: 'Return items before this cursor.' })
  before?: string | null;

  @Field(() => Order, { nullable: true, description: 'The order. Default: newest first.' })
  order?: Order | null;
}

/** The arguments of paginated lists that can be limited to a time of creation. */
@ArgsType()
export class CreatedConnectionArgs extends ConnectionArgs implements CreatedRange {
  @Field(() => DateTime, {
    nullable: true,
    description: 'Filter by creation at this instant or later; a date means its midnight.',
  })
  createdAfter?: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Filter by creation before this instant; a date means its midnight.',
  })
  createdBefore?: string | null;
}

/** The arguments of paginated lists of records with an amount. */
@ArgsType()
export class AmountConnectionArgs extends CreatedConnectionArgs {
  @Field(() => Currency, { nullable: true, description: 'Filter by currency.' })
  currency?: string | null;

  @Field(() => MoneyInput, {
    nullable: true,
    description: 'Filter by an amount of at least this, in its currency.',
  })
  minAmount?: MoneyInput | null;

  @Field(() => MoneyInput, {
    nullable: true,
    description: 'Filter by an amount of at most this, in its currency.',
  })
  maxAmount?: MoneyInput | null;
}

@ObjectType({
  simpleResolvers: true,
  description: 'The position of a page in its list (Relay Cursor Connections).',
})
class PageInfo {
  constructor(private readonly page: Page<any>) {
    this.hasNextPage = page.hasNextPage;
    this.hasPreviousPage = page.hasPreviousPage;
  }

  @Extensions(openToBrowsers)
  @Field(() => Boolean, { description: 'Whether more items follow.' })
  hasNextPage: boolean;

  @Extensions(openToBrowsers)
  @Field(() => Boolean, { description: 'Whether more items precede.' })
  hasPreviousPage: boolean;

  @Extensions(openToBrowsers)
  @Field(() => String, { nullable: true, description: 'The cursor of the first item.' })
  get startCursor(): string | null {
    const [first] = this.page.rows;
    return first ? this.page.toCursor(first) : null;
  }

  @Extensions(openToBrowsers)
  @Field(() => String, { nullable: true, description: 'The cursor of the last item.' })
  get endCursor(): string | null {
    const last = this.page.rows.at(-1);
    return last ? this.page.toCursor(last) : null;
  }
}

/**
 * The cost of a page within another object, which needs a query for each parent: more than twice what was measured, so that
 * 100 rows with two such pages of 10 stay below the default limit.
 */
export const nestedPage = declareWork({ cost: 50 });

/**
 * Defines the Relay connection type of a node type, which wraps a page of rows. `open` declares which credentials of browsers may
 * select its fields, but for `totalCount`, which may take long.
 */
export function defineConnection<Row>(nodeName: string, nodeType: () => ClassType, open = openTo()) {
  @ObjectType(`${nodeName}Edge`, {
    simpleResolvers: true,
    description: `A ${nodeName} and its place in the list.`,
  })
  class Edge {
    constructor(
      node: Row,
      private readonly page: Page<Row>,
    ) {
      this.node = node;
    }

    @Extensions(open)
    @Field(nodeType, { description: 'The item.' })
    node: Row;

    @Extensions(open)
    @Field(() => String, { description: 'An opaque, signed cursor, valid for this list only.' })
    get cursor(): string {
      return this.page.toCursor(this.node);
    }
  }

  @ObjectType(`${nodeName}Connection`, {
    simpleResolvers: true,
    description: `A page of a list of ${nodeName}.`,
  })
  class Connection {
    constructor(private readonly page: Page<Row>) {
      this.nodes = page.rows;
    }

    @Extensions(open)
    @Field(() => [Edge], { description: 'The items with their cursors.' })
    edges(): Edge[] {
      return this.page.rows.map((node) => new Edge(node, this.page));
    }

    @Extensions(open)
    @Field(() => [nodeType()], { description: 'The items without cursors.' })
    nodes: Row[];

    @Extensions(open)
    @Field(() => PageInfo, { description: 'The position of the page in its list.' })
    pageInfo(): PageInfo {
      return new PageInfo(this.page);
    }

    @Extensions(declareWork({ cost: 500 }))
    @Field(() => Int, { description: 'The number of items in the whole list, counted only if selected.' })
    totalCount(): Promise<number> {
      return this.page.countAll();
    }

    @Extensions(open)
    @Field(() => String, {
      nullable: true,
      description: 'The cursor of the next page, or null on the last page.',
    })
    nextCursor(): string | null {
      const last = this.page.rows.at(-1);
      return this.page.hasNextPage && last ? this.page.toCursor(last) : null;
    }
  }

  return Connection;
}
