import { Arg, Args, Field, FieldResolver, ID, InputType, Resolver, Root } from 'type-graphql';
import { Query, Mutation } from '../../graphql/operations.ts';
import { Customer, CustomerConnection } from '../../billing/customers/customers.graphql.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { ConnectionArgs } from '../../graphql/connections.ts';
import { DateTime } from '../../graphql/scalars.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { blockMail, listBlockedCustomers, unblockMail } from './blocking.ts';

@InputType({ description: 'A block of mail.' })
class BlockMailInput {
  @Field(() => String, { description: 'Why, 1 to 500 characters, for operators.' })
  reason!: string;
}

@Resolver(() => Customer)
export class CustomerMailResolver {
  @FieldResolver(() => DateTime, {
    nullable: true,
    description: 'When the address refused mail for good or was blocked; null while it is written to.',
  })
  mailBlockedAt(@Root() customer: Row<'customers'>): string | null {
    return customer.mailBlockedAt;
  }

  @FieldResolver(() => String, { nullable: true, description: 'Why no mail is sent to the address.' })
  mailBlockedReason(@Root() customer: Row<'customers'>): string | null {
    return customer.mailBlockedReason;
  }

  @Query(() => CustomerConnection, {
    nullable: true,
    description: 'Lists the customers whose address gets no mail, in the order of `mailBlockedAt`.',
    permission: 'read',
    reasons: ['cursor_invalid'],
  })
  async blockedCustomers(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
  ) {
    return new CustomerConnection(await listBlockedCustomers(tenant, page));
  }

  @Mutation(() => Customer, {
    nullable: true,
    description:
      "Stops all mail to a customer's address and cancels the mails that wait. A blocked address stays as it is.",
    permission: 'manage_customers',
    reasons: ['customer_not_found'],
  })
  blockMail(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The customer.' }) id: string,
    @Arg('input', () => BlockMailInput, { description: 'The block.' }) input: BlockMailInput,
  ): Promise<Row<'customers'>> {
    return tenant.write((unit) => blockMail(unit, id, input));
  }

  @Mutation(() => Customer, {
    nullable: true,
    description: "Allows mail to a customer's address again.",
    permission: 'manage_customers',
    reasons: ['customer_not_found'],
  })
  unblockMail(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The customer.' }) id: string,
  ): Promise<Row<'customers'>> {
    return tenant.write((unit) => unblockMail(unit, id));
  }
}
