import { Arg, Field, ID, InputType, Int, ObjectType, registerEnumType, Resolver } from 'type-graphql';
import { CurrentTenant } from '../graphql/arguments.ts';
import { Mutation, Query, type GrantingArgument } from '../graphql/operations.ts';
import { JSONObject } from '../graphql/scalars.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';
import { planCatalog, applyCatalog, type CatalogPlan as Plan } from './plan.ts';
import { pullCatalog } from './pull.ts';
import type { CatalogFile } from './schema.ts';

const CatalogAction = {
  create: 'create',
  update: 'update',
  replace: 'replace',
  retire: 'retire',
  restore: 'restore',
} as const;
registerEnumType(CatalogAction, {
  name: 'CatalogAction',
  description: 'What a file does with a record.',
  valuesConfig: {
    create: { description: 'It is created.' },
    update: { description: 'Its fields change.' },
    replace: { description: 'A new one takes its lookup key; it is archived, and subscriptions keep it.' },
    retire: { description: 'It is archived, disabled or detached: nobody new gets it.' },
    restore: { description: 'It can be chosen again.' },
  },
});

const CatalogRecordType = {
  group: 'group',
  meter: 'meter',
  feature: 'feature',
  product: 'product',
  price: 'price',
  entitlement: 'entitlement',
  coupon: 'coupon',
  tax_rate: 'tax_rate',
  tax_settings: 'tax_settings',
  webhook_endpoint: 'webhook_endpoint',
  mail_template: 'mail_template',
  portal: 'portal',
} as const;
registerEnumType(CatalogRecordType, {
  name: 'CatalogRecordType',
  description: 'A kind of record of a catalogue file.',
  valuesConfig: {
    group: { description: 'A product group.' },
    meter: { description: 'A meter.' },
    feature: { description: 'A feature.' },
    product: { description: 'A product.' },
    price: { description: 'A price.' },
    entitlement: { description: 'What a product has of a feature.' },
    coupon: { description: 'A coupon.' },
    tax_rate: { description: 'A tax rate of the tenant.' },
    tax_settings: { description: 'The check of VAT ids, and the currency of tax.' },
    webhook_endpoint: { description: 'A webhook endpoint.' },
    mail_template: { description: 'A text of mails.' },
    portal: { description: 'The settings of the portal.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'A change that a catalogue file asks for.' })
class CatalogChange {
  @Field(() => CatalogAction, { description: 'What is done.' })
  action!: string;

  @Field(() => CatalogRecordType, { description: 'The kind of record.' })
  resource!: string;

  @Field(() => String, { description: 'The lookup key, name or address; the id of a record without one.' })
  key!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The place in the file; null for what is absent from it.',
  })
  path!: string | null;

  @Field(() => ID, {
    nullable: true,
    description: 'The id of the record that exists; null if it is created.',
  })
  recordId!: string | null;

  @Field(() => JSONObject, { description: 'The fields that differ, each with its value before and after.' })
  changes!: Record<string, unknown>;

  @Field(() => Int, {
    nullable: true,
    description:
      'The subscriptions of it that are not cancelled; null where it has none, and after it was applied.',
  })
  subscribers!: number | null;
}

@ObjectType({ simpleResolvers: true, description: 'What a catalogue file changes in a tenant.' })
class CatalogPlan {
  @Field(() => String, { description: 'Names the plan, for `applyCatalog`.' })
  hash!: string;

  @Field(() => [CatalogChange], { description: 'The changes in their order; empty if nothing changes.' })
  changes!: CatalogChange[];

  @Field(() => Int, {
    description:
      'The products, prices and coupons without a lookup key that are not in the file: they are left alone.',
  })
  unmanaged!: number;
}

@InputType({ description: 'A catalogue file to plan.' })
class PlanCatalogInput {
  @Field(() => JSONObject, { description: 'The file.' })
  catalog!: Record<string, unknown>;
}

@InputType({ description: 'A catalogue file to apply.' })
class ApplyCatalogInput {
  @Field(() => JSONObject, { description: 'The file.' })
  catalog!: Record<string, unknown>;

  @Field(() => String, {
    nullable: true,
    description:
      'The `hash` of its plan: it is applied only if it still changes the same. Default: it is applied in any case.',
  })
  hash?: string | null;
}

/** What sections of a file grant beyond the catalogue. */
const grants: GrantingArgument[] = [
  {
    path: ['input', 'catalog'],
    needed: 'manage_settings',
    grants: (file) => {
      const { mails, portal, tax } = file as Partial<CatalogFile>;
      return mails !== undefined || portal !== undefined || (tax !== undefined && !hasOnlyRates(tax));
    },
  },
  {
    path: ['input', 'catalog'],
    needed: 'manage_webhooks',
    grants: (file) => (file as Partial<CatalogFile>).webhooks !== undefined,
  },
];

const hasOnlyRates = (tax: unknown): boolean =>
  typeof tax === 'object' && tax !== null && Object.keys(tax).every((name) => name === 'rates');

const ruleReasons = [
  'product_not_found',
  'meter_not_found',
  'credit_type_not_found',
  'feature_not_found',
  'currency_unsupported',
  'amount_precision',
] as const;

@Resolver()
export class CatalogFileResolver {
  @Query(() => JSONObject, {
    nullable: true,
    description:
      'Returns the catalogue of the tenant in the form of a file: its plan has no changes. Secrets are not in it.',
    permission: 'read',
    work: { cost: 500 },
    reasons: [],
  })
  catalog(@CurrentTenant() tenant: TenantScope): Promise<CatalogFile> {
    return pullCatalog(tenant);
  }

  @Query(() => CatalogPlan, {
    nullable: true,
    description:
      'Returns what a catalogue file would change, and how many subscriptions would see it. Errors name the path in the file.',
    permission: 'read',
    work: { cost: 500 },
    reasons: [...ruleReasons],
  })
  planCatalog(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => PlanCatalogInput, { description: 'The file.' }) { catalog }: PlanCatalogInput,
  ): Promise<Plan> {
    return planCatalog(tenant, catalog);
  }

  @Mutation(() => CatalogPlan, {
    nullable: true,
    description:
      'Applies a catalogue file, all or nothing. Nothing is deleted that has subscribers: it is archived, and they keep it. Sections of ' +
      'settings and webhooks need the permissions of these.',
    permission: 'manage_catalog',
    grants,
    work: { cost: 500 },
    reasons: [
      'catalog_changed',
      'group_conflict',
      'lookup_key_exists',
      'feature_archived',
      'entitlement_not_found',
      ...ruleReasons,
    ],
  })
  applyCatalog(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => ApplyCatalogInput, { description: 'The file and its plan.' })
    { catalog, hash }: ApplyCatalogInput,
  ): Promise<Plan> {
    return applyCatalog(tenant, catalog, hash);
  }
}
