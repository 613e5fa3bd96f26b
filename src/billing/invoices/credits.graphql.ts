import {
  Arg,
  Args,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  ID,
  InputType,
  ObjectType,
  Resolver,
  Root,
} from 'type-graphql';
import { openInPortal } from '../../graphql/openness.ts';
import { Mutation, Query } from '../../graphql/operations.ts';
import { moneyReasons } from '../../graphql/reasons.ts';
import { Customer } from '../customers/customers.graphql.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { CreatedConnectionArgs, defineConnection } from '../../graphql/connections.ts';
import type { Context } from '../../graphql/context.ts';
import { Money, MoneyInput, toMoney } from '../../graphql/money.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { DateTime } from '../../graphql/scalars.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { sumBalances } from './credits.ts';
import { grantCustomerCredit, listCredits, listUsableCredits, findCredit } from './grantedCredits.ts';

type CreditRow = Row<'balanceEntries'>;

@Extensions(refetchBy(async ({ read }, id) => (await findCredit(read, id)) ?? null))
@ObjectType('Credit', {
  implements: Node,
  simpleResolvers: true,
  description: "A credit in a customer's balance: granted, or left over from an invoice.",
})
class Credit extends Node {
  @Field(() => ID, { description: 'The customer.' })
  customerId!: string;

  @Field(() => String, { nullable: true, description: 'Why it was granted; null if an invoice left it.' })
  reason!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the remainder expires; null for never. From that instant on it cannot pay.',
  })
  expiresAt!: string | null;

  @Field(() => DateTime, { description: 'When it was granted.' })
  createdAt!: string;
}

const CreditConnection = defineConnection<CreditRow>('Credit', () => Credit);

@InputType({ description: 'A credit to grant.' })
class GrantCreditInput {
  @Field(() => ID, { description: 'The customer.' })
  customerId!: string;

  @Field(() => MoneyInput, { description: 'The amount, more than 0.' })
  amount!: MoneyInput;

  @Field(() => String, { description: 'Why it is granted, 1 to 200 characters.' })
  reason!: string;

  @Field(() => DateTime, { nullable: true, description: 'When the remainder expires. Default: never.' })
  expiresAt?: string | null;
}

@Resolver(() => Credit)
export class CreditResolver {
  @FieldResolver(() => Customer, { nullable: true, description: 'The customer; null if deleted.' })
  customer(@Ctx() context: Context, @Root() { customerId }: CreditRow) {
    return context.byId('customers', customerId);
  }

  @FieldResolver(() => Money, { description: 'The granted amount.' })
  amount(@Root() credit: CreditRow): Money {
    return toMoney(credit.amountMinor, credit.currency);
  }

  @FieldResolver(() => Money, { description: 'The part that is neither used nor expired.' })
  remaining(@Root() credit: CreditRow): Money {
    return toMoney(credit.remainingMinor, credit.currency);
  }

  @Query(() => CreditConnection, {
    nullable: true,
    description: 'Lists credits, including those that are used up or expired.',
    permission: 'read',
    reasons: ['cursor_invalid', 'query_timeout'],
  })
  async credits(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => CreatedConnectionArgs) page: CreatedConnectionArgs,
    @Arg('customerId', () => ID, { nullable: true, description: 'Filter by customer.' })
    customerId?: string,
    @Arg('usable', () => Boolean, { nullable: true, description: 'If true, only credits that can pay.' })
    usable?: boolean,
  ) {
    return new CreditConnection(await listCredits(tenant, { customerId, usable }, page));
  }

  @Mutation(() => Credit, {
    nullable: true,
    description: 'Grants a customer a credit, which pays the next charges in its currency until it expires.',
    permission: 'credit',
    proposable: true,
    reasons: ['customer_not_found', ...moneyReasons],
  })
  grantCredit(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => GrantCreditInput, { description: 'The credit.' })
    { customerId, ...credit }: GrantCreditInput,
  ): Promise<CreditRow> {
    return tenant.write((unit) => grantCustomerCredit(unit, customerId, credit));
  }
}

/** The credits with a remainder, expired ones too. */
const listCreditsLeft = (context: Context, { id }: Customer): Promise<CreditRow[]> =>
  context.listBy('balanceEntries', 'customerId', id, { remainingMinor: { after: 0n } });

@Resolver(() => Customer)
export class CustomerBalanceResolver {
  @Extensions(openInPortal('balance'))
  @FieldResolver(() => [Money], {
    description:
      "The customer's credit balance, which pays for the next charges: one amount per currency with a " +
      'remainder, ordered by currency code. Includes amounts reserved by a pending payment, not expired credits.',
  })
  async balance(@Ctx() context: Context, @Root() customer: Customer): Promise<Money[]> {
    const sums = sumBalances(await listCreditsLeft(context, customer), context.tenant.now());
    return sums.map(({ amountMinor, currency }) => toMoney(amountMinor, currency));
  }

  @FieldResolver(() => [Credit], {
    description:
      'The credits that can pay, in the order of their use: the soonest to expire first, then the oldest.',
  })
  async credits(@Ctx() context: Context, @Root() customer: Customer): Promise<CreditRow[]> {
    return listUsableCredits(await listCreditsLeft(context, customer), context.tenant.now());
  }
}
