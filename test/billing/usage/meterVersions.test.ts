/** Versions of meters: what was counted stays, later events count otherwise, and bills, previews and the doctor agree. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type Client, type TestApp } from '../../support/app.ts';
import { findFaults } from '../../support/faults.ts';
import { openUsageShop, type UsageShop } from './shop.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '1000000', graphqlCost: '1000000' });
});
afterAll(() => app.close());

const versionFields = 'id value groupBy filter { property values } versions { startsAt value groupBy }';
const createVersion = async (client: Client, id: string, input?: object) =>
  (
    await client.graphql(
      `mutation ($id: ID!, $input: CreateMeterVersionInput) {
        createMeterVersion(id: $id, input: $input) { ${versionFields} }
      }`,
      { id, input },
    )
  ).createMeterVersion;

const readUsage = async ({ client, customer }: UsageShop, meterId: string, rest: object = {}) =>
  (
    await client.graphql(
      `query ($meterId: ID!, $customerId: ID, $from: DateTime!, $until: DateTime!, $by: UsageStep, $groupBy: [String!]) {
        usage(meterId: $meterId, customerId: $customerId, from: $from, until: $until, by: $by, groupBy: $groupBy) {
          value windows { group value }
        }
      }`,
      { meterId, customerId: customer.id, from: '2026-01-01', until: '2026-02-01', ...rest },
    )
  ).usage;

const large = { filter: [{ property: 'model', values: ['large'] }] };

describe('a version of a meter', () => {
  it('counts later events by its terms, and bills agree', async () => {
    const shop = await openUsageShop(app);
    const meterId = await shop.meter();
    const price = await shop.plan(0, {
      name: 'Calls',
      price: { details: { decimal: '0.05', currency: 'afn' }, meterId },
    });
    const id = await shop.subscribe(shop.customer, price);
    await shop.advance('2026-01-10T10:07:00Z');
    await shop.use(['2026-01-05', 600, { model: 'small' }]);
    const meter = await createVersion(shop.client, meterId, large);
    expect(meter.versions).toEqual([
      { startsAt: '2026-01-01T00:00:00.000Z', value: 'units', groupBy: ['model'] },
      { startsAt: '2026-01-10T10:15:00.000Z', value: 'units', groupBy: ['model'] },
    ]);
    await shop.advance('2026-01-20');
    await shop.use(
      ['2026-01-10T10:14:59.999Z', 100, { model: 'small' }],
      ['2026-01-10T10:15:00Z', 1000, { model: 'small' }],
      ['2026-01-11', 20, { model: 'large' }],
    );
    expect(await readUsage(shop, meterId)).toMatchObject({ value: '720' });
    const announced = await shop.currentUsage(id);
    expect(announced.total).toBe(36);
    await shop.advance('2026-02-01');
    expect(await shop.lastBill(id)).toMatchObject(announced);
    // A late event of the first version goes to the next invoice by its terms.
    await shop.use(['2026-01-09', 20, { model: 'small' }], ['2026-01-12', 20, { model: 'small' }]);
    expect((await shop.currentUsage(id)).total).toBe(1);
    expect(await findFaults(app, shop.alias)).toEqual([]);
  });

  const rows: [aggregation: string, first: number[], second: number[], value: string][] = [
    ['sum', [1, 2], [4], '7'],
    ['max', [1, 5], [4], '5'],
    ['max', [1, 2], [4], '4'],
    ['min', [3, 2], [4], '2'],
    ['latest', [9, 8], [4], '4'],
    ['unique', [1, 2], [2, 3], '3'],
  ];
  it.each(rows)('sums up %s of %j and %j of another property', async (aggregation, first, second, value) => {
    const shop = await openUsageShop(app);
    const meterId = await shop.meter({ aggregation, value: 'units' });
    await shop.advance('2026-01-02');
    await shop.use(
      ...first.map((units): [string, number, object] => ['2026-01-01T12:00Z', units, { n: 100 }]),
    );
    await createVersion(shop.client, meterId, { value: 'n' });
    await shop.advance('2026-01-03');
    await shop.use(...second.map((n): [string, number, object] => ['2026-01-02T12:00Z', 100, { n }]));
    expect(await readUsage(shop, meterId)).toMatchObject({ value });
    // Taking an event back counts its quarter of an hour by its own version.
    const [id] = await shop.use(['2026-01-01T12:00Z', 99, { n: 100 }]);
    await shop.voidUsage([id!]);
    expect(await readUsage(shop, meterId)).toMatchObject({ value });
    expect(await findFaults(app, shop.alias)).toEqual([]);
  });

  it('may break usage down further, which earlier usage is not', async () => {
    const shop = await openUsageShop(app);
    const meterId = await shop.meter();
    await shop.advance('2026-01-02');
    await shop.use(['2026-01-01', 1, { model: 'a', region: 'x' }]);
    await createVersion(shop.client, meterId, { groupBy: ['model', 'region'] });
    await shop.advance('2026-01-03');
    await shop.use(['2026-01-02', 2, { model: 'a', region: 'x' }]);
    const { windows } = await readUsage(shop, meterId, { groupBy: ['region'] });
    expect(windows).toEqual([
      { group: { region: 'x' }, value: '2' },
      { group: { region: null }, value: '1' },
    ]);
    expect((await readUsage(shop, meterId, { groupBy: ['model'] })).windows).toEqual([
      { group: { model: 'a' }, value: '3' },
    ]);
  });

  it('counts events that are ahead of their time once, and gives limits their count', async () => {
    const shop = await openUsageShop(app, '2026-01-01T00:13:00.000Z');
    const meterId = await shop.meter();
    await shop.client.graphql(
      `mutation ($meterId: ID!, $customerId: ID!) {
        createFeature(input: { key: "units", name: "Units", kind: limit, meterId: $meterId }) { id }
        overrideEntitlement(input: { customerId: $customerId, feature: "units", value: 1000 }) { id }
      }`,
      { meterId, customerId: shop.customer.id },
    );
    const consume = async (id: string, amount: string) =>
      (
        await shop.client.graphql(
          `mutation ($input: ConsumeEntitlementInput!) { consumeEntitlement(input: $input) { used } }`,
          { input: { id, customerId: shop.customer.id, feature: 'units', amount } },
        )
      ).consumeEntitlement.used;
    await shop.use(['2026-01-01T00:16:00Z', 5, { model: 'small' }], ['2026-01-01T00:14:00Z', 7]);
    expect(await consume('first', '1')).toBe('13');
    await createVersion(shop.client, meterId, large);
    expect(await readUsage(shop, meterId)).toMatchObject({ value: '8' });
    expect(await consume('second', '1')).toBe('9');
    // The other version replaces it, so that the event counts again; and does not decide what property is used before it begins.
    await createVersion(shop.client, meterId, { value: 'n', startsAt: '2026-02-01' });
    expect(await consume('third', '1')).toBe('15');
    expect(await findFaults(app, shop.alias)).toEqual([]);
  });

  it('may be planned, planned otherwise and taken back', async () => {
    const shop = await openUsageShop(app);
    const meterId = await shop.meter();
    const starts = (meter: any) => meter.versions.map((version: any) => version.startsAt.slice(0, 10));
    const planned = await createVersion(shop.client, meterId, { ...large, startsAt: '2026-03-01' });
    expect(starts(planned)).toEqual(['2026-01-01', '2026-03-01']);
    const other = await createVersion(shop.client, meterId, { value: 'n', startsAt: '2026-02-01' });
    expect(starts(other)).toEqual(['2026-01-01', '2026-02-01']);
    // It is planned by what holds now, so the filter is that of today.
    expect(other).toMatchObject({ value: 'n', filter: [] });
    const back = await createVersion(shop.client, meterId);
    expect(starts(back)).toEqual(['2026-01-01']);
    expect(back.value).toBe('units');
    const { traces } = await shop.client.graphql('{ traces(first: 3) { nodes { activityType payload } } }');
    const actions = traces.nodes.map(({ payload }: any) => payload.action);
    expect(actions).toEqual(['version_created', 'version_created', 'version_created']);
  });

  it('is previewed by the events that are there', async () => {
    const shop = await openUsageShop(app);
    const meterId = await shop.meter();
    await shop.advance('2026-01-02');
    await shop.use(['2026-01-01', 1, { model: 'small' }], ['2026-01-01', 2, { model: 'large' }]);
    const { previewMeterVersion } = await shop.client.graphql(
      `query ($id: ID!, $input: CreateMeterVersionInput!) {
        previewMeterVersion(id: $id, input: $input, from: "2026-01-01", until: "2026-02-01") { value uncounted }
      }`,
      { id: meterId, input: large },
    );
    expect(previewMeterVersion).toEqual({ value: '2', uncounted: 1 });
    expect(await readUsage(shop, meterId)).toMatchObject({ value: '3' });
  });

  const faults: [what: string, input: object, path: string, message: RegExp][] = [
    ['a past beginning', { startsAt: '2026-01-01' }, 'startsAt', /must not be before 2026-01-01T00:15/],
    ['half a quarter', { startsAt: '2026-01-02T00:07:00Z' }, 'startsAt', /beginning of a quarter/],
    ['a time that is none', { startsAt: '2026-02-30' }, 'startsAt', /./],
    ['another breakdown', { groupBy: ['region', 'model'] }, 'groupBy', /must begin with \["model"\]/],
    ['a smaller breakdown', { groupBy: [] }, 'groupBy', /must begin with/],
    ['four properties', { groupBy: ['model', 'a', 'b', 'c'] }, 'groupBy', /at most 3/],
    ['an empty property', { value: '' }, 'value', /empty/],
    ['a filter of nothing', { filter: [{ property: 'a', values: [] }] }, 'filter.0.values', /empty/],
  ];
  it.each(faults)('refuses %s', async (_, input, path, message) => {
    const shop = await openUsageShop(app);
    const meterId = await shop.meter();
    const { body } = await shop.client.post(
      `mutation ($id: ID!, $input: CreateMeterVersionInput!) { createMeterVersion(id: $id, input: $input) { id } }`,
      { id: meterId, input },
    );
    const [issue] = body.errors[0].extensions.issues;
    expect(issue.path).toMatch(new RegExp(`${path}$`));
    expect(issue.message).toMatch(message);
  });
});
