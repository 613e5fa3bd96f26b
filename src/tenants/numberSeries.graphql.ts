import {
  Arg,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  InputType,
  ObjectType,
  registerEnumType,
  Resolver,
  Root,
} from 'type-graphql';
import { Mutation } from '../graphql/operations.ts';
import { CurrentTenant } from '../graphql/arguments.ts';
import type { Context } from '../graphql/context.ts';
import { declareWork } from '../graphql/work.ts';
import type { NumberSeries } from '../storage/model/common.ts';
import {
  findNumberSeries,
  previewNextNumber,
  updateNumberSeries,
  type DocumentKind,
} from './numberSeries.ts';
import type { TenantRow } from '../tenancy/tenants.ts';
import type { TenantScope } from '../tenancy/tenantScope.ts';
import { Tenant } from './tenants.graphql.ts';

/** The kinds of documents in GraphQL; each has a number series. */
export const DocumentKinds = { invoice: 'invoice', credit_note: 'credit_note' } as const;
registerEnumType(DocumentKinds, {
  name: 'DocumentKind',
  description: 'A kind of document.',
  valuesConfig: {
    invoice: { description: 'Invoices.' },
    credit_note: { description: 'Credit notes.' },
  },
});

const NumberReset = { yearly: 'yearly', never: 'never' } as const;
registerEnumType(NumberReset, {
  name: 'NumberReset',
  description: 'When the count of a number series starts again.',
  valuesConfig: {
    yearly: { description: "On 1 January in the tenant's time zone." },
    never: { description: 'Never.' },
  },
});

@ObjectType('NumberSeries', {
  simpleResolvers: true,
  description: 'How the documents of a kind are numbered.',
})
class NumberSeriesType {
  @Field(() => DocumentKinds, { description: 'The documents.' })
  kind!: DocumentKind;

  @Field(() => String, { description: 'The text for `{prefix}`.' })
  prefix!: string;

  @Field(() => String, {
    description:
      'The form of a number: `{prefix}`, `{yyyy}`, `{yy}`, `{mm}`, and the count as `{seq}` or `{seq:5}`.',
  })
  pattern!: string;

  @Field(() => NumberReset, { description: 'When the count starts again.' })
  reset!: string;

  @Field(() => String, { description: 'The number of the next document, if it were issued now.' })
  example!: string;
}

@InputType({
  description: 'Changes to a number series. Omitted fields stay unchanged; null sets the default.',
})
class UpdateNumberSeriesInput {
  @Field(() => DocumentKinds, { description: 'The documents.' })
  kind!: DocumentKind;

  @Field(() => String, {
    nullable: true,
    description: 'Letters, digits and `._/-`, at most 20. Default: `INV`, and `CN` for credit notes.',
  })
  prefix?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The form of a number, with `{seq}` or `{seq:5}` once, and the year if the count starts again. Other characters: ' +
      'letters, digits and `._/-`. Default: `{prefix}-{yyyy}-{seq:5}`.',
  })
  pattern?: string | null;

  @Field(() => NumberReset, { nullable: true, description: 'Default: `yearly`.' })
  reset?: string | null;
}

const kinds = Object.values(DocumentKinds);

@Resolver(() => Tenant)
export class NumberSeriesResolver {
  @Extensions(declareWork({ cost: 0, size: kinds.length }))
  @FieldResolver(() => [NumberSeriesType], {
    description: 'How documents are numbered, one series for each kind.',
  })
  numberSeries(@Ctx() context: Context, @Root() tenant: TenantRow): Promise<NumberSeriesType[]> {
    return Promise.all(kinds.map((kind) => showSeries(context.tenant, tenant, kind)));
  }

  @Mutation(() => NumberSeriesType, {
    nullable: true,
    description:
      'Changes how documents of a kind are numbered. Numbers that were given stay, and the count goes on.',
    permission: 'manage_settings',
    reasons: [],
  })
  async updateNumberSeries(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => UpdateNumberSeriesInput, { description: 'The changes.' })
    { kind, ...changes }: UpdateNumberSeriesInput,
  ): Promise<NumberSeriesType> {
    const changed = await tenant.write((unit) => updateNumberSeries(unit, kind, changes));
    return showSeries(tenant, changed, kind);
  }
}

async function showSeries(
  scope: TenantScope,
  tenant: TenantRow,
  kind: DocumentKind,
): Promise<NumberSeriesType> {
  const series: NumberSeries = findNumberSeries(tenant, kind);
  const example = await previewNextNumber(scope.read, tenant, kind, scope.now());
  return { kind, ...series, example };
}
