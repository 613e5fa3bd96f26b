// The server of a site, as the guides to Apollo Client, urql and Relay use it: copy it beside your program. It never forwards an
// operation of a page: it makes the token with which the page calls Perennial for its own customer.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

const { BILLING_URL, API_KEY, SITE_PORT = '3000' } = process.env;
const longestBody = 16 * 1024;

/** The customers who are signed in, by session. Your site has users and sessions of its own. */
const customers = new Map();

/** Sends an operation to Perennial with the secret key, which never leaves this server. Returns its data. */
async function sendToBilling(query, variables) {
  const response = await fetch(`${BILLING_URL}/graphql`, {
    method: 'POST',
    headers: { 'api-key': API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = await response.json();
  if (errors) throw new Error(errors[0].message);
  return data;
}

/** Makes a new user a customer and begins a session of the site. Returns the session. */
async function signUp({ email, firstName, lastName }) {
  const { createCustomer } = await sendToBilling(
    'mutation SignUp($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }',
    { input: { associatedId: `user-${randomUUID()}`, email, firstName, lastName } },
  );
  const session = randomUUID();
  customers.set(session, createCustomer.id);
  return session;
}

/** Begins a session at Perennial for the customer of the site's session: nothing that the page sends chooses the customer. */
async function createToken(request) {
  const customerId = customers.get(/(?:^|; )session=([^;]+)/.exec(request.headers.cookie ?? '')?.[1]);
  if (customerId === undefined) return { status: 401, body: {} };
  const { createCustomerSession } = await sendToBilling(
    `mutation Token($input: CreateCustomerSessionInput!) {
      createCustomerSession(input: $input) { token expiresAt }
    }`,
    { input: { customerId, allow: ['subscribe', 'change_subscription', 'cancel_subscription'] } },
  );
  return { status: 200, body: createCustomerSession };
}

/** Reads a JSON body. Pages of other sites cannot send this type with a cookie. */
async function readBody(request) {
  const unreadable = { status: 400, body: {} };
  if (!request.headers['content-type']?.startsWith('application/json')) throw unreadable;
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > longestBody) throw unreadable;
  }
  try {
    return JSON.parse(text) ?? {};
  } catch {
    throw unreadable;
  }
}

const files = {
  '/': { name: 'index.html', type: 'text/html; charset=utf-8' },
  '/page.js': { name: 'page.js', type: 'text/javascript; charset=utf-8' },
};

async function respond(request) {
  const [path] = request.url.split('?');
  const file = files[path];
  if (request.method === 'GET' && file)
    return { status: 200, type: file.type, text: await readFile(`public/${file.name}`) };
  if (request.method !== 'POST') return { status: 404, body: {} };
  if (path === '/token') return createToken(request);
  if (path !== '/sign-up') return { status: 404, body: {} };
  const session = await signUp(await readBody(request));
  // Add `Secure` where your site has https.
  return { status: 200, body: {}, cookie: `session=${session}; Path=/; HttpOnly; SameSite=Lax` };
}

async function answer(request, response) {
  const { status, body, cookie, type, text } = await respond(request).catch((error) =>
    error.status === undefined ? { status: 503, body: {} } : error,
  );
  response.writeHead(status, {
    'content-type': type ?? 'application/json',
    'cache-control': 'no-store',
    ...(cookie && { 'set-cookie': cookie }),
  });
  response.end(text ?? JSON.stringify(body));
}

const server = createServer((request, response) => void answer(request, response));
server.listen(Number(SITE_PORT), '127.0.0.1', () =>
  console.log(`The site is at http://localhost:${SITE_PORT}`),
);
