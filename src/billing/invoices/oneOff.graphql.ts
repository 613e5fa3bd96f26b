import {
  Arg,
  Args,
  Ctx,
  Field,
  FieldResolver,
  ID,
  InputType,
  Int,
  ObjectType,
  registerEnumType,
  Resolver,
  Root,
  Extensions,
} from 'type-graphql';
import { Query, Mutation } from '../../graphql/operations.ts';
import { moneyReasons, oneOffReasons } from '../../graphql/reasons.ts';
import { TaxBehavior } from '../catalog/priceInput.graphql.ts';
import { ProductKind } from '../catalog/productKind.graphql.ts';
import { Customer } from '../customers/customers.graphql.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { CreatedConnectionArgs, defineConnection } from '../../graphql/connections.ts';
import type { Context } from '../../graphql/context.ts';
import { Money, MoneyInput, toMoney } from '../../graphql/money.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { DateScalar, DateTime, JSONObject, textValues } from '../../graphql/scalars.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import {
  getItemStatus,
  listInvoiceItems,
  waitingItem,
  type InvoiceItemRow,
  type ItemStatus,
} from './invoiceItems.ts';
import type { InvoiceRow } from './invoices.ts';
import { Invoice } from './invoices.graphql.ts';
import { InvoiceCollectionMethod } from './invoiceEnums.graphql.ts';
import { InvoiceLineKind } from './lines.graphql.ts';
import { createInvoice, createInvoiceItem, deleteInvoiceItem, findInvoiceItem } from './oneOffInvoices.ts';
import { markUncollectible, voidOneOffInvoice } from './oneOffPayments.ts';

const description = { description: 'The text of the line, 1 to 500 characters.' };
const quantity = { nullable: true, description: 'The number of units, 1 to 1,000,000,000. Default: 1.' };
const unitAmount = { description: 'The amount of a unit, more than 0.' };

const taxRate = {
  nullable: true,
  description: "A tax rate for this charge alone. Default: that of the customer's bills.",
};
const taxBehavior = {
  nullable: true,
  description: 'Whether the amount contains the tax. Default: `exclusive`.',
};

@InputType({ description: 'The days of a service.' })
class ServicePeriodInput {
  @Field(() => DateScalar, { description: 'The first day, in the time zone of the tenant.' })
  from!: string;

  @Field(() => DateScalar, { description: 'The last day.' })
  to!: string;
}

@InputType('OneOffChargeInput', { description: 'A one-off charge.' })
export class OneOffChargeInput {
  @Field(() => MoneyInput, unitAmount)
  amount!: MoneyInput;

  @Field(() => String, description)
  description!: string;

  @Field(() => Int, quantity)
  quantity?: number | null;

  @Field(() => ID, taxRate)
  taxRateId?: string | null;

  @Field(() => TaxBehavior, taxBehavior)
  taxBehavior?: keyof typeof TaxBehavior | null;

  @Field(() => ProductKind, {
    nullable: true,
    description:
      'What is sold, which decides where it is taxed. Default: an electronic service. A `taxRateId` precedes it.',
  })
  productKind?: keyof typeof ProductKind | null;

  @Field(() => DateScalar, {
    nullable: true,
    description:
      'The day of supply, in the time zone of the tenant, which the document states. Default: the day of the invoice.',
  })
  suppliedAt?: string | null;

  @Field(() => ServicePeriodInput, {
    nullable: true,
    description: 'The days of a service that takes more than one; not beside `suppliedAt`.',
  })
  servicePeriod?: ServicePeriodInput | null;
}

const InvoiceItemStatus = {
  waiting: 'waiting',
  billed: 'billed',
  deleted: 'deleted',
} as const satisfies Record<ItemStatus, ItemStatus>;
registerEnumType(InvoiceItemStatus, {
  name: 'InvoiceItemStatus',
  description: 'The status of an invoice item.',
  valuesConfig: {
    waiting: { description: 'It waits for an invoice.' },
    billed: { description: 'An invoice bills it.' },
    deleted: { description: 'It was deleted before an invoice billed it.' },
  },
});

@InputType({ description: 'A one-off charge to add to the next invoice.' })
class CreateInvoiceItemInput extends OneOffChargeInput {
  @Field(() => ID, { description: 'The customer.' })
  customerId!: string;

  @Field(() => ID, {
    nullable: true,
    description: "Bill it with this subscription's next invoice. Default: the customer's next renewal.",
  })
  subscriptionId?: string | null;
}

@InputType({ description: 'An invoice of one-off charges.' })
class CreateInvoiceInput {
  @Field(() => ID, { description: 'The customer.' })
  customerId!: string;

  @Field(() => [OneOffChargeInput], { description: 'The charges, 1 to 100, in one currency.' })
  items!: OneOffChargeInput[];

  @Field(() => InvoiceCollectionMethod, { nullable: true, description: 'Default: `automatic`.' })
  collect?: keyof typeof InvoiceCollectionMethod | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Leave it a draft until `finalizeInvoice`, which also charges it. Default: false.',
  })
  draft?: boolean | null;

  @Extensions(textValues)
  @Field(() => JSONObject, {
    nullable: true,
    description:
      'Your own data, text to text, at most 50 keys and 16 KiB as JSON; the payments of the invoice have it, too.',
  })
  metadata?: Record<string, string> | null;

  @Field(() => String, {
    nullable: true,
    description: "The number of the customer's order, which e-invoices name (BT-13), at most 200 characters.",
  })
  purchaseOrder?: string | null;
}

@Extensions(refetchBy(({ read }, id) => findInvoiceItem(read, id)))
@ObjectType('InvoiceItem', {
  implements: Node,
  simpleResolvers: true,
  description: 'A line that waits for an invoice, or that an invoice bills.',
})
class InvoiceItem extends Node {
  @Field(() => InvoiceLineKind, { description: 'The kind of its line; `ITEM` for a one-off charge.' })
  kind!: string;

  @Field(() => ProductKind, {
    nullable: true,
    description: 'What is sold, which decides where it is taxed; null for an electronic service.',
  })
  productKind!: string | null;

  @Field(() => String, { description: 'The text of its line.' })
  description!: string;

  @Field(() => Int, { description: 'The number of units.' })
  quantity!: number;

  @Field(() => ID, { description: 'The customer who is billed.' })
  customerId!: string;

  @Field(() => ID, {
    nullable: true,
    description:
      'The subscription whose next invoice bills it, or at its end its final one; null for the next invoice of the ' +
      'customer, which also bills it if the final invoice was voided.',
  })
  subscriptionId!: string | null;

  @Field(() => ID, { nullable: true, description: 'The invoice that bills it; null while it waits.' })
  invoiceId!: string | null;

  @Field(() => DateTime, { description: 'When it was created.' })
  createdAt!: string;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  updatedAt!: string;
}

const InvoiceItemConnection = defineConnection<InvoiceItemRow>('InvoiceItem', () => InvoiceItem);

@Resolver(() => InvoiceItem)
export class InvoiceItemResolver {
  @FieldResolver(() => InvoiceItemStatus, { description: 'The status.' })
  status(@Root() item: InvoiceItemRow): ItemStatus {
    return getItemStatus(item);
  }

  @FieldResolver(() => Customer, { nullable: true, description: 'The customer; null if deleted.' })
  customer(@Ctx() context: Context, @Root() { customerId }: InvoiceItemRow) {
    return context.byId('customers', customerId);
  }

  @FieldResolver(() => Money, { description: 'The amount of all units, before discounts.' })
  amount(@Root() item: InvoiceItemRow): Money {
    return toMoney(item.amountMinor, item.currency);
  }

  @Query(() => InvoiceItem, {
    nullable: true,
    description: 'Returns an invoice item by id.',
    permission: 'read',
    reasons: ['invoice_item_not_found'],
  })
  invoiceItem(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The item.' }) id: string,
  ): Promise<InvoiceItemRow> {
    return findInvoiceItem(tenant.read, id);
  }

  @Query(() => InvoiceItemConnection, {
    nullable: true,
    description: 'Lists invoice items.',
    permission: 'read',
    reasons: ['cursor_invalid', 'query_timeout'],
  })
  async invoiceItems(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => CreatedConnectionArgs) page: CreatedConnectionArgs,
    @Arg('customerId', () => ID, { nullable: true, description: 'Filter by customer.' })
    customerId?: string,
    @Arg('status', () => InvoiceItemStatus, { nullable: true, description: 'Filter by status.' })
    status?: ItemStatus,
  ) {
    return new InvoiceItemConnection(await listInvoiceItems(tenant, { customerId, status }, page));
  }

  @Mutation(() => InvoiceItem, {
    nullable: true,
    description: 'Adds a one-off charge to the next invoice of a customer in its currency.',
    permission: 'manage_invoices',
    reasons: [
      'customer_not_found',
      'subscription_not_found',
      'subscription_not_active',
      'currency_mismatch',
      'tax_rate_not_found',
      ...moneyReasons,
    ],
  })
  createInvoiceItem(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => CreateInvoiceItemInput, { description: 'The charge.' })
    { customerId, ...charge }: CreateInvoiceItemInput,
  ): Promise<InvoiceItemRow> {
    return tenant.write((unit) => createInvoiceItem(unit, customerId, charge));
  }

  @Mutation(() => InvoiceItem, {
    nullable: true,
    description: 'Deletes a one-off charge that no invoice bills yet.',
    permission: 'manage_invoices',
    reasons: ['invoice_item_not_found', 'invoice_item_billed'],
  })
  deleteInvoiceItem(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The item.' }) id: string,
  ): Promise<InvoiceItemRow> {
    return tenant.write((unit) => deleteInvoiceItem(unit, id));
  }
}

@Resolver(() => Customer)
export class CustomerItemsResolver {
  @FieldResolver(() => [InvoiceItem], {
    description: 'The lines that wait for an invoice, oldest first.',
  })
  invoiceItems(@Ctx() context: Context, @Root() customer: Customer): Promise<InvoiceItemRow[]> {
    return context.listBy('invoiceItems', 'customerId', customer.id, waitingItem);
  }
}

const invoiceId = { description: 'The invoice.' };

@Resolver(() => Invoice)
export class OneOffInvoiceResolver {
  @Mutation(() => Invoice, {
    nullable: true,
    description:
      "Bills one-off charges at once, together with the customer's waiting items of the same currency that no " +
      'subscription will bill. Discounts of the customer apply, and the balance pays first. If the charge is declined, the invoice stays open: ' +
      '`payInvoice` tries again.',
    permission: 'manage_invoices',
    proposable: true,
    reasons: oneOffReasons,
  })
  createInvoice(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => CreateInvoiceInput, { description: 'The invoice.' })
    { customerId, ...input }: CreateInvoiceInput,
  ): Promise<InvoiceRow> {
    return createInvoice(tenant, customerId, input);
  }

  @Mutation(() => Invoice, {
    nullable: true,
    description:
      'Voids an open or uncollectible invoice of one-off charges, or the final one of a subscription: nobody has to pay it, the balance it used is returned, and ' +
      'items that waited for an invoice wait again.',
    permission: 'manage_invoices',
    proposable: true,
    reasons: ['invoice_not_found', 'invoice_not_open'],
  })
  voidInvoice(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, invoiceId) id: string,
  ): Promise<InvoiceRow> {
    return tenant.write((unit) => voidOneOffInvoice(unit, id));
  }

  @Mutation(() => Invoice, {
    nullable: true,
    description:
      'Marks an open invoice of one-off charges, or the final one of a subscription, uncollectible: it is not charged by itself and nobody is reminded of ' +
      'it any more. It can still be paid (`payInvoice`, `recordPayment`) or voided.',
    permission: 'manage_invoices',
    proposable: true,
    reasons: ['invoice_not_found', 'invoice_not_open'],
  })
  markInvoiceUncollectible(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, invoiceId) id: string,
  ): Promise<InvoiceRow> {
    return tenant.write((unit) => markUncollectible(unit, id));
  }
}
