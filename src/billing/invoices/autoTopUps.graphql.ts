import {
  Arg,
  Args,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  ID,
  InputType,
  Int,
  ObjectType,
  Resolver,
  Root,
} from 'type-graphql';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { ConnectionArgs, defineConnection } from '../../graphql/connections.ts';
import type { Context } from '../../graphql/context.ts';
import { Money, MoneyInput } from '../../graphql/money.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { Mutation, Query } from '../../graphql/operations.ts';
import { moneyReasons } from '../../graphql/reasons.ts';
import { Currency, DateTime, Decimal } from '../../graphql/scalars.ts';
import { declareWork } from '../../graphql/work.ts';
import { toLocalDate } from '../../lib/time.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { Customer } from '../customers/customers.graphql.ts';
import {
  findAutoTopUp,
  listAutoTopUps,
  removeAutoTopUp,
  setAutoTopUp,
  type AutoTopUpRow,
} from './autoTopUps.ts';
import { CreditPeriodInput } from './creditGrantInput.graphql.ts';
import { showCredits, showMoney } from './creditGrants.graphql.ts';
import { CreditPeriodType } from './creditGrantTypes.graphql.ts';
import { CreditType } from './creditTypes.graphql.ts';
import { Invoice } from './invoices.graphql.ts';

@Extensions(refetchBy(({ read }, id) => findAutoTopUp(read, id)))
@ObjectType('AutoTopUp', {
  implements: Node,
  simpleResolvers: true,
  description:
    'Credit that is sold to a customer whenever less than a threshold is left: an amount of money, or of credits of a type.',
})
class AutoTopUp extends Node {
  @Field(() => ID, { description: 'The customer.' })
  customerId!: string;

  @Field(() => String, { description: 'The name of the sold credit on documents.' })
  name!: string;

  @Field(() => Currency, { description: 'The currency of its invoices.' })
  currency!: string;

  @Field(() => Decimal, { description: 'The price of a unit of the amount.' })
  costBasis!: string;

  @Field(() => Int, { description: "The most sales in a calendar month of the tenant's time zone." })
  monthlyLimit!: number;

  @Field(() => CreditPeriodType, {
    nullable: true,
    description: 'How long sold credit lasts; null for ever.',
  })
  expiresAfter!: CreditPeriodType | null;

  @Field(() => DateTime, { description: 'When it was set.' })
  createdAt!: string;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  updatedAt!: string;
}

@InputType({ description: 'Credits that are sold, and when.' })
class AutoTopUpCreditsInput {
  @Field(() => ID, { description: 'The credit type.' })
  creditTypeId!: string;

  @Field(() => Decimal, { description: 'It sells when fewer credits are left: more than 0.' })
  threshold!: string;

  @Field(() => Decimal, { description: 'The credits of a sale: more than 0.' })
  amount!: string;

  @Field(() => Currency, { description: 'The currency of its invoices.' })
  currency!: string;
}

@InputType({
  description:
    'An automatic top-up: `threshold` and `amount` of money, or `credits` of a type. A customer has one for each.',
})
class SetAutoTopUpInput {
  @Field(() => ID, { description: 'The customer.' })
  customerId!: string;

  @Field(() => String, { description: 'The name of the sold credit on documents, 1 to 200 characters.' })
  name!: string;

  @Field(() => MoneyInput, { nullable: true, description: 'It sells when less is left: more than 0.' })
  threshold?: MoneyInput | null;

  @Field(() => MoneyInput, { nullable: true, description: 'The amount of a sale: more than 0.' })
  amount?: MoneyInput | null;

  @Field(() => AutoTopUpCreditsInput, { nullable: true, description: 'Credits of a type, instead of money.' })
  credits?: AutoTopUpCreditsInput | null;

  @Field(() => Decimal, {
    nullable: true,
    description: 'The price of a unit of the amount. Default: 1; required for credits of a type.',
  })
  costBasis?: string | null;

  @Field(() => Int, { description: 'The most sales in a calendar month: 1 to 100.' })
  monthlyLimit!: number;

  @Field(() => CreditPeriodInput, {
    nullable: true,
    description: 'How long sold credit lasts. Default: for ever.',
  })
  expiresAfter?: CreditPeriodInput | null;
}

const AutoTopUpConnection = defineConnection<AutoTopUpRow>('AutoTopUp', () => AutoTopUp);

const topUpId = { description: 'The id of the automatic top-up.' };

@Resolver(() => AutoTopUp)
export class AutoTopUpResolver {
  @FieldResolver(() => Customer, { nullable: true, description: 'The customer; null if deleted.' })
  customer(@Ctx() context: Context, @Root() { customerId }: AutoTopUpRow) {
    return context.byId('customers', customerId);
  }

  @FieldResolver(() => Money, {
    nullable: true,
    description: 'It sells when less is left; null for credits.',
  })
  threshold(@Root() rule: AutoTopUpRow): Money | null {
    return showMoney(rule, rule.thresholdMinor);
  }

  @FieldResolver(() => Money, { nullable: true, description: 'The amount of a sale; null for credits.' })
  amount(@Root() rule: AutoTopUpRow): Money | null {
    return showMoney(rule, rule.amountMinor);
  }

  @FieldResolver(() => CreditType, {
    nullable: true,
    description: 'The type of its credits; null for money.',
  })
  creditType(@Ctx() context: Context, @Root() { creditTypeId }: AutoTopUpRow) {
    return creditTypeId === null ? null : context.byId('creditTypes', creditTypeId);
  }

  @FieldResolver(() => Decimal, {
    nullable: true,
    description: 'It sells when fewer credits are left; null for money.',
  })
  creditThreshold(@Root() rule: AutoTopUpRow): string | null {
    return showCredits(rule, rule.thresholdMinor);
  }

  @FieldResolver(() => Decimal, { nullable: true, description: 'The credits of a sale; null for money.' })
  credits(@Root() rule: AutoTopUpRow): string | null {
    return showCredits(rule, rule.amountMinor);
  }

  @FieldResolver(() => Int, { description: 'The sales of this calendar month.' })
  soldThisMonth(@Ctx() { tenant }: Context, @Root() { month, soldInMonth }: AutoTopUpRow): number {
    const now = toLocalDate(tenant.now(), tenant.record.timezone);
    return month !== null && now.startsWith(month) ? soldInMonth : 0;
  }

  @FieldResolver(() => Invoice, { nullable: true, description: 'The invoice of the last sale.' })
  lastInvoice(@Ctx() context: Context, @Root() { lastInvoiceId }: AutoTopUpRow) {
    return lastInvoiceId === null ? null : context.byId('invoices', lastInvoiceId);
  }

  @Query(() => AutoTopUp, {
    nullable: true,
    description: 'Returns an automatic top-up by id.',
    permission: 'read',
    reasons: ['auto_top_up_not_found'],
  })
  autoTopUp(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, topUpId) id: string,
  ): Promise<AutoTopUpRow> {
    return findAutoTopUp(tenant.read, id);
  }

  @Query(() => AutoTopUpConnection, {
    nullable: true,
    description: 'Lists automatic top-ups.',
    permission: 'read',
    reasons: ['cursor_invalid'],
  })
  async autoTopUps(@CurrentTenant() tenant: TenantScope, @Args(() => ConnectionArgs) page: ConnectionArgs) {
    return new AutoTopUpConnection(await listAutoTopUps(tenant, page));
  }

  @Mutation(() => AutoTopUp, {
    nullable: true,
    description:
      'Sells a customer credit from now on whenever less than a threshold is left, by an invoice that their default payment method ' +
      'pays, at most some times a month. Its payment grants the credit. It replaces the one that the customer has for the currency or ' +
      'credit type. While its last invoice is unpaid, nothing more is sold.',
    permission: 'manage_invoices',
    // Credit below its price is given in part.
    grants: [{ path: ['input', 'costBasis'], needed: 'credit' }],
    reasons: ['customer_not_found', 'credit_type_not_found', 'currency_mismatch', ...moneyReasons],
  })
  setAutoTopUp(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => SetAutoTopUpInput, { description: 'The automatic top-up.' }) input: SetAutoTopUpInput,
  ): Promise<AutoTopUpRow> {
    return tenant.write((unit) => setAutoTopUp(unit, input));
  }

  @Mutation(() => AutoTopUp, {
    nullable: true,
    description: 'Removes an automatic top-up. What it has sold stays.',
    permission: 'manage_invoices',
    reasons: ['auto_top_up_not_found'],
  })
  removeAutoTopUp(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, topUpId) id: string,
  ): Promise<AutoTopUpRow> {
    return tenant.write((unit) => removeAutoTopUp(unit, id));
  }
}

@Resolver(() => Customer)
export class CustomerTopUpsResolver {
  @Extensions(declareWork({ cost: 1, size: 3 }))
  @FieldResolver(() => [AutoTopUp], { description: 'The automatic top-ups of the customer.' })
  autoTopUps(@Ctx() context: Context, @Root() { id }: Customer): Promise<AutoTopUpRow[]> {
    return context.listBy('autoTopUps', 'customerId', id);
  }
}
