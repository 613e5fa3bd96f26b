import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { Client } from '../../support/app.ts';

/** A message as it came. */
export interface Received {
  headers: IncomingHttpHeaders;
  text: string;
  body: any;
  path: string;
}

type Answer = (response: ServerResponse, message: Received, index: number) => void;

export interface Receiver {
  url: string;
  received: Received[];
  /** How many connections were made. */
  connections: () => number;
  /** How it answers from now on. */
  answer: (how: Answer) => void;
  close(): Promise<void>;
}

export const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(code, headers).end();

/** An endpoint that really listens; it answers 204 unless told otherwise. */
export async function openReceiver(host = '127.0.0.1'): Promise<Receiver> {
  const received: Received[] = [];
  let connections = 0;
  let how = status(204);
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const message = { headers: request.headers, text, body: JSON.parse(text), path: request.url! };
      received.push(message);
      how(response, message, received.length - 1);
    });
  });
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => void server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}/hooks`,
    received,
    connections: () => connections,
    answer: (next) => {
      how = next;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

/** Verifies a message with the public library; throws where the signature is not good. */
export const verify = (secret: string, { text, headers }: Received) =>
  new Webhook(secret).verify(text, headers as Record<string, string>);

export const isSignedWith = (secret: string, message: Received): boolean => {
  try {
    verify(secret, message);
    return true;
  } catch {
    return false;
  }
};

const create = `mutation ($input: CreateWebhookEndpointInput!) {
  createWebhookEndpoint(input: $input) { secret endpoint { id url events query active } }
}`;

/** Makes an endpoint of a tenant; answers its id and its secret. */
export async function createEndpoint(client: Client, input: object): Promise<{ id: string; secret: string }> {
  const { createWebhookEndpoint: made } = await client.graphql(create, { input });
  return { id: made.endpoint.id, secret: made.secret };
}

const deliveries = `query ($endpointId: ID) { deliveries(first: 100, order: ASC, endpointId: $endpointId) { nodes {
  id eventId type sequence status attemptCount nextAttemptAt finishedAt createdAt
  attempts { at statusCode durationMs error }
} } }`;

/** The log of an endpoint, oldest first. */
export const fetchDeliveries = async (client: Client, endpointId?: string): Promise<any[]> =>
  (await client.graphql(deliveries, { endpointId })).deliveries.nodes;

/** Makes customers, by their associated ids. */
export async function customers(client: Client, ...names: string[]): Promise<any[]> {
  const made = [];
  for (const name of names) {
    const input = { email: `${name}@example.org`, firstName: name, lastName: 'L', associatedId: name };
    const document = 'mutation ($input: CreateCustomerInput!) { createCustomer(input: $input) { id } }';
    made.push((await client.graphql(document, { input })).createCustomer);
  }
  return made;
}

/** Renames a customer, which is an event of its chain. */
export const rename = (client: Client, id: string, firstName: string) =>
  client.graphql(
    'mutation ($id: ID!, $to: String!) { updateCustomer(id: $id, input: { firstName: $to }) { id } }',
    { id, to: firstName },
  );
