import {
  Arg,
  Args,
  Ctx,
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
import type { Context } from '../../graphql/context.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { Mutation, Query } from '../../graphql/operations.ts';
import { DateTime, Decimal, JSONObject } from '../../graphql/scalars.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import { Feature } from './features.graphql.ts';
import type { FeatureRow } from './grants.ts';
import { loadFeature } from './productEntitlements.graphql.ts';
import {
  computeReservationStatus,
  findReservation,
  listReservations,
  releaseReservation,
  reserveEntitlement,
  settleReservation,
  type ReservationRow,
  type ReservationStatus as Status,
} from './reservations.ts';

const ReservationStatus = {
  open: 'open',
  settled: 'settled',
  released: 'released',
  expired: 'expired',
} as const satisfies Record<Status, Status>;
registerEnumType(ReservationStatus, {
  name: 'ReservationStatus',
  description: 'The status of a reservation.',
  valuesConfig: {
    open: { description: 'It takes its amount from the limit.' },
    settled: { description: 'What was used is recorded.' },
    released: { description: 'It was given back.' },
    expired: { description: 'Its time was over before it was settled or released.' },
  },
});

type ShownReservation = ReservationRow & { status: Status };

const addStatus = (row: ReservationRow, now: string): ShownReservation => ({
  ...row,
  status: computeReservationStatus(row, now),
});

/** Adds the status to a reservation, so that its field cannot fail: a mutation with two fields that may is not compiled. */
const show = async (tenant: TenantScope, row: Promise<ReservationRow>): Promise<ShownReservation> =>
  addStatus(await row, tenant.now());

@Extensions(refetchBy((tenant, id) => show(tenant, findReservation(tenant.read, id))))
@ObjectType('Reservation', {
  implements: Node,
  simpleResolvers: true,
  description: 'An amount of a feature that is kept for work whose size is known only afterwards.',
})
class Reservation extends Node {
  @Field(() => ID, { description: 'The customer.' })
  customerId!: string;

  @Field(() => ReservationStatus, { description: 'The status.' })
  status!: Status;

  @Field(() => ID, { description: 'The meter that counts its units.' })
  meterId!: string;

  @Field(() => Decimal, { description: 'The reserved units.' })
  amount!: string;

  @Field(() => Decimal, {
    nullable: true,
    description: 'The units that were used; null unless it was settled.',
  })
  settledAmount!: string | null;

  @Field(() => DateTime, { description: 'When it ends by itself.' })
  expiresAt!: string;

  @Field(() => DateTime, { nullable: true, description: 'When it was settled or released.' })
  closedAt!: string | null;

  @Field(() => DateTime, { description: 'When it was made.' })
  createdAt!: string;
}

@InputType({ description: 'An amount of a feature to reserve.' })
class ReserveEntitlementInput {
  @Field(() => String, {
    nullable: true,
    description:
      'An id of yours, 1 to 255 characters: the same request again returns the same reservation. Default: the idempotency ' +
      'key of the request.',
  })
  id?: string | null;

  @Field(() => ID, { nullable: true, description: 'The customer; either this or `associatedId`.' })
  customerId?: string | null;

  @Field(() => String, { nullable: true, description: 'The customer by your id.' })
  associatedId?: string | null;

  @Field(() => String, { description: 'The key of the feature.' })
  feature!: string;

  @Field(() => Decimal, { description: 'The units, more than 0.' })
  amount!: string;

  @Field(() => ID, {
    nullable: true,
    description:
      'The meter whose units are reserved, for a limit of a credit type; not needed if the type has only one.',
  })
  meterId?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: 'After how many seconds it ends by itself, 1 to 86,400. Default: 300.',
  })
  ttlSeconds?: number | null;
}

@InputType({ description: 'What was used of a reservation.' })
class SettleReservationInput {
  @Field(() => Decimal, {
    description: 'The units that were used, also more than were reserved; 0 for none.',
  })
  amount!: string;

  @Field(() => JSONObject, {
    nullable: true,
    description: 'The other properties of the usage event; the amount becomes that of the meter.',
  })
  properties?: Record<string, unknown> | null;
}

const ReservationConnection = defineConnection<ShownReservation>('Reservation', () => Reservation);

const reservationId = { description: 'The id of the reservation.' };

@Resolver(() => Reservation)
export class ReservationResolver {
  @FieldResolver(() => Feature, { description: 'The feature.' })
  feature(@Root() { feature }: ReservationRow, @Ctx() context: Context): Promise<FeatureRow> {
    return loadFeature(context, feature);
  }

  @Query(() => Reservation, {
    nullable: true,
    description: 'Returns a reservation of the last 35 days by id.',
    permission: 'read',
    reasons: ['reservation_not_found'],
  })
  reservation(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, reservationId) id: string,
  ): Promise<ShownReservation> {
    return show(tenant, findReservation(tenant.read, id));
  }

  @Query(() => ReservationConnection, {
    nullable: true,
    description: 'Lists the reservations of the last 35 days.',
    permission: 'read',
    reasons: ['customer_not_found', 'cursor_invalid'],
  })
  async reservations(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => ConnectionArgs) page: ConnectionArgs,
    @Arg('customerId', () => ID, { nullable: true, description: 'Filter by customer.' })
    customerId?: string | null,
  ) {
    const { rows, ...found } = await listReservations(tenant, { customerId }, page);
    const now = tenant.now();
    return new ReservationConnection({ ...found, rows: rows.map((row) => addStatus(row, now)) });
  }

  @Mutation(() => Reservation, {
    nullable: true,
    description:
      'Reserves an amount of a feature for a customer, who cannot use it otherwise until it is settled, released, or over. It ' +
      'is durable when it is returned.',
    permission: 'manage_subscriptions',
    reasons: ['customer_not_found', 'feature_not_found', 'entitlement_exceeded', 'usage_id_reused'],
  })
  reserveEntitlement(
    @CurrentTenant() tenant: TenantScope,
    @Arg('input', () => ReserveEntitlementInput, { description: 'The amount.' })
    input: ReserveEntitlementInput,
  ): Promise<ShownReservation> {
    return show(tenant, reserveEntitlement(tenant, input));
  }

  @Mutation(() => Reservation, {
    nullable: true,
    description: 'Records what was used of a reservation, as a usage event with its id, and ends it.',
    permission: 'manage_subscriptions',
    reasons: ['reservation_not_found', 'reservation_closed', 'usage_id_reused'],
  })
  settleReservation(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, reservationId) id: string,
    @Arg('input', () => SettleReservationInput, { description: 'What was used.' })
    input: SettleReservationInput,
  ): Promise<ShownReservation> {
    return show(tenant, settleReservation(tenant, id, input));
  }

  @Mutation(() => Reservation, {
    nullable: true,
    description: 'Ends a reservation of which nothing was used.',
    permission: 'manage_subscriptions',
    reasons: ['reservation_not_found', 'reservation_closed'],
  })
  releaseReservation(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, reservationId) id: string,
  ): Promise<ShownReservation> {
    return show(tenant, releaseReservation(tenant, id));
  }
}
