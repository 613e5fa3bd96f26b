/** E-invoices of a process that is killed while the access point has them. */
import { expect, it } from 'vitest';
import { openAccessPoint, reply } from '../../support/accessPoint.ts';
import { perennial } from '../../support/cli.ts';
import { engine, scratchDatabase } from '../../support/engines.ts';
import { createReceiver, issue, readDelivery, setUpSeller } from '../../support/eInvoices.ts';
import { build, call, serve } from '../../support/program.ts';
import type { Client } from '../../support/app.ts';

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
  const graphql: Client['graphql'] = async (query, variables) => {
    const answer = await fetch(`${running.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'api-key': apiKey },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = (await answer.json()) as any;
    if (errors) throw new Error(JSON.stringify(errors));
    return data;
  };
  const client = { graphql } as Client;
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
