/** Two servers on one database send the same queue. */
import { expect, it } from 'vitest';
import { createApp } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import { openAccessPoint } from '../../support/accessPoint.ts';
import { startApp, testSecretKey } from '../../support/app.ts';
import { engine } from '../../support/engines.ts';
import { createReceiver, issue, readDelivery, setUpSeller } from '../../support/eInvoices.ts';

// SQLite has one server.
it.runIf(engine === 'postgres')('sends fifty documents of two servers, each once', async () => {
  const point = await openAccessPoint();
  const settings = { webhookAllowPrivate: 'on', rateLimitPerSecond: '100000' };
  const app = await startApp(settings);
  const other = await createApp(
    readConfig(
      {
        ...settings,
        database: app.database,
        databaseConnections: '4',
        logLevel: 'silent',
        secretKey: testSecretKey,
      },
      {},
    ),
    { scheduler: false },
  );
  const client = await app.tenant({ alias: 'acme', name: 'Acme' });
  await setUpSeller(client, point.url);
  const customerId = await createReceiver(client);
  const ids: string[] = [];
  for (let count = 0; count < 50; count += 1) ids.push((await issue(client, customerId)).id);
  await Promise.all([app, other].map(({ service }) => service.eInvoices.sendDue(service, 'acme')));
  const keys = point.calls.map(({ headers }) => String(headers['idempotency-key']));
  expect(keys.toSorted()).toEqual(ids.toSorted());
  expect(await readDelivery(client, ids[49]!)).toMatchObject({ status: 'sent', attempts: 1 });
  await other.close();
  await app.close();
  await point.close();
});
