import type { App } from '../app/app.ts';
import { createKey } from '../tenancy/apiKeys.ts';
import { createTenant, findTenant } from '../tenancy/tenants.ts';

const alias = 'demo';

const buildPrice = (amount: number, frequency: string) => ({
  details: { amount, currency: 'usd' },
  recurring: { frequency, period: 1 },
});

const products = [
  {
    name: 'Basic',
    description: 'For one person.',
    prices: [buildPrice(9, 'Monthly'), buildPrice(90, 'Yearly')],
  },
  {
    name: 'Pro',
    description: 'For a whole team.',
    prices: [buildPrice(29, 'Monthly'), buildPrice(290, 'Yearly')],
  },
];

const customers = [
  { firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com', associatedId: 'user-1' },
  { firstName: 'Grace', lastName: 'Hopper', email: 'grace@example.com', associatedId: 'user-2' },
];

/**
 * Creates the test tenant `demo` with a small catalogue, unless it exists. Returns the text to print: at first its
 * API key and two example requests, later how to create another key. `hint` completes a command of this program.
 */
export async function createDemo(app: App, url: string, hint: (command: string) => string): Promise<string> {
  if (await hasDemo(app)) {
    return `The demo tenant already exists. To create another key: ${hint(`key create --tenant ${alias}`)}\n`;
  }
  if (!(await findTenant(app.service, alias))) {
    await createTenant(app.service, { alias, name: 'Demo', test: true });
  }
  const { apiKey } = await createKey(app.service, { tenant: alias });
  await fill(app, apiKey);
  return [
    `Created the test tenant "${alias}" with a small catalogue. Its API key, shown only now:`,
    '',
    `  ${apiKey}`,
    '',
    'Try REST:',
    '',
    `  curl -s '${url}/api/v1/customers?tenantAlias=${alias}' -H 'api-key: ${apiKey}'`,
    '',
    'Try GraphQL:',
    '',
    `  curl -s ${url}/graphql -H 'api-key: ${apiKey}' -H 'content-type: application/json' \\`,
    `    -d '{"query":"{ products(order: ASC) { nodes { name prices { details { amount currency } recurring { frequency } } } } }"}'`,
    '',
    '',
  ].join('\n');
}

/** Customers are created last, so their presence proves that the demo data is complete. */
async function hasDemo({ service }: App): Promise<boolean> {
  const found = await service.store.fresh.select('customers', {
    where: { tenantAlias: alias },
    limit: 1,
  });
  return found.length > 0;
}

/** Creates the records through the REST interface, like any client. */
async function fill({ server }: App, apiKey: string) {
  const post = async (path: string, fields: object) => {
    const answer = await server.inject({
      method: 'POST',
      url: `/api/v1${path}`,
      headers: { 'api-key': apiKey, 'content-type': 'application/json' },
      payload: JSON.stringify({ tenantAlias: alias, ...fields }),
    });
    if (answer.statusCode !== 201) throw new Error(`The demo data could not be created: ${answer.body}`);
    return answer.json<{ id: string }>();
  };
  const { id: groupId } = await post('/groups', { name: 'Plans', prorateUpgrades: true });
  for (const product of products) await post('/products', { ...product, groupId });
  for (const customer of customers) await post('/customers', customer);
}
