import { Arg, Args, Ctx, Extensions, FieldResolver, ID, Resolver, Root } from 'type-graphql';
import { CurrentTenant } from '../../graphql/arguments.ts';
import {
  ConnectionArgs,
  CreatedConnectionArgs,
  defineConnection,
  nestedPage,
} from '../../graphql/connections.ts';
import type { Context } from '../../graphql/context.ts';
import { Money, toMoney } from '../../graphql/money.ts';
import { Mutation, Query } from '../../graphql/operations.ts';
import { moneyReasons } from '../../graphql/reasons.ts';
import { Decimal } from '../../graphql/scalars.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { Frequency } from '../catalog/priceInput.graphql.ts';
import { Customer } from '../customers/customers.graphql.ts';
import { formatCredits } from '../pricing/creditUnits.ts';
import {
  createCreditGrant,
  findCreditGrant,
  findGrantStatus,
  listCreditGrants,
  listGrantUses,
  sumGrants,
  updateCreditGrant,
  voidCreditGrant,
  type GrantBalance,
  type GrantRow,
} from './creditGrants.ts';
import {
  CreateCreditGrantInput,
  CreditCategory,
  TopUpCreditInput,
  UpdateCreditGrantInput,
} from './creditGrantInput.graphql.ts';
import {
  CreditBalance,
  CreditGrant,
  CreditGrantUse,
  CreditRolloverType,
  CreditScopeType,
  GrantEffect,
  GrantStatus,
} from './creditGrantTypes.graphql.ts';
import { topUpCredit } from './topUps.ts';
import type { InvoiceRow } from './invoices.ts';
import { Invoice } from './invoices.graphql.ts';
import { BillLine } from './lines.graphql.ts';

const CreditGrantConnection = defineConnection<GrantRow>('CreditGrant', () => CreditGrant);
const CreditGrantUseConnection = defineConnection<GrantRow>('CreditGrantUse', () => CreditGrantUse);

/** What has amounts of money, or of credits of a type. */
type Typed = Pick<GrantRow, 'creditTypeId' | 'currency'>;

/** Returns an amount of money; null for credits of a type. */
export const showMoney = ({ creditTypeId, currency }: Typed, amountMinor: bigint): Money | null =>
  creditTypeId === null ? toMoney(amountMinor, currency) : null;

/** Returns an amount in credits of a type; null for money. */
export const showCredits = ({ creditTypeId }: Typed, amountMicro: bigint): string | null =>
  creditTypeId === null ? null : formatCredits(amountMicro);

@Resolver(() => CreditGrant)
export class CreditGrantResolver {
  @FieldResolver(() => String, { description: 'Its name on documents.' })
  name(@Root() { reason }: GrantRow): string {
    return reason ?? '';
  }

  @FieldResolver(() => Customer, { nullable: true, description: 'The customer; null if deleted.' })
  customer(@Ctx() context: Context, @Root() { customerId }: GrantRow) {
    return context.byId('customers', customerId);
  }

  @FieldResolver(() => Money, {
    nullable: true,
    description: 'The granted amount; null for credits of a type.',
  })
  amount(@Root() grant: GrantRow): Money | null {
    return showMoney(grant, grant.amountMinor);
  }

  @FieldResolver(() => Money, {
    nullable: true,
    description: 'The part that is neither used nor ended; null for credits of a type.',
  })
  remaining(@Root() grant: GrantRow): Money | null {
    return showMoney(grant, grant.remainingMinor);
  }

  @FieldResolver(() => Decimal, {
    nullable: true,
    description: 'The granted credits of a type; null for money.',
  })
  credits(@Root() grant: GrantRow): string | null {
    return showCredits(grant, grant.amountMinor);
  }

  @FieldResolver(() => Decimal, {
    nullable: true,
    description: 'The credits of a type that are neither used nor ended; null for money.',
  })
  remainingCredits(@Root() grant: GrantRow): string | null {
    return showCredits(grant, grant.remainingMinor);
  }

  @FieldResolver(() => Money, {
    nullable: true,
    description:
      'The event `CustomerEvent.credit_low` tells when less than this is left; null for none, and for credits of a type.',
  })
  alertBelow(@Root() grant: GrantRow): Money | null {
    return grant.alertBelowMinor === null ? null : showMoney(grant, grant.alertBelowMinor);
  }

  @FieldResolver(() => Decimal, {
    nullable: true,
    description: 'The same in credits of a type; null for none, and for money.',
  })
  alertBelowCredits(@Root() grant: GrantRow): string | null {
    return grant.alertBelowMinor === null ? null : showCredits(grant, grant.alertBelowMinor);
  }

  @FieldResolver(() => GrantEffect, { description: 'What it does to a bill.' })
  effect(@Root() { beforeTax }: GrantRow): string {
    return beforeTax ? GrantEffect.before_tax : GrantEffect.total;
  }

  @FieldResolver(() => GrantStatus, { description: 'The status.' })
  status(@Ctx() context: Context, @Root() grant: GrantRow): string {
    return findGrantStatus(grant, context.tenant.now());
  }

  @FieldResolver(() => CreditRolloverType, { nullable: true, description: 'What it keeps when it expires.' })
  rollover(@Root() { rollover, currency }: GrantRow): CreditRolloverType | null {
    if (rollover === null) return null;
    const { percent = null, maximumMinor, frequency, period, until } = rollover;
    const maximum = maximumMinor === undefined ? null : toMoney(BigInt(maximumMinor), currency);
    return { percent, maximum, expiresAfter: { frequency: frequency as Frequency, period }, until };
  }

  @FieldResolver(() => CreditScopeType, {
    nullable: true,
    description: 'The charges that it lowers; null for all.',
  })
  appliesTo(@Root() { appliesTo }: GrantRow): CreditScopeType | null {
    return appliesTo && { priceIds: appliesTo.priceIds ?? [], meterIds: appliesTo.meterIds ?? [] };
  }

  @Extensions(nestedPage)
  @FieldResolver(() => CreditGrantUseConnection, {
    nullable: true,
    description: 'What was used of it, returned to it, and ended.',
  })
  async uses(
    @Ctx() { tenant }: Context,
    @Root() { id }: GrantRow,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
  ) {
    return new CreditGrantUseConnection(await listGrantUses(tenant, id, page));
  }

  @Query(() => CreditGrant, {
    nullable: true,
    description: 'Returns a credit grant by id.',
    permission: 'read',
    reasons: ['credit_grant_not_found'],
  })
  creditGrant(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The credit grant.' }) id: string,
  ): Promise<GrantRow> {
    return findCreditGrant(tenant.read, id);
  }

  @Query(() => CreditGrantConnection, {
    nullable: true,
    description: 'Lists credit grants, including those that are used up, expired or voided.',
    permission: 'read',
    reasons: ['cursor_invalid', 'query_timeout'],
  })
  async creditGrants(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => CreatedConnectionArgs) page: CreatedConnectionArgs,
    @Arg('customerId', () => ID, { nullable: true, description: 'Filter by customer.' })
    customerId?: string,
    @Arg('category', () => CreditCategory, { nullable: true, description: 'Filter by category.' })
    category?: 'paid' | 'promotional',
    @Arg('usable', () => Boolean, { nullable: true, description: 'If true, only grants that can pay.' })
    usable?: boolean,
    @Arg('creditTypeId', () => ID, { nullable: true, description: 'Filter by credit type.' })
    creditTypeId?: string,
  ) {
    const filter = { customerId, category, creditTypeId, usable };
    return new CreditGrantConnection(await listCreditGrants(tenant, filter, page));
  }

  @Mutation(() => CreditGrant, {
    nullable: true,
    description:
      'Grants a customer credit with terms. Promotional credit lowers bills before tax; paid credit pays their total, unless ' +
      'the tenant sells single-purpose vouchers. Credits of a type cover units of usage of its meters, before tax.',
    permission: 'credit',
    proposable: true,
    reasons: [
      'customer_not_found',
      'price_not_found',
      'meter_not_found',
      'credit_type_not_found',
      'currency_mismatch',
      ...moneyReasons,
    ],
  })
  createCreditGrant(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => CreateCreditGrantInput, { description: 'The credit grant.' })
    input: CreateCreditGrantInput,
  ): Promise<GrantRow> {
    return tenant.write((unit) => createCreditGrant(unit, input));
  }

  @Mutation(() => Invoice, {
    nullable: true,
    description:
      'Sells a customer credit by an invoice over its amount times its cost basis, which the balance does not pay. The credit is ' +
      'granted when the invoice is paid. If the charge is declined, the invoice stays open: `payInvoice` tries again.',
    permission: 'manage_invoices',
    proposable: true,
    // Credit below its price is given in part.
    grants: [{ path: ['input', 'costBasis'], needed: 'credit' }],
    reasons: ['customer_not_found', 'credit_type_not_found', 'currency_mismatch', ...moneyReasons],
  })
  topUpCredit(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => TopUpCreditInput, { description: 'The credit.' }) input: TopUpCreditInput,
  ): Promise<InvoiceRow> {
    return topUpCredit(tenant, input);
  }

  @Mutation(() => CreditGrant, {
    nullable: true,
    description:
      'Changes the alert of a credit grant. If less is left than it names, that is told at once. A missing field changes nothing.',
    permission: 'credit',
    reasons: ['credit_grant_not_found', 'currency_mismatch', ...moneyReasons],
  })
  updateCreditGrant(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The credit grant.' }) id: string,
    @Arg('input', () => UpdateCreditGrantInput, { description: 'The changes.' })
    input: UpdateCreditGrantInput,
  ): Promise<GrantRow> {
    return tenant.write((unit) => updateCreditGrant(unit, id, input));
  }

  @Mutation(() => CreditGrant, {
    nullable: true,
    description: 'Voids the remainder of a credit grant. Voiding it again changes nothing.',
    permission: 'credit',
    proposable: true,
    reasons: ['credit_grant_not_found', 'credit_grant_in_use'],
  })
  voidCreditGrant(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The credit grant.' }) id: string,
  ): Promise<GrantRow> {
    return tenant.write((unit) => voidCreditGrant(unit, id));
  }
}

@Resolver(() => CreditGrantUse)
export class CreditGrantUseResolver {
  @FieldResolver(() => Money, { nullable: true, description: 'The amount; null for credits of a type.' })
  amount(@Root() entry: GrantRow): Money | null {
    return showMoney(entry, entry.amountMinor);
  }

  @FieldResolver(() => Decimal, { nullable: true, description: 'The credits of a type; null for money.' })
  credits(@Root() entry: GrantRow): string | null {
    return showCredits(entry, entry.amountMinor);
  }

  @FieldResolver(() => CreditGrant, { nullable: true, description: 'The credit grant.' })
  grant(@Ctx() context: Context, @Root() { creditId }: GrantRow) {
    return context.byId('balanceEntries', creditId!);
  }

  @FieldResolver(() => Invoice, { nullable: true, description: 'The invoice that used or returned it.' })
  invoice(@Ctx() context: Context, @Root() { invoiceId }: GrantRow) {
    return invoiceId === null ? null : context.byId('invoices', invoiceId);
  }

  @FieldResolver(() => BillLine, {
    nullable: true,
    description: 'The line that it lowers, or the balance line of the invoice whose total it pays.',
  })
  async line(@Ctx() context: Context, @Root() { lineId, invoiceId }: GrantRow) {
    if (lineId !== null) return context.byId('invoiceLines', lineId);
    if (invoiceId === null) return null;
    const [balance] = await context.listBy('invoiceLines', 'invoiceId', invoiceId, { kind: 'BALANCE' });
    return balance ?? null;
  }
}

@Resolver(() => Invoice)
export class InvoiceCreditResolver {
  @FieldResolver(() => CreditGrant, {
    nullable: true,
    description: 'The credit that its payment has granted; null if it sells none, or is not paid yet.',
  })
  async soldCredit(@Ctx() context: Context, @Root() { id, topUp }: InvoiceRow) {
    if (topUp === null) return null;
    const [grant] = await context.listBy('balanceEntries', 'invoiceId', id, { kind: 'grant' });
    return grant ?? null;
  }
}

@Resolver(() => CreditBalance)
export class CreditBalanceResolver {
  @FieldResolver(() => Money, {
    nullable: true,
    description: 'The amount that they can pay now; null for credits of a type.',
  })
  amount(@Root() balance: GrantBalance): Money | null {
    return showMoney(balance, balance.amountMinor);
  }

  @FieldResolver(() => Decimal, {
    nullable: true,
    description: 'The credits of a type that they can pay now; null for money.',
  })
  credits(@Root() balance: GrantBalance): string | null {
    return showCredits(balance, balance.amountMinor);
  }
}

@Resolver(() => Customer)
export class CustomerCreditGrantsResolver {
  @FieldResolver(() => [CreditBalance], {
    description:
      'What credit grants can pay now, by category, currency and credit type. `balance` contains the paid ones of money as well.',
  })
  async creditBalances(@Ctx() context: Context, @Root() { id }: Customer): Promise<GrantBalance[]> {
    const left = await context.listBy('balanceEntries', 'customerId', id, { remainingMinor: { after: 0n } });
    return sumGrants(left, context.tenant.now());
  }

  @Extensions(nestedPage)
  @FieldResolver(() => CreditGrantConnection, {
    nullable: true,
    description: 'The credit grants of the customer.',
  })
  async creditGrants(
    @Ctx() { tenant }: Context,
    @Root() { id: customerId }: Customer,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
  ) {
    return new CreditGrantConnection(await listCreditGrants(tenant, { customerId }, page));
  }
}
