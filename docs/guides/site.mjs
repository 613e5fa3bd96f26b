// The server of a site, as the guides to Apollo Client, urql and Relay use it: copy it beside your program.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const { BILLING_URL, API_KEY, SITE_PORT = '3000' } = process.env;
const longestBody = 16 * 1024;

/** The documents of the pages by their id, as the build wrote them. Nothing else is executed. */
const documents = new Map(
  Object.entries(JSON.parse(readFileSync('documents.json', 'utf8'))).map(([id, text]) => [
    id.startsWith('sha256:') ? id : `sha256:${id}`,
    text,
  ]),
);

for (const text of documents.values()) {
  if (/\$\w+:\s*\[?\w*Input\b/.test(text))
    throw new Error(`A page would choose all fields of an input: ${text}`);
}

/** The customers who are signed in, by session. Your site has users and sessions of its own. */
const customers = new Map();

/** Sends an operation to Perennial with the key, which never leaves this server. */
async function sendToBilling(query, variables) {
  const response = await fetch(`${BILLING_URL}/graphql`, {
    method: 'POST',
    headers: { 'api-key': API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  return response.json();
}

/** Makes a new user a customer and begins a session. Returns the session. */
async function signUp({ email, firstName, lastName }) {
  const { data } = await sendToBilling(
    'mutation SignUp($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }',
    { input: { associatedId: `user-${randomUUID()}`, email, firstName, lastName } },
  );
  const session = randomUUID();
  customers.set(session, data.createCustomer.id);
  return session;
}

const readCustomer = ({ headers }) =>
  customers.get(/(?:^|; )session=([^;]+)/.exec(headers.cookie ?? '')?.[1]);

const refuse = (status, reason) => ({
  status,
  body: { errors: [{ message: reason, extensions: { reason } }] },
});

/** Executes a document of the pages for the customer of the session. */
async function execute(request) {
  const customerId = readCustomer(request);
  if (customerId === undefined) return refuse(401, 'sign_in_required');
  const { documentId, variables } = await readBody(request);
  const text = documents.get(documentId);
  if (text === undefined) return refuse(404, 'document_not_found');
  // The customer comes last: no variable of a visitor replaces it.
  return { status: 200, body: await sendToBilling(text, { ...variables, customerId }) };
}

/** Reads a JSON body. Pages of other sites cannot send this type with a cookie. */
async function readBody(request) {
  const unreadable = refuse(400, 'validation_failed');
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

async function respond(request) {
  if (request.method !== 'POST') return refuse(405, 'method_not_allowed');
  if (request.url === '/billing') return execute(request);
  if (request.url !== '/sign-up') return refuse(404, 'route_not_found');
  const session = await signUp(await readBody(request));
  // Add `Secure` where your site has https.
  return { status: 200, body: {}, cookie: `session=${session}; Path=/; HttpOnly; SameSite=Strict` };
}

async function answer(request, response) {
  const { status, body, cookie } = await respond(request).catch((error) =>
    error.status === undefined ? refuse(503, 'unavailable') : error,
  );
  response.writeHead(status, { 'content-type': 'application/json', ...(cookie && { 'set-cookie': cookie }) });
  response.end(JSON.stringify(body));
}

const server = createServer((request, response) => void answer(request, response));
server.listen(Number(SITE_PORT), '127.0.0.1', () =>
  console.log(`The site is at http://127.0.0.1:${SITE_PORT}`),
);
