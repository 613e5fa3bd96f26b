/** Movements of recurring revenue and its figures over GraphQL, as short text for tables. */
import { expect } from 'vitest';
import { short, type Books } from './books.ts';

const movementsDocument = `query ($customerId: ID, $kind: MrrMovementKind, $after: String) {
  mrrMovements(customerId: $customerId, kind: $kind, first: 100, after: $after, order: ASC) { nextCursor nodes {
    at kind amount { decimal currency } mrrAfter { decimal }
  } }
}`;
const money = (names: string) =>
  names
    .split(' ')
    .map((name) => `${name} { decimal }`)
    .join(' ');
const pointFields = `start end newCustomers churnedCustomers reactivatedCustomers activeCustomers activeSubscriptions
  trialsStarted trialsConverted trialsLost trialConversionRate
  customerChurnRate grossMrrChurnRate netMrrChurnRate nrr quickRatio
  ${money('mrrStart new expansion contraction churn reactivation mrrEnd netRevenue invoiced refunded credited arpu ltv')}
  failedPayments { count amount { decimal } } recoveredPayments { count amount { decimal } }`;
const revenueDocument = `query ($currency: Currency!, $from: DateTime!, $until: DateTime!, $by: RevenueInterval,
  $timeZone: String, $asOf: DateTime, $definition: MrrDefinitionInput) {
  revenue(currency: $currency, from: $from, until: $until, by: $by, timeZone: $timeZone, asOf: $asOf,
    definition: $definition) { currency timeZone asOf points { ${pointFields} } total { ${pointFields} } }
}`;

/** `2026-01-01 new 50.00 → 50.00`: each movement of a customer, or of the tenant, oldest first. */
export async function listMovements(books: Books, variables: object = {}): Promise<string[]> {
  const found: string[] = [];
  for (let after: string | null | undefined; after !== null;) {
    const { mrrMovements } = await books.client.graphql(movementsDocument, { ...variables, after });
    found.push(
      ...mrrMovements.nodes.map(
        ({ at, kind, amount, mrrAfter }: any) =>
          `${short(at)} ${kind} ${amount.decimal} → ${mrrAfter.decimal}`,
      ),
    );
    after = mrrMovements.nextCursor;
  }
  return found;
}

/** Asks for revenue; amounts are their decimals, and each point is proved to add up. */
export async function askRevenue(books: Books, variables: object): Promise<any> {
  const { revenue } = await books.client.graphql(revenueDocument, { currency: 'afn', ...variables });
  const points = revenue.points.map(flatten);
  for (const [nth, point] of points.entries()) {
    expectToTelescope(point);
    if (nth > 0) expect(point.mrrStart).toBe(points[nth - 1].mrrEnd);
    if (nth > 0) expect(point.start).toBe(points[nth - 1].end);
  }
  const total = flatten(revenue.total);
  expectToTelescope(total);
  return { ...revenue, points, total };
}

const flatten = (point: Record<string, any>): any =>
  Object.fromEntries(
    Object.entries(point).map(([name, value]) => [
      name,
      value?.count === undefined ? (value?.decimal ?? value) : `${value.count} ${value.amount.decimal}`,
    ]),
  );

const toMinor = (decimal: string) => BigInt(decimal.replace('.', ''));

function expectToTelescope(point: any): void {
  const [start, added, grown, shrunk, lost, back, end] = [
    'mrrStart',
    'new',
    'expansion',
    'contraction',
    'churn',
    'reactivation',
    'mrrEnd',
  ].map((name) => toMinor(point[name]));
  expect(start! + added! + grown! - shrunk! - lost! + back!, JSON.stringify(point)).toBe(end);
}
