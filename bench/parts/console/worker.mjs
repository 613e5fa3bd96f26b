// Serves a tenant with many customers, for measurements in a browser. Sends the address of its console's link.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createApp } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/config/config.ts';
import { createLink, grantTenants } from '../../../src/access/operators/administration.ts';
import { createTenant } from '../../../src/tenancy/tenants.ts';
import { customerRow } from '../../../test/support/rows.ts';

const [customers, port] = [Number(process.argv[2]), Number(process.argv[3])];
const rowsAtOnce = 1000;
const startMs = Date.parse('2020-01-01T00:00:00.000Z');

const folder = mkdtempSync(path.join(tmpdir(), 'perennial-bench-'));
const publicUrl = `http://localhost:${port}`;
const settings = { database: `sqlite:${path.join(folder, 'bench.db')}`, logLevel: 'error', publicUrl };
const { service, server } = await createApp(readConfig({ ...settings, rateLimitPerSecond: '10000' }, {}), {
  scheduler: false,
});
await createTenant(service, { alias: 'acme' });
const rows = Array.from({ length: customers }, (_, nth) => {
  const at = new Date(startMs + nth * 60_000).toISOString();
  return {
    ...customerRow(`cus_${String(nth).padStart(9, '0')}`, `own-${nth}`),
    firstName: 'Ada',
    lastName: `Lovelace ${nth}`,
    email: `ada-${nth}@example.com`,
    createdAt: at,
    updatedAt: at,
  };
});
await service.store.load(async ({ queries }) => {
  for (let next = 0; next < rows.length; next += rowsAtOnce)
    await queries.insertMany('customers', rows.slice(next, next + rowsAtOnce));
});
await grantTenants(service, { email: 'bench@example.com', role: 'owner', tenant: 'acme' });
const { url } = await createLink(service, 'bench@example.com', publicUrl);
await server.listen({ host: 'localhost', port });
process.send({ link: url });
