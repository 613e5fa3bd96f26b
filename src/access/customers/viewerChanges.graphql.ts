import {
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  ID,
  ObjectType,
  registerEnumType,
  Resolver,
  Root,
} from 'type-graphql';
import { Invoice } from '../../billing/invoices/invoices.graphql.ts';
import { PaymentMethod } from '../../billing/payments/paymentMethods.graphql.ts';
import { SubscriptionContract } from '../../billing/subscriptions/subscriptions.graphql.ts';
import { live } from '../../graphql/buildSchema.ts';
import type { Context } from '../../graphql/context.ts';
import { openInPortal, openToCustomers } from '../../graphql/openness.ts';
import { Query } from '../../graphql/operations.ts';
import type { Row } from '../../storage/model/rowTypes.ts';
import type { CustomerSession } from '../../tenancy/apiKeyCache.ts';
import { Viewer } from './customerSessions.graphql.ts';
import { followViewer, viewerChangeKinds, type ViewerChange as Change } from './viewerChanges.ts';

const ViewerChangeKinds = Object.fromEntries(viewerChangeKinds.map((kind) => [kind, kind]));
registerEnumType(ViewerChangeKinds, {
  name: 'ViewerChangeKind',
  description: 'What changed of a customer.',
  valuesConfig: {
    started: {
      description: 'Nothing yet: the first event, sent at once, to read what the later ones change.',
    },
    customer: { description: 'The details or the balance.' },
    subscription: { description: 'A subscription: it started, or it changed.' },
    invoice: { description: 'An invoice: it was issued, or it changed.' },
    payment_method: { description: 'A payment method: it was saved, or it was removed.' },
  },
});

const ownRecord = (name: string) => ({
  nullable: true,
  description: `The ${name} as it is now; null if something else changed, or if the customer has it no more.`,
});

@ObjectType('ViewerChange', {
  simpleResolvers: true,
  description: 'A change of the customer whose session listens.',
})
class ViewerChange {
  @Extensions(openToCustomers)
  @Field(() => ViewerChangeKinds, { description: 'What changed.' })
  kind!: string;

  @Extensions(openToCustomers)
  @Field(() => ID, { nullable: true, description: 'The id of what changed; null for `started`.' })
  objectId!: string | null;
}

@Resolver(() => ViewerChange)
export class ViewerChangeResolver {
  @Extensions(openToCustomers)
  @FieldResolver(() => Viewer, { description: 'The customer with what belongs to them, as it is now.' })
  viewer(@Root() { session }: Change): CustomerSession {
    return session;
  }

  @Extensions(openToCustomers)
  @FieldResolver(() => SubscriptionContract, ownRecord('subscription'))
  async subscription(@Ctx() context: Context, @Root() change: Change): Promise<Row<'subscriptions'> | null> {
    return change.kind === 'subscription' ? findOwn(context, 'subscriptions', change) : null;
  }

  @Extensions(openInPortal('invoices'))
  @FieldResolver(() => Invoice, ownRecord('invoice'))
  async invoice(@Ctx() context: Context, @Root() change: Change): Promise<Row<'invoices'> | null> {
    const invoice = change.kind === 'invoice' ? await findOwn(context, 'invoices', change) : null;
    return invoice?.status === 'draft' ? null : invoice;
  }

  @Extensions(openInPortal('paymentMethods'))
  @FieldResolver(() => PaymentMethod, ownRecord('payment method'))
  async paymentMethod(
    @Ctx() context: Context,
    @Root() change: Change,
  ): Promise<Row<'paymentMethods'> | null> {
    const method = change.kind === 'payment_method' ? await findOwn(context, 'paymentMethods', change) : null;
    return method?.removedAt === null ? method : null;
  }

  @Extensions(live)
  @Query(() => ViewerChange, {
    nullable: true,
    description:
      "Sends what changes of the session's customer: subscriptions, invoices, payment methods and details. The first event is " +
      'sent at once, so that what is read with it, and with each later one, misses nothing; a page that reconnects gets it again.',
    permission: 'read',
    openTo: { customer: { args: [] } },
    reasons: [],
  })
  viewerChanged(@Ctx() { tenant, session }: Context): Promise<AsyncIterable<Change>> {
    return followViewer(tenant, session);
  }
}

/** Reads a record of the customer again, for it may have changed since. */
async function findOwn<Name extends 'subscriptions' | 'invoices' | 'paymentMethods'>(
  context: Context,
  table: Name,
  { objectId, session }: Change,
): Promise<Row<Name> | null> {
  const record = objectId === null ? null : await context.byId(table, objectId);
  return record?.customerId === session.customerId ? record : null;
}
