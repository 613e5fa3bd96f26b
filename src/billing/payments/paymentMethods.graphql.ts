import {
  Args,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  ID,
  Int,
  ObjectType,
  Resolver,
  Root,
} from 'type-graphql';
import { openInPortal, openToCustomers } from '../../graphql/openness.ts';
import { Customer } from '../customers/customers.graphql.ts';
import type { CustomerRow } from '../customers/customers.ts';
import { ConnectionArgs, defineConnection, nestedPage } from '../../graphql/connections.ts';
import type { Context } from '../../graphql/context.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { CountryCode, DateTime } from '../../graphql/scalars.ts';
import { PaymentProvider } from '../../tenants/paymentProvider.graphql.ts';
import {
  findExpiryMonth,
  listPaymentMethods,
  pickDefault,
  type PaymentMethodRow,
  findPaymentMethod,
} from './paymentMethods.ts';

@Extensions(refetchBy(({ read }, id) => findPaymentMethod(read, id)))
@ObjectType('PaymentMethod', {
  implements: Node,
  simpleResolvers: true,
  description: 'A payment method that a provider keeps for later charges, such as a card.',
})
export class PaymentMethod extends Node {
  @Field(() => ID, { description: 'The id of the customer.' })
  customerId!: string;

  @Field(() => PaymentProvider, { description: 'The payment provider that keeps it.' })
  provider!: string;

  @Extensions(openToCustomers)
  @Field(() => String, {
    nullable: true,
    description: 'Its type as the provider names it, such as `card` or `sepa_debit`; null if unknown.',
  })
  type!: string | null;

  @Extensions(openToCustomers)
  @Field(() => String, { nullable: true, description: 'The brand of a card, such as `visa`.' })
  brand!: string | null;

  @Extensions(openToCustomers)
  @Field(() => String, { nullable: true, description: 'The last four characters of its number.' })
  last4!: string | null;

  @Field(() => CountryCode, {
    nullable: true,
    description: 'The country of the card or the account; null if the provider did not say.',
  })
  country!: string | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it was removed; it is never charged again. Removed methods are not listed.',
  })
  removedAt!: string | null;

  @Extensions(openToCustomers)
  @Field(() => DateTime, { description: 'When it was saved.' })
  createdAt!: string;
}

const PaymentMethodConnection = defineConnection<PaymentMethodRow>(
  'PaymentMethod',
  () => PaymentMethod,
  openToCustomers,
);

/** Returns the methods of a customer that are not removed, oldest first. */
const listSaved = (context: Context, customerId: string): Promise<PaymentMethodRow[]> =>
  context.listBy('paymentMethods', 'customerId', customerId, { removedAt: null });

@Resolver(() => PaymentMethod)
export class PaymentMethodResolver {
  @FieldResolver(() => Customer, { nullable: true, description: 'The customer; null if deleted.' })
  customer(@Ctx() context: Context, @Root() { customerId }: PaymentMethodRow) {
    return context.byId('customers', customerId);
  }

  @Extensions(openToCustomers)
  @FieldResolver(() => Int, { nullable: true, description: 'The month in which a card expires, 1 to 12.' })
  expiryMonth(@Root() method: PaymentMethodRow): number | null {
    return findExpiryMonth(method)?.month ?? null;
  }

  @Extensions(openToCustomers)
  @FieldResolver(() => Int, { nullable: true, description: 'The year in which a card expires.' })
  expiryYear(@Root() method: PaymentMethodRow): number | null {
    return findExpiryMonth(method)?.year ?? null;
  }

  @Extensions(openToCustomers)
  @FieldResolver(() => Boolean, { description: 'Whether its card has expired.' })
  isExpired(@Ctx() { tenant }: Context, @Root() { expiresAt }: PaymentMethodRow): boolean {
    return expiresAt !== null && expiresAt <= tenant.now();
  }

  @Extensions(openToCustomers)
  @FieldResolver(() => Boolean, {
    description: 'Whether new charges of the customer use it, unless they name another.',
  })
  async isDefault(@Ctx() context: Context, @Root() { id, customerId }: PaymentMethodRow): Promise<boolean> {
    return (await findDefault(context, customerId))?.id === id;
  }
}

async function findDefault(context: Context, customerId: string): Promise<PaymentMethodRow | undefined> {
  const customer = await context.byId('customers', customerId);
  return customer ? pickDefault(customer, await listSaved(context, customerId)) : undefined;
}

@Resolver(() => Customer)
export class CustomerMethodsResolver {
  @Extensions(nestedPage)
  @Extensions(openInPortal('paymentMethods'))
  @FieldResolver(() => PaymentMethodConnection, {
    nullable: true,
    description: 'The payment methods of the customer.',
  })
  async paymentMethods(
    @Ctx() { tenant }: Context,
    @Root() { id }: CustomerRow,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
  ) {
    return new PaymentMethodConnection(await listPaymentMethods(tenant, id, page));
  }

  @Extensions(openInPortal('paymentMethods'))
  @FieldResolver(() => PaymentMethod, {
    nullable: true,
    description:
      'The payment method that new charges use, unless they name another: the first, or the chosen one.',
  })
  async defaultPaymentMethod(@Ctx() context: Context, @Root() customer: CustomerRow) {
    return (await findDefault(context, customer.id)) ?? null;
  }
}
