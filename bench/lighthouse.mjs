// `npm run bench -- lighthouse`: Lighthouse's figures of the console and of the customers' pages, with the demo's two years.
// Lighthouse comes by npx: with what it needs it has 176 MB, too much for every installation.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import packaged from '@sparticuz/chromium';
import { ensureBuilt, program } from '../scripts/setup.mjs';
import { freePort } from './parts/servers/processes.mjs';

const lighthouse = process.env.BENCH_LIGHTHOUSE?.split(' ') ?? ['npx', '--yes', 'lighthouse@13.5.0'];
const categories = ['performance', 'accessibility', 'best-practices'];

ensureBuilt();
const folder = mkdtempSync(path.join(tmpdir(), 'perennial-lighthouse-'));
const port = await freePort();
const chrome = await packaged.executablePath();
const base = `http://localhost:${port}`;
const env = {
  ...process.env,
  PERENNIAL_DATABASE: `sqlite:${path.join(folder, 'demo.db')}`,
  PERENNIAL_PUBLIC_URL: base,
};
const server = spawn(
  process.execPath,
  [program, 'serve', '--demo', '--host', 'localhost', '--port', String(port)],
  {
    env,
    stdio: ['ignore', 'pipe', 2],
  },
);
await new Promise((resolve) =>
  server.stdout.on('data', (chunk) => String(chunk).includes('Server listening at') && resolve()),
);
const call = (...args) =>
  JSON.parse(execFileSync(process.execPath, [program, ...args, '--json'], { env, encoding: 'utf8' }));
const { url: link } = call('operator', 'create', 'bench@example.com');
const { apiKey } = call('key', 'create', '--tenant', 'demo');
const ask = async (query, variables) => {
  const headers = { 'api-key': apiKey, 'content-type': 'application/json' };
  const body = JSON.stringify({ query, variables });
  const { data, errors } = await (await fetch(`${base}/graphql`, { method: 'POST', headers, body })).json();
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
};
const { customers, products } = await ask(
  '{ customers(first: 1) { nodes { id } } products(first: 10) { nodes { id prices { id } } } }',
);
const customerId = customers.nodes[0].id;
const { id: productId, prices } = products.nodes.find((product) => product.prices.length > 0);
const { createSubscriptionIntent: intent } = await ask(
  'mutation ($input: CreateSubscriptionIntentInput!) { createSubscriptionIntent(input: $input) { paymentUrl } }',
  { input: { customerId, productId, priceId: prices[0].id, receiptUrl: 'https://example.com/thanks' } },
);
const { createPortalSession } = await ask(
  'mutation ($id: ID!) { createPortalSession(input: { customerId: $id }) { url } }',
  { id: customerId },
);

/** Signs an operator in as the console does. Returns the cookie. */
async function signIn() {
  const query = 'mutation ($token: String!) { redeemOperatorLink(input: { token: $token }) { id } }';
  const headers = { 'content-type': 'application/json', 'perennial-console': '1', origin: base };
  const body = JSON.stringify({ query, variables: { token: link.split('#')[1] } });
  const answer = await fetch(`${base}/graphql`, { method: 'POST', headers, body });
  return answer.headers.get('set-cookie').split(';')[0];
}

/** Measures a page as a desktop computer; another kind of device loads from the same machine as fast. */
function measure(name, url, headers = {}) {
  const report = path.join(folder, `${name.replaceAll(' ', '-')}.json`);
  const [command, ...first] = lighthouse;
  execFileSync(
    command,
    [
      ...first,
      url,
      '--chrome-flags=--headless=new --lang=en-US --no-sandbox --disable-gpu --disable-dev-shm-usage',
      `--extra-headers=${JSON.stringify(headers)}`,
      '--preset=desktop',
      `--only-categories=${categories.join()}`,
      '--output=json',
      `--output-path=${report}`,
      '--quiet',
    ],
    {
      stdio: ['ignore', 'ignore', 2],
      env: {
        ...process.env,
        CHROME_PATH: chrome,
        LANGUAGE: 'en-US',
        LANG: 'en_US.UTF-8',
        LC_ALL: 'en_US.UTF-8',
      },
    },
  );
  const found = JSON.parse(readFileSync(report, 'utf8'));
  const weights = categories.flatMap((each) => found.categories[each].auditRefs);
  const lost = weights
    .filter(({ id, weight }) => weight > 0 && (found.audits[id].score ?? 1) < 0.9)
    .map(({ id }) => `${id} ${found.audits[id].displayValue ?? ''}`.trim());
  const scores = categories.map((each) => Math.round(found.categories[each].score * 100));
  console.log(
    `${name.padEnd(12)} ${scores.map((score) => String(score).padStart(4)).join('')}  ${lost.join(', ')}`,
  );
}

console.log(`${''.padEnd(12)} ${categories.join(', ')}; what costs points`);
measure('sign-in', `${base}/console/sign-in`);
measure('pay page', base + new URL(intent.paymentUrl).pathname);
measure('portal', createPortalSession.url);
const headers = { cookie: await signIn() };
for (const [name, place] of [
  ['home', '/'],
  ['list', '/customers'],
  ['detail', `/customers/${customerId}`],
])
  measure(name, `${base}/console/t/demo${place}`, headers);
server.kill();
