/** VAT ids of a process that is killed while VIES has the questions. */
import { expect, it } from 'vitest';
import { perennial } from '../../support/cli.ts';
import { engine, scratchDatabase } from '../../support/engines.ts';
import { build, call, serve } from '../../support/program.ts';
import { createFrenchVatId, startVies } from '../../support/vies.ts';

it.runIf(engine === 'sqlite')(
  'asks again, and loses no question',
  async () => {
    build();
    const scratch = await scratchDatabase();
    const vies = await startVies();
    const settings = {
      PERENNIAL_DATABASE: scratch.url,
      PERENNIAL_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      PERENNIAL_VIES_URL: vies.url,
    };
    const { apiKey } = await call(['tenant', 'create', 'acme', '--test', '--clock', '2026-06-01'], settings);
    let running = await serve(settings);
    const graphql = async (query: string, variables = {}) => {
      const answer = await fetch(`${running.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'api-key': apiKey },
        body: JSON.stringify({ query, variables }),
      });
      const { data, errors } = (await answer.json()) as any;
      if (errors) throw new Error(JSON.stringify(errors));
      return data;
    };
    const vatIds = Array.from({ length: 8 }, () => createFrenchVatId());
    for (const vatId of vatIds) vies.set(vatId, 'silent');
    await graphql(`
      mutation {
        updateTenant(
          input: { vatIdCheck: draft, seller: { legalName: "Acme", address: { country: "DE" } } }
        ) {
          alias
        }
      }
    `);
    for (const [nth, value] of vatIds.entries())
      await graphql('mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }', {
        input: {
          email: 'a@example.org',
          firstName: 'Ada',
          lastName: 'Byron',
          associatedId: `user-${nth}`,
          address: { country: 'FR' },
          taxIds: [{ type: 'eu_vat', value }],
        },
      });
    // The scheduler looks once a minute.
    await expect.poll(() => vies.questions.length, { timeout: 90_000 }).toBeGreaterThan(0);
    running.process.kill('SIGKILL');
    await running.ended;
    for (const vatId of vatIds) vies.set(vatId, 'valid');
    running = await serve(settings);
    // What the dead server has claimed is due again after five minutes.
    await graphql('mutation { advanceClock(input: { to: "2026-06-01T12:00:00Z" }) { clock } }');
    const countValid = async () =>
      (
        await graphql(
          '{ customers(vatIdStatus: valid, first: 100) { nodes { vatIdEvidence { nodes { status } } } } }',
        )
      ).customers.nodes.length;
    await expect.poll(countValid, { timeout: 90_000 }).toBe(vatIds.length);
    running.process.kill('SIGKILL');
    await running.ended;
    const { json } = await perennial(undefined, ['doctor', '--json'], settings);
    expect(json.findings).toEqual([]);
    vies.close();
    await scratch.drop();
  },
  240_000,
);
