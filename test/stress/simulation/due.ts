import { openScheduledTenant } from '../../../src/tenancy/openTenant.ts';
import type { Service } from '../../../src/tenancy/service.ts';
import { createTenant } from '../../../src/tenancy/tenants.ts';
import type { UnitOfWork } from '../../../src/tenancy/unitOfWork.ts';

/** Subscriptions that begin at an instant and have not been billed yet. */
export interface Due {
  alias: string;
  subscriptions: number;
  startsAt: string;
  frequency: 'Daily' | 'Monthly';
  /** The payment method of each, in turn. */
  methods: string[];
}

const perUnit = 250;

/** Creates a tenant with due subscriptions, each of its own customer, as if intents had been paid. */
export async function prepareDue(service: Service, due: Due): Promise<void> {
  const tenant = openScheduledTenant(service, await createTenant(service, { alias: due.alias, test: true }));
  for (let made = 0; made < due.subscriptions; made += perUnit) {
    await tenant.write(async (unit) => {
      const end = Math.min(made + perUnit, due.subscriptions);
      for (let index = made; index < end; index++) await addDue(unit, due, index);
    });
  }
}

async function addDue(unit: UnitOfWork, due: Due, index: number): Promise<void> {
  const stamps = { createdAt: unit.now, updatedAt: unit.now };
  const name = { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com', metadata: {} };
  const id = unit.id('cus');
  await unit.create('customers', {
    id,
    associatedId: `own-${index}`,
    ...name,
    ...stamps,
  });
  const method = await unit.create('paymentMethods', {
    id: unit.id('pm'),
    customerId: id,
    provider: 'sandbox',
    reference: due.methods[index % due.methods.length]!,
    ...stamps,
  });
  const begun = { customerId: id, paymentMethodId: method.id, frequency: due.frequency, ...stamps };
  await unit.create('subscriptions', { ...unbilled(unit, due.startsAt), ...begun });
}

const unbilled = (unit: UnitOfWork, startsAt: string) => ({
  id: unit.id('sub'),
  paymentIntentId: unit.id('int'),
  productId: unit.id('prod'),
  priceId: unit.id('price'),
  productName: 'Pro',
  amountMinor: 5000n,
  currency: 'usd',
  period: 1,
  anchor: startsAt,
  startsAt,
  firstBillingDate: startsAt,
  nextBillingDate: startsAt,
  dueAt: startsAt,
  billedCount: 0,
  cancelAtPeriodEnd: false,
  metadata: {},
});
