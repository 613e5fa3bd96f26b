import {
  Arg,
  Args,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  ID,
  ObjectType,
  Resolver,
  Root,
} from 'type-graphql';
import { Mutation } from '../../graphql/operations.ts';
import { ConnectionArgs, defineConnection, nestedPage } from '../../graphql/connections.ts';
import type { Context } from '../../graphql/context.ts';
import { DateTime } from '../../graphql/scalars.ts';
import { Customer, VatIdCheckStatus } from '../customers/customers.graphql.ts';
import type { CustomerRow } from '../customers/customers.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { checkVatIdNow } from './vatIdChecks.ts';
import { listEvidence, type VatIdEvidenceRow } from './vatIdEvidence.ts';

@ObjectType('VatIdEvidence', {
  simpleResolvers: true,
  description: 'An answer of VIES about a VAT id of a customer, which proves the check to a tax office.',
})
class VatIdEvidence {
  @Field(() => String, { description: 'The VAT id that was asked about.' })
  vatId!: string;

  @Field(() => VatIdCheckStatus, { description: 'The answer.' })
  status!: string;

  @Field(() => DateTime, { description: 'When VIES answered.' })
  checkedAt!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The consultation number (`requestIdentifier`); VIES gives one if the seller has a VAT id.',
  })
  consultation!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The VAT id of the seller for whom it was asked; null for none.',
  })
  requester!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The name that VIES gave; null if the member state tells none.',
  })
  name!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The address that VIES gave, in one line; null if the member state tells none.',
  })
  address!: string | null;
}

const VatIdEvidenceConnection = defineConnection<VatIdEvidenceRow>('VatIdEvidence', () => VatIdEvidence);

@Resolver(() => Customer)
export class VatIdCheckResolver {
  @Extensions(nestedPage)
  @FieldResolver(() => VatIdEvidenceConnection, {
    nullable: true,
    description: 'What VIES has answered about their VAT ids; newest first by default.',
  })
  async vatIdEvidence(
    @Ctx() { tenant }: Context,
    @Root() { id }: Customer,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
  ) {
    return new VatIdEvidenceConnection(await listEvidence(tenant, id, page));
  }

  // VIES is called.
  @Mutation(() => Customer, {
    nullable: true,
    description:
      'Asks VIES about the VAT id of a customer now, and returns the customer with the answer. Does not ask if the tenant ' +
      'does not check VAT ids, or if no tax depends on it. Drafts that wait for the answer are finalized soon afterwards.',
    work: { cost: 1000 },
    permission: 'manage_customers',
    reasons: ['customer_not_found'],
  })
  checkVatId(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The customer.' }) id: string,
  ): Promise<CustomerRow> {
    return checkVatIdNow(tenant, id);
  }
}
