import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';

const kinds = ['customers', 'products', 'intents'] as const;

/** A write that a client has requested. */
interface Write {
  kind: (typeof kinds)[number];
  /** Its own name of it, which the row keeps. */
  marker: string;
  /** The acknowledged writes with their ids. */
  id?: string;
}

export interface Written {
  /** Every requested write, in order. */
  writes: Write[];
  /** How often a write was sent again under its key. */
  repeated: number;
  /** How many writes without a key got no response, so that their outcome is unknown. */
  unanswered: number;
  /** Responses that no write may have. */
  unexpected: string[];
}

interface Target {
  url: string;
  apiKey: string;
  alias: string;
}

export interface Writers {
  written: Written;
  acknowledged(): number;
  /** Waits until every write with a key has a response. */
  finish(): Promise<void>;
}

const answerWithinMs = 10_000;
const mostTries = 2000;
/** These may be sent again, and nothing was done. */
const again = new Set([409, 429, 503]);

/** Clients that write without a pause, with and without an Idempotency-Key, until they are stopped. */
export async function startWriters(target: Target, count: number): Promise<Writers> {
  const written: Written = { writes: [], repeated: 0, unanswered: 0, unexpected: [] };
  const send = createSender(target);
  const order = await prepareOrder(send);
  let isOver = false;
  const perform = async (write: Write, key: string | undefined) => {
    const [path, fields] = buildFields(write, order);
    for (let tries = 0; tries < mostTries; tries++) {
      const answer = await send(path, fields, key);
      if (answer?.status === 201) {
        const { id, intentId, product } = answer.body;
        write.id = id ?? intentId ?? product.id;
        return;
      }
      if (answer && !again.has(answer.status)) {
        written.unexpected.push(`${answer.status} ${JSON.stringify(answer.body)}`);
        return;
      }
      if (!key) {
        written.unanswered += 1;
        return;
      }
      written.repeated += 1;
      await pause(20);
    }
    written.unexpected.push(`${write.marker} is never answered`);
  };
  const work = Array.from({ length: count }, async (_, writer) => {
    for (let number = 0; !isOver; number++) {
      const write: Write = { kind: kinds[(writer + number) % 3]!, marker: `w${writer}-${number}` };
      written.writes.push(write);
      const hasKey = number % 4 !== 3;
      await perform(write, hasKey ? randomUUID() : undefined);
      if (!hasKey && write.id === undefined) await pause(20);
    }
  });
  return {
    written,
    acknowledged: () => written.writes.filter(({ id }) => id !== undefined).length,
    finish: async () => {
      isOver = true;
      await Promise.all(work);
    },
  };
}

type Send = (
  path: string,
  fields: object,
  key?: string,
) => Promise<{ status: number; body: any } | undefined>;

/** Sends a request. Returns undefined without a response. */
export function createSender({ url, apiKey, alias }: Target): Send {
  return async (path, fields, key) => {
    try {
      const answer = await fetch(`${url}/api/v1${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'api-key': apiKey,
          ...(key && { 'idempotency-key': key }),
        },
        body: JSON.stringify({ tenantAlias: alias, ...fields }),
        signal: AbortSignal.timeout(answerWithinMs),
      });
      return { status: answer.status, body: await answer.json() };
    } catch {
      return undefined;
    }
  };
}

/** The fields of an intent for a customer and a price that are made for it. */
async function prepareOrder(send: Send): Promise<object> {
  const customer = (await send(...buildFields({ kind: 'customers', marker: 'payer' })))?.body;
  const { product, prices } = (await send(...buildFields({ kind: 'products', marker: 'ordered' })))!.body;
  return {
    customerId: customer.id,
    associatedCustomerId: customer.associatedId,
    productId: product.id,
    priceId: prices[0].id,
    receiptUrl: 'https://example.com/thanks',
  };
}

function buildFields({ kind, marker }: Write, order: object = {}): [path: string, fields: object] {
  if (kind === 'customers') {
    const names = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' };
    return ['/customers', { ...names, associatedId: marker }];
  }
  if (kind === 'intents') return ['/subscriptions/intent', { ...order, orderNumber: marker }];
  const prices = [{ details: { amount: 50, currency: 'usd' } }];
  return ['/products', { name: marker, description: '', prices }];
}
