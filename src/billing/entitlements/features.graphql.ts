import {
  Arg,
  Args,
  Extensions,
  Field,
  FieldResolver,
  ID,
  InputType,
  Int,
  ObjectType,
  registerEnumType,
  Resolver,
  Root,
} from 'type-graphql';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { ConnectionArgs, defineConnection } from '../../graphql/connections.ts';
import { keyedBy } from '../../graphql/lookupKeys.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { openToCustomers } from '../../graphql/openness.ts';
import { Mutation, Query } from '../../graphql/operations.ts';
import { DateTime } from '../../graphql/scalars.ts';
import type { FeatureKind as Kind } from '../../storage/model/entitlements.ts';
import { findAlertPercents } from '../../tenants/usageAlerts.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { archiveFeature, createFeature, findFeature, listFeatures, updateFeature } from './features.ts';
import type { FeatureRow } from './grants.ts';

const FeatureKind = { boolean: 'boolean', config: 'config', limit: 'limit' } as const;
registerEnumType(FeatureKind, {
  name: 'FeatureKind',
  description: 'What the value of a feature is.',
  valuesConfig: {
    boolean: { description: 'Yes or no.' },
    config: { description: 'A value for the application, such as a size or a list.' },
    limit: { description: 'A number of units, of which a meter counts the use, or of credits of a type.' },
  },
});

@Extensions(refetchBy(({ read }, id) => findFeature(read, id)))
@Extensions(keyedBy('features', 'key'))
@ObjectType('Feature', {
  implements: Node,
  simpleResolvers: true,
  description: 'A feature of what is sold, for which an application asks whether a customer may use it.',
})
export class Feature extends Node {
  @Extensions(openToCustomers)
  @Field(() => String, { description: 'The key, by which the application names it.' })
  key!: string;

  @Extensions(openToCustomers)
  @Field(() => String, { description: 'The name.' })
  name!: string;

  @Extensions(openToCustomers)
  @Field(() => FeatureKind, { description: 'What its value is.' })
  kind!: Kind;

  @Field(() => DateTime, { description: 'When the feature was created.' })
  createdAt!: string;

  @Field(() => DateTime, { description: 'When the feature was last changed.' })
  updatedAt!: string;
}

/** When the event of a share is told, as `docs/guides/entitlements.md` says. */
const onceEach = 'once each in a period, or, of a limit that no period resets, each time that use reaches it';

const alertShares =
  `The shares of the limit, in percent, of whose use the event \`CustomerEvent.usage_alert\` tells, ${onceEach}: ` +
  'at most 5 of 1 to 100, such as 50, 80 and 100. Only with a meter or a credit type; null for those of the tenant ' +
  '(`Tenant.usageAlertPercents`), empty for none';

@InputType({ description: 'A feature to create. All but its name and its alerts is fixed from then on.' })
class CreateFeatureInput {
  @Field(() => String, {
    description:
      'The key, unique in the tenant: 1 to 100 letters, digits and `_.:-`, beginning with a letter or digit.',
  })
  key!: string;

  @Field(() => String, { description: 'The name, 1 to 200 characters.' })
  name!: string;

  @Field(() => FeatureKind, { description: 'What its value is.' })
  kind!: Kind;

  @Field(() => ID, {
    nullable: true,
    description: 'The meter that counts the use of a limit. Without one, the application counts by itself.',
  })
  meterId?: string | null;

  @Field(() => ID, {
    nullable: true,
    description:
      'The credit type in whose credits a limit is counted, instead of a meter: what the usage of all its meters costs at their rates.',
  })
  creditTypeId?: string | null;

  @Field(() => [Int], {
    nullable: true,
    description: `${alertShares}.`,
  })
  alertPercents?: number[] | null;
}

@InputType({ description: 'Changes to a feature; what is absent stays.' })
class UpdateFeatureInput {
  @Field(() => String, { nullable: true, description: 'The name, 1 to 200 characters.' })
  name?: string | null;

  @Field(() => [Int], {
    nullable: true,
    description: `${alertShares}; absent to keep them.`,
  })
  alertPercents?: number[] | null;
}

const FeatureConnection = defineConnection<FeatureRow>('Feature', () => Feature);

const featureId = { description: 'The id of the feature.' };

/** Whether a meter or a credit type counts the use of a feature. */
const isCounted = ({ meterId, creditTypeId }: FeatureRow): boolean =>
  meterId !== null || creditTypeId !== null;

@Resolver(() => Feature)
export class FeatureResolver {
  @FieldResolver(() => ID, {
    nullable: true,
    description: 'The meter that counts its use; null for none.',
  })
  meterId(@Root() { meterId }: FeatureRow): string | null {
    return meterId;
  }

  @FieldResolver(() => ID, {
    nullable: true,
    description: 'The credit type in whose credits its use is counted; null for none.',
  })
  creditTypeId(@Root() { creditTypeId }: FeatureRow): string | null {
    return creditTypeId;
  }

  @FieldResolver(() => DateTime, {
    nullable: true,
    description: 'When it was archived; null while it can be attached.',
  })
  archivedAt(@Root() { archivedAt }: FeatureRow): string | null {
    return archivedAt;
  }

  @FieldResolver(() => [Int], {
    description: `The shares of the limit, in percent, of whose use an event tells, ${onceEach}: its own, or those of the tenant.`,
  })
  alertPercents(@CurrentTenant() { record }: TenantScope, @Root() feature: FeatureRow): readonly number[] {
    return isCounted(feature) ? findAlertPercents(feature, record) : [];
  }

  @FieldResolver(() => Boolean, {
    description: 'Whether `alertPercents` are those of the tenant, and follow them.',
  })
  usesTenantAlerts(@Root() feature: FeatureRow): boolean {
    return isCounted(feature) && feature.alertPercents === null;
  }

  @Query(() => Feature, {
    nullable: true,
    description: 'Returns a feature by id.',
    permission: 'read',
    reasons: ['feature_not_found'],
  })
  feature(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, featureId) id: string,
  ): Promise<FeatureRow> {
    return findFeature(tenant.read, id);
  }

  @Query(() => FeatureConnection, {
    nullable: true,
    description: 'Lists features.',
    permission: 'read',
    reasons: ['cursor_invalid'],
  })
  async features(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('kind', () => FeatureKind, { nullable: true, description: 'Filter by kind.' }) kind?: Kind | null,
    @Arg('key', () => String, { nullable: true, description: 'Filter by key.' }) key?: string | null,
  ) {
    return new FeatureConnection(await listFeatures(tenant, { kind, key }, page));
  }

  @Mutation(() => Feature, {
    nullable: true,
    description: 'Creates a feature, at most 200 in a tenant.',
    permission: 'manage_catalog',
    reasons: ['feature_exists', 'meter_not_found', 'credit_type_not_found'],
  })
  createFeature(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => CreateFeatureInput, { description: 'The feature.' }) input: CreateFeatureInput,
  ): Promise<FeatureRow> {
    return tenant.write((unit) => createFeature(unit, input));
  }

  @Mutation(() => Feature, {
    nullable: true,
    description: 'Changes the name or the alerts of a feature.',
    permission: 'manage_catalog',
    reasons: ['feature_not_found'],
  })
  updateFeature(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, featureId) id: string,
    @Arg('input', () => UpdateFeatureInput, { description: 'The changes.' }) input: UpdateFeatureInput,
  ): Promise<FeatureRow> {
    return tenant.write((unit) => updateFeature(unit, id, input));
  }

  @Mutation(() => Feature, {
    nullable: true,
    description: 'Archives a feature: it cannot be attached any more, and whoever has it keeps it.',
    permission: 'manage_catalog',
    reasons: ['feature_not_found'],
  })
  archiveFeature(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, featureId) id: string,
  ): Promise<FeatureRow> {
    return tenant.write((unit) => archiveFeature(unit, id));
  }
}
