/** E-invoices of a process that is killed while the access point has them. */
import { expect, it } from 'vitest';
import { openAccessPoint, reply, signReport } from '../../support/accessPoint.ts';
import { perennial } from '../../support/cli.ts';
import { engine, scratchDatabase } from '../../support/engines.ts';
import { createReceiver, issue, readDelivery, setUpSeller } from '../../support/eInvoices.ts';
import { build, call, serve } from '../../support/program.ts';
import type { Client } from '../../support/app.ts';

const connect = (url: string, apiKey: string): Client =>
  ({
    graphql: async (query, variables) => {
      const answer = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'api-key': apiKey },
        body: JSON.stringify({ query, variables }),
      });
      const { data, errors } = (await answer.json()) as any;
      if (errors) throw new Error(JSON.stringify(errors));
      return data;
    },
  }) as Client;

it.runIf(engine === 'sqlite')(
  'records each signed report once, also of a server that is killed',
  async () => {
    build();
    const scratch = await scratchDatabase();
    const point = await openAccessPoint();
    const settings = {
      PERENNIAL_DATABASE: scratch.url,
      PERENNIAL_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      PERENNIAL_WEBHOOK_ALLOW_PRIVATE: 'on',
    };
    const { apiKey } = await call(['tenant', 'create', 'acme', '--test'], settings);
    let running = await serve(settings);
    const client = connect(running.url, apiKey);
    await setUpSeller(client, point.url);
    const { createCallbackSecret } = await client.graphql(
      'mutation { createCallbackSecret(input: { provider: access_point }) { secret } }',
    );
    const customerId = await createReceiver(client);
    const ids: string[] = [];
    for (let count = 0; count < 20; count += 1) ids.push((await issue(client, customerId)).id);
    await expect.poll(() => point.calls.length, { timeout: 30_000 }).toBe(ids.length);
    const report = async (key: string): Promise<number> => {
      const body = JSON.stringify({ key, status: 'accepted', reference: `network ${key}` });
      const headers = signReport(createCallbackSecret.secret, `report-${key}`, body, Date.now());
      const init = { method: 'POST', headers, body };
      return (await fetch(`${running.url}/callbacks/access_point/acme`, init)).status;
    };
    const first = ids.map((id) => report(id).catch(() => 0));
    await Promise.race(first);
    running.process.kill('SIGKILL');
    await running.ended;
    const answered = await Promise.all(first);
    running = await serve(settings);
    const again = connect(running.url, apiKey);
    // What was answered was durable.
    for (const [index, id] of ids.entries())
      if (answered[index] === 200)
        expect(await readDelivery(again, id)).toMatchObject({
          status: 'accepted',
          reference: `network ${id}`,
        });
    expect(await Promise.all(ids.map(report))).toEqual(ids.map(() => 200));
    for (const id of ids) expect(await readDelivery(again, id)).toMatchObject({ status: 'accepted' });
    running.process.kill('SIGKILL');
    await running.ended;
    const repeated = await scratch.backdoor.all(
      "select resource_id from traces where payload ->> '$.action' = 'e_invoice_accepted' group by resource_id having count(*) <> 1",
    );
    expect(repeated).toEqual([]);
    const { json } = await perennial(undefined, ['doctor', '--json'], settings);
    expect(json.findings).toEqual([]);
    await point.close();
    await scratch.drop();
  },
);

// On PostgreSQL what a dead server has claimed waits for a minute.
it.runIf(engine === 'sqlite')('sends each again under its key, and loses none', async () => {
  build();
  const scratch = await scratchDatabase();
  const point = await openAccessPoint();
  const settings = {
    PERENNIAL_DATABASE: scratch.url,
    PERENNIAL_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    PERENNIAL_WEBHOOK_ALLOW_PRIVATE: 'on',
  };
  const { apiKey } = await call(['tenant', 'create', 'acme', '--test'], settings);
  let running = await serve(settings);
  const client = { graphql: (...args) => connect(running.url, apiKey).graphql(...args) } as Client;
  // The access point takes the documents and never answers.
  point.respond(() => undefined);
  await setUpSeller(client, point.url);
  const customerId = await createReceiver(client);
  const ids: string[] = [];
  for (let count = 0; count < 10; count += 1) ids.push((await issue(client, customerId)).id);
  await expect.poll(() => point.calls.length, { timeout: 10_000 }).toBeGreaterThan(2);
  running.process.kill('SIGKILL');
  await running.ended;
  const before = point.calls.length;
  point.respond(reply(202, { reference: 'again' }));
  running = await serve(settings);
  const listStatuses = () =>
    Promise.all(ids.map(async (id) => (await readDelivery(client, id)).status as string));
  await expect.poll(listStatuses, { timeout: 30_000 }).toEqual(ids.map(() => 'sent'));
  const keys = point.calls.map(({ headers }) => String(headers['idempotency-key']));
  expect(new Set(keys)).toEqual(new Set(ids));
  expect(keys).toHaveLength(ids.length + before);
  // What was sent twice was the same both times.
  for (const { headers, bytes } of point.calls.slice(0, before)) {
    const key = headers['idempotency-key'];
    const other = point.calls.slice(before).find((each) => each.headers['idempotency-key'] === key)!;
    expect(other.bytes.equals(bytes)).toBe(true);
  }
  running.process.kill('SIGKILL');
  await running.ended;
  const { json } = await perennial(undefined, ['doctor', '--json'], settings);
  expect(json.findings).toEqual([]);
  await point.close();
  await scratch.drop();
});
