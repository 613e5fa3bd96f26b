import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { scratchDatabase, type Scratch } from './engines.ts';
import { secretKey, startFakeStripe, webhookSecret, type FakeStripe } from './fakeStripe.ts';
import { perennial } from './cli.ts';
import { call, serve, type Running } from './program.ts';

/** The program on a database of its own, beside a Stripe whose answers can be held back. */
export interface Killable {
  scratch: Scratch;
  stripe: FakeStripe;
  settings: Record<string, string>;
  /** The process that serves now. */
  running: () => Running;
  /** Serves again, after the process has ended. */
  restart: () => Promise<void>;
  send: (path: string, body: object, key?: string) => Promise<any>;
  /** Performs an operation; answers its root field, or throws its errors. */
  graphql: (query: string, variables: object, key?: string) => Promise<any>;
  /** Starts requests, ends the program while Stripe has one of each, and waits for their end. */
  interrupt: (path: string, works: (() => Promise<unknown>)[], end: () => unknown) => Promise<void>;
  /** The rows of a query, as text. */
  rows: (query: string) => Promise<string[][]>;
  /** The idempotency keys of requests without an outcome. */
  listUnderWay: () => Promise<string[][]>;
  /** What doctor finds, and its exit code. */
  examine: () => Promise<{ code: unknown; findings: { check: string; subject: string }[] }>;
  close: () => Promise<void>;
}

/** Sends again what is still under way, as a client does; returns the last answer. */
export async function repeat(work: () => Promise<any>): Promise<any> {
  for (;;) {
    const answer = await work();
    const reason = answer.body?.reason ?? answer.errors?.[0]?.extensions.reason;
    if (reason !== 'request_in_flight') return answer;
    await pause(100);
  }
}

/** Serves a tenant `acme` whose payers pay with Stripe. The program must be built. */
export async function openKillable(): Promise<Killable> {
  const scratch = await scratchDatabase();
  const stripe = await startFakeStripe();
  const settings = {
    PERENNIAL_DATABASE: scratch.url.replace(/lock_timeout=\d+/, 'lock_timeout=5000'),
    PERENNIAL_PAYMENTS: 'stripe',
    PERENNIAL_STRIPE_URL: stripe.url,
    PERENNIAL_STRIPE_SECRET_KEY: secretKey,
    PERENNIAL_STRIPE_WEBHOOK_SECRET: webhookSecret,
    PERENNIAL_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    PERENNIAL_PUBLIC_URL: 'https://billing.example',
  };
  const { apiKey } = await call(['tenant', 'create', 'acme'], settings);
  let running = await serve(settings);

  const send = async (path: string, body: object, key?: string) => {
    const answer = await fetch(running.url + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'api-key': apiKey,
        ...(key && { 'idempotency-key': key }),
      },
      body: JSON.stringify(body),
    });
    return (await answer.json()) as any;
  };
  const rows = async (query: string) =>
    (await scratch.backdoor.all(query)).map((row) => Object.values(row).map(String));
  return {
    scratch,
    stripe,
    settings,
    running: () => running,
    restart: async () => {
      running = await serve(settings);
    },
    send,
    graphql: async (query, variables, key) => {
      const { data, errors } = await send('/graphql', { query, variables }, key);
      if (errors) throw new Error(JSON.stringify(errors));
      return Object.values(data)[0];
    },
    interrupt: async (path, works, end) => {
      const before = stripe.requests.length;
      const countArrived = () =>
        stripe.requests.slice(before).filter((each) => each.split(' ')[1] === path).length;
      const release = stripe.hold(path);
      const first = works.map((work) => work().catch(() => 'cut off'));
      await expect.poll(countArrived).toBe(works.length);
      await end();
      await running.ended;
      release();
      await Promise.all(first);
    },
    rows,
    listUnderWay: () => rows('SELECT idempotency_key FROM idempotency WHERE outcome IS NULL'),
    examine: async () => {
      const { code, json } = await perennial(undefined, ['doctor', '--json'], settings);
      return { code, findings: json.findings };
    },
    close: async () => {
      running.process.kill('SIGKILL');
      await running.ended;
      stripe.close();
      await scratch.drop();
    },
  };
}
