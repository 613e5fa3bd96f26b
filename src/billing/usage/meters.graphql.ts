import {
  Arg,
  Args,
  Extensions,
  Field,
  FieldResolver,
  ID,
  InputType,
  ObjectType,
  registerEnumType,
  Resolver,
  Root,
} from 'type-graphql';
import { CurrentTenant } from '../../graphql/arguments.ts';
import { ConnectionArgs, defineConnection } from '../../graphql/connections.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { Mutation, Query } from '../../graphql/operations.ts';
import { DateTime, Decimal } from '../../graphql/scalars.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { MeterRow } from './counting.ts';
import { archiveMeter, createMeter, findMeter, listMeters, updateMeter } from './meters.ts';
import { createMeterVersion, listVersions, type MeterVersion as Version } from './meterVersions.ts';

const MeterAggregation = {
  count: 'count',
  sum: 'sum',
  max: 'max',
  min: 'min',
  latest: 'latest',
  unique: 'unique',
  weighted_sum: 'weighted_sum',
} as const;
registerEnumType(MeterAggregation, {
  name: 'MeterAggregation',
  description: 'What a meter computes from the events that it counts.',
  valuesConfig: {
    count: { description: 'The number of events.' },
    sum: { description: 'The sum of the property.' },
    max: { description: 'The highest value of the property; 0 without events.' },
    min: { description: 'The lowest value of the property; 0 without events.' },
    latest: { description: 'The value of the property in the event with the latest `at`; 0 without events.' },
    unique: { description: 'The number of distinct values of the property.' },
    weighted_sum: {
      description:
        'The average level over time, which each event changes by the property: a seat for half of a month is 0.5.',
    },
  },
});

@ObjectType({ simpleResolvers: true, description: 'A condition on the events that a meter counts.' })
class MeterFilter {
  @Field(() => String, { description: 'The property of the event.' })
  property!: string;

  @Field(() => [String], {
    description: 'The property has one of these texts; numbers are compared as text.',
  })
  values!: string[];
}

@ObjectType({ simpleResolvers: true, description: 'What a meter counts from a time on.' })
class MeterVersion {
  @Field(() => DateTime, {
    description: 'It counts events from this time on, until the next version begins.',
  })
  startsAt!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The property that is aggregated; null for `count`.',
  })
  value!: string | null;

  @Field(() => [String], { description: 'The properties by which its usage can be broken down.' })
  groupBy!: string[];

  @Field(() => [MeterFilter], { description: 'The conditions on the events; all of them must hold.' })
  filter!: MeterFilter[];
}

@Extensions(refetchBy(({ read }, id) => findMeter(read, id)))
@ObjectType('Meter', {
  implements: Node,
  simpleResolvers: true,
  description: 'A meter: what is counted of the usage events with a name.',
})
export class Meter extends Node {
  @Field(() => String, { description: 'The name.' })
  name!: string;

  @Field(() => String, { description: 'The name of the events that it counts.' })
  event!: string;

  @Field(() => MeterAggregation, { description: 'What it computes from them.' })
  aggregation!: string;

  @Field(() => [String], { description: 'The properties by which its usage can be broken down.' })
  groupBy!: string[];

  @Field(() => [MeterFilter], { description: 'The conditions on the events; all of them must hold.' })
  filter!: MeterFilter[];

  @Field(() => Boolean, {
    description: 'Whether the value is carried over the end of a period, like a number of seats.',
  })
  persistent!: boolean;

  @Field(() => Decimal, { description: 'What the result is multiplied by, such as 0.001 for thousands.' })
  unitMultiplier!: string;

  @Field(() => DateTime, { description: 'It counts events from this time on.' })
  startsAt!: string;

  @Field(() => DateTime, {
    nullable: true,
    description: 'It counts events before this time; null while it counts.',
  })
  archivedAt!: string | null;

  @Field(() => DateTime, { description: 'When the meter was created.' })
  createdAt!: string;

  @Field(() => DateTime, { description: 'When the meter was last changed.' })
  updatedAt!: string;
}

@InputType({ description: 'A condition on the events that a meter counts.' })
class MeterFilterInput {
  @Field(() => String, { description: 'The property of the event, 1 to 100 characters.' })
  property!: string;

  @Field(() => [String], {
    description: 'The texts that the property may have, 1 to 50; numbers are compared as text.',
  })
  values!: string[];
}

@InputType({
  description:
    'A meter to create. Afterwards only its name can be changed; `createMeterVersion` changes what it counts from a later time on.',
})
export class CreateMeterInput {
  @Field(() => String, { description: 'The name, 1 to 200 characters.' })
  name!: string;

  @Field(() => String, { description: 'The name of the events that it counts, 1 to 100 characters.' })
  event!: string;

  @Field(() => MeterAggregation, { description: 'What it computes from them.' })
  aggregation!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The property that is aggregated; not given for `count`. Events without it do not count.',
  })
  value?: string | null;

  @Field(() => [String], {
    nullable: true,
    description: 'Up to 3 properties by which the usage can be broken down.',
  })
  groupBy?: string[] | null;

  @Field(() => [MeterFilterInput], {
    nullable: true,
    description: 'Up to 5 conditions on the events; all of them must hold.',
  })
  filter?: MeterFilterInput[] | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether the value is carried over the end of a period. Default: false.',
  })
  persistent?: boolean | null;

  @Field(() => Decimal, {
    nullable: true,
    description: 'What the result is multiplied by, more than 0. Default: 1.',
  })
  unitMultiplier?: string | null;
}

@InputType({
  description: 'What a meter counts from a time on. What is left out stays as it is now.',
})
export class CreateMeterVersionInput {
  @Field(() => String, { nullable: true, description: 'The property that is aggregated; not for `count`.' })
  value?: string | null;

  @Field(() => [String], {
    nullable: true,
    description:
      'Up to 3 properties by which the usage can be broken down: those of today, in their order, and more.',
  })
  groupBy?: string[] | null;

  @Field(() => [MeterFilterInput], {
    nullable: true,
    description: 'Up to 5 conditions on the events; all of them must hold. Null takes them off.',
  })
  filter?: MeterFilterInput[] | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'The beginning of a quarter of an hour (UTC), not in the past. Default: the next one.',
  })
  startsAt?: string | null;
}

@InputType({ description: 'Changes to a meter.' })
class UpdateMeterInput {
  @Field(() => String, { description: 'The name, 1 to 200 characters.' })
  name!: string;
}

const MeterConnection = defineConnection<MeterRow>('Meter', () => Meter);

const meterId = { description: 'The id of the meter.' };

@Resolver(() => Meter)
export class MeterResolver {
  @FieldResolver(() => String, {
    nullable: true,
    description: 'The property that is aggregated; null for `count`.',
  })
  value(@Root() meter: MeterRow): string | null {
    return meter.value;
  }

  @FieldResolver(() => [MeterVersion], {
    description: 'What it counts and counted, in the order of time. The last one may begin later.',
  })
  versions(@Root() meter: MeterRow): Version[] {
    return listVersions(meter);
  }

  @Query(() => Meter, {
    nullable: true,
    description: 'Returns a meter by id.',
    permission: 'read',
    reasons: ['meter_not_found'],
  })
  meter(@CurrentTenant() tenant: TenantScope, @Arg('id', () => ID, meterId) id: string): Promise<MeterRow> {
    return findMeter(tenant.read, id);
  }

  @Query(() => MeterConnection, {
    nullable: true,
    description: 'Lists meters.',
    permission: 'read',
    reasons: ['cursor_invalid'],
  })
  async meters(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('event', () => String, { nullable: true, description: 'Filter by the name of the events.' })
    event?: string,
  ) {
    return new MeterConnection(await listMeters(tenant, { event }, page));
  }

  @Mutation(() => Meter, {
    nullable: true,
    description:
      'Creates a meter. It counts the events from the beginning of the current quarter of an hour on.',
    permission: 'manage_catalog',
    reasons: [],
  })
  createMeter(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => CreateMeterInput, { description: 'The meter.' }) input: CreateMeterInput,
  ): Promise<MeterRow> {
    return tenant.write((unit) => createMeter(unit, input));
  }

  @Mutation(() => Meter, {
    nullable: true,
    description: 'Changes the name of a meter. `createMeterVersion` changes what it counts later.',
    permission: 'manage_catalog',
    reasons: ['meter_not_found'],
  })
  updateMeter(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, meterId) id: string,
    @Arg('input', () => UpdateMeterInput, { description: 'The changes.' }) input: UpdateMeterInput,
  ): Promise<MeterRow> {
    return tenant.write((unit) => updateMeter(unit, id, input));
  }

  @Mutation(() => Meter, {
    nullable: true,
    description:
      'Lets a meter count by another property, filter or breakdown from a time on. What it counted before stays. It replaces a version ' +
      'that has not begun; the terms of today take such a version back.',
    permission: 'manage_catalog',
    reasons: ['meter_not_found'],
  })
  createMeterVersion(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, meterId) id: string,
    @Arg('input', () => CreateMeterVersionInput, {
      nullable: true,
      description: 'The version. Default: the terms of today.',
    })
    input?: CreateMeterVersionInput | null,
  ): Promise<MeterRow> {
    return tenant.write((unit) => createMeterVersion(unit, id, input ?? {}));
  }

  @Mutation(() => Meter, {
    nullable: true,
    description: 'Ends a meter with the current quarter of an hour: it counts no later events.',
    permission: 'manage_catalog',
    reasons: ['meter_not_found', 'meter_in_use'],
  })
  archiveMeter(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, meterId) id: string,
  ): Promise<MeterRow> {
    return tenant.write((unit) => archiveMeter(unit, id));
  }
}
