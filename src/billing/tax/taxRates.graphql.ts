import {
  Arg,
  Args,
  Extensions,
  Field,
  FieldResolver,
  ID,
  InputType,
  ObjectType,
  Resolver,
  Root,
} from 'type-graphql';
import { Query, Mutation } from '../../graphql/operations.ts';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { ConnectionArgs, defineConnection } from '../../graphql/connections.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { CountryCode, DateScalar, DateTime, Decimal } from '../../graphql/scalars.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { TaxCategory } from './categories.graphql.ts';
import type { TaxRateRow } from './resolveRate.ts';
import { listStandardRates, mostRenewed, type ListedRate } from './standardRates.ts';
import { archiveTaxRate, createTaxRate, findTaxRate, listTaxRates, updateTaxRate } from './taxRates.ts';

@Extensions(refetchBy(({ read }, id) => findTaxRate(read, id)))
@ObjectType('TaxRate', {
  implements: Node,
  simpleResolvers: true,
  description: 'A tax rate of the tenant. It precedes the standard rates for the same place.',
})
class TaxRate extends Node {
  @Field(() => String, { nullable: true, description: 'A name for your own use.' })
  name!: string | null;

  @Field(() => CountryCode, { description: 'The country of the customers, ISO 3166-1 alpha-2.' })
  country!: string;

  @Field(() => String, { nullable: true, description: 'Their state or province; null for all.' })
  region!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The tax code of the products; null for all products.',
  })
  taxCode!: string | null;

  @Field(() => TaxCategory, { nullable: true, description: 'The VAT category. Default: `S`.' })
  category?: string | null;

  @Field(() => Decimal, { description: 'The rate in percent.' })
  percent!: string;

  @Field(() => DateTime, { description: 'The first instant of the bills that it applies to.' })
  effectiveFrom!: string;

  @Field(() => DateTime, { nullable: true, description: 'When it was archived; new bills do not use it.' })
  archivedAt!: string | null;

  @Field(() => DateTime, { description: 'When the rate was created.' })
  createdAt!: string;

  @Field(() => DateTime, { description: 'When the rate was last changed.' })
  updatedAt!: string;
}

@ObjectType('StandardTaxRate', {
  simpleResolvers: true,
  description: 'A standard VAT rate of a member state of the European Union, or of one of its territories.',
})
class StandardTaxRate {
  @Field(() => CountryCode, { description: 'The member state, ISO 3166-1 alpha-2.' })
  country!: string;

  @Field(() => String, { nullable: true, description: 'The territory; null for the rest of the country.' })
  territory!: string | null;

  @Field(() => [String], { description: 'The starts of the postal codes of the territory.' })
  postalCodes!: readonly string[];

  @Field(() => Decimal, {
    nullable: true,
    description: 'The rate in percent; null if the territory is outside the scope of VAT.',
  })
  percent!: string | null;

  @Field(() => DateScalar, {
    nullable: true,
    description: 'The first date of the rate; null for always.',
  })
  effectiveFrom!: string | null;
}

@InputType({ description: 'A tax rate to create.' })
class CreateTaxRateInput {
  @Field(() => CountryCode, { description: 'The country of the customers, ISO 3166-1 alpha-2.' })
  country!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Their state or province, such as `CA`. Default: all.',
  })
  region?: string | null;

  @Field(() => String, { nullable: true, description: 'The start of their postal code. Default: all.' })
  postalCode?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The tax code of the products. Default: all products.',
  })
  taxCode?: string | null;

  @Field(() => TaxCategory, { nullable: true, description: 'The VAT category. Default: `S`.' })
  category?: string | null;

  @Field(() => Decimal, {
    description:
      'The rate in percent, 0 to 100 with at most 4 decimals: above 0 in the category `S`, 0 in the others.',
  })
  percent!: string;

  @Field(() => DateTime, { nullable: true, description: 'The first instant of the bills. Default: now.' })
  effectiveFrom?: string | null;

  @Field(() => String, { nullable: true, description: 'A name for your own use, 1 to 200 characters.' })
  name?: string | null;
}

@InputType({ description: 'Changes to a tax rate. Omitted fields stay unchanged.' })
class UpdateTaxRateInput {
  @Field(() => String, { nullable: true, description: 'A name for your own use; null removes it.' })
  name?: string | null;
}

const TaxRateConnection = defineConnection<TaxRateRow>('TaxRate', () => TaxRate);

/** How many rates can be listed. */
const listSize = listStandardRates(null).length + mostRenewed;

const rateId = { description: 'The id of the tax rate.' };

@Resolver(() => TaxRate)
export class TaxRateResolver {
  @FieldResolver(() => String, {
    nullable: true,
    description: 'The start of their postal code; null for all.',
  })
  postalCode(@Root() { postcode }: TaxRateRow): string | null {
    return postcode;
  }

  @FieldResolver(() => Boolean, { description: 'Whether it was archived.' })
  archived(@Root() { archivedAt }: TaxRateRow): boolean {
    return archivedAt !== null;
  }

  @Query(() => TaxRate, {
    nullable: true,
    description: 'Returns a tax rate by id.',
    permission: 'read',
    reasons: ['tax_rate_not_found'],
  })
  taxRate(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, rateId) id: string,
  ): Promise<TaxRateRow> {
    return findTaxRate(tenant.read, id);
  }

  @Query(() => TaxRateConnection, {
    nullable: true,
    description: "Lists the tenant's tax rates.",
    permission: 'read',
    reasons: ['cursor_invalid'],
  })
  async taxRates(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('country', () => CountryCode, { nullable: true, description: 'Filter by country.' })
    country?: string,
  ) {
    return new TaxRateConnection(await listTaxRates(tenant, { country }, page));
  }

  @Query(() => [StandardTaxRate], {
    nullable: true,
    description:
      'Lists the standard rates of the European Union that apply without rates of the tenant, by country, oldest first.',
    work: { cost: 0, size: listSize },
    permission: 'read',
    reasons: [],
  })
  standardTaxRates(
    @CurrentTenant() { record }: TenantScope,
    @Arg('country', () => CountryCode, { nullable: true, description: 'Filter by country.' })
    country?: string,
  ): ListedRate[] {
    return listStandardRates(record.renewedRates).filter(
      (rate) => !country || rate.country === country.toUpperCase(),
    );
  }

  @Mutation(() => TaxRate, {
    nullable: true,
    description: 'Creates a tax rate.',
    permission: 'manage_catalog',
    reasons: [],
  })
  createTaxRate(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => CreateTaxRateInput, { description: 'The rate.' }) input: CreateTaxRateInput,
  ): Promise<TaxRateRow> {
    return tenant.write((unit) => createTaxRate(unit, input));
  }

  @Mutation(() => TaxRate, {
    nullable: true,
    description: 'Changes the name of a tax rate. Its terms are fixed: create another with a later date.',
    permission: 'manage_catalog',
    reasons: ['tax_rate_not_found'],
  })
  updateTaxRate(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, rateId) id: string,
    @Arg('input', () => UpdateTaxRateInput, { description: 'The changes.' }) input: UpdateTaxRateInput,
  ): Promise<TaxRateRow> {
    return tenant.write((unit) => updateTaxRate(unit, id, input));
  }

  @Mutation(() => TaxRate, {
    nullable: true,
    description: 'Archives a tax rate: bills from then on do not use it. Issued invoices stay as they are.',
    permission: 'manage_catalog',
    reasons: ['tax_rate_not_found'],
  })
  archiveTaxRate(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, rateId) id: string,
  ): Promise<TaxRateRow> {
    return tenant.write((unit) => archiveTaxRate(unit, id));
  }
}
