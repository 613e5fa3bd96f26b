/** The guides to billing, followed to their end: commands of the real program, and programs that call the server. */
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { root } from '../sourceFiles.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { perennial } from '../support/cli.ts';
import { engine } from '../support/engines.ts';
import { listen } from '../support/follow.ts';
import { startMailServer } from '../support/mailServer.ts';
import { build } from '../support/program.ts';
import { sampled } from '../support/sample.ts';
import { startStripeApp, type StripeApp } from '../support/stripeApp.ts';
import { startMollieApp } from '../support/mollieApp.ts';
import { emptyFolder, follow } from './guide.ts';

const longestMs = 60_000;

beforeAll(build, longestMs);

/** Follows a guide in a folder where `perennial` is installed, with a copy of what the guides have in common. */
async function read(guide: string, app: TestApp, env: Record<string, string>, stop?: () => Promise<void>) {
  const folder = emptyFolder();
  try {
    copyFileSync(path.join(root, 'docs/guides/billing.mjs'), path.join(folder.path, 'billing.mjs'));
    const bin = path.join(folder.path, 'bin');
    mkdirSync(bin);
    const program = path.join(bin, 'perennial');
    writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${root}/dist/perennial.mjs' "$@"\n`);
    chmodSync(program, 0o755);
    const search = { PATH: `${bin}:${process.env['PATH']}`, PERENNIAL_DATABASE: app.database };
    await follow(guide, folder.path, { ...search, ...env }, { stop });
  } finally {
    folder.remove();
  }
}

const guides = [
  'pricing',
  'usage',
  'changes',
  'discounts',
  'one-off',
  'trials',
  'plan-changes',
  'refunds',
  'approvals',
  'pausing',
  'failed-payments',
  'bank-transfer',
  'invoicing',
  'test-clocks',
  'portal',
];

it.each(sampled(guides, 7))(
  '%s does what it says, and the books add up',
  async (guide) => {
    const app = await startApp();
    const stop = async () => {
      await app.server.close();
      // A file has one owner, which is the next command then.
      if (engine === 'sqlite') await app.service.store.close();
    };
    try {
      await read(`${guide}.md`, app, { BILLING_URL: await listen(app) }, stop);
      const said = await perennial(app.database, ['doctor']);
      expect(said.out).toContain('No problems found.');
    } finally {
      await app.close();
    }
  },
  longestMs,
);

it(
  'mail leads to a mail that a mail server accepts',
  async () => {
    const server = await startMailServer();
    const app = await startApp(
      { smtpUrl: server.url, mailFrom: 'billing@sender.example' },
      { scheduler: true },
    );
    try {
      await read('mail.md', app, { BILLING_URL: await listen(app) });
      expect(server.mails.map(({ to, from }: any) => [to.text, from.text])).toEqual([
        ['you@example.com', '"shop" <billing@sender.example>'],
      ]);
    } finally {
      await app.close();
      await server.close();
    }
  },
  longestMs,
);

/** What was charged at Stripe, in minor units. */
const listCharges = ({ stripe }: StripeApp) =>
  stripe.moved.map(({ kind, amount, currency }) => `${kind} ${amount} ${currency}`);

it(
  'stripe leads to charges at Stripe, and its callback completes what the payer confirmed',
  async () => {
    const running = await startStripeApp();
    const { app, stripe } = running;
    try {
      await read('stripe.md', app, { BILLING_URL: await listen(app) });
      expect(listCharges(running)).toEqual(['charge 1000 usd', 'charge 1000 usd', 'charge 1000 usd']);

      const waiting = [...stripe.intents.values()].filter(({ status }) => status === 'requires_action');
      expect(waiting).toHaveLength(1);
      const confirmed = stripe.finish(waiting[0].id, true);
      const answer = await running.deliver(stripe.callback('payment_intent.succeeded', confirmed));
      expect(answer.status, answer.text).toBe(200);
      const client = await app.key('shop', 'read');
      const { subscriptions } = await client.graphql('{ subscriptions { nodes { status } } }');
      expect(subscriptions.nodes).toEqual([{ status: 'active' }, { status: 'active' }]);
    } finally {
      await running.close();
    }
  },
  longestMs,
);

it(
  'mollie leads from the page of Mollie to a subscription that is renewed',
  async () => {
    const running = await startMollieApp();
    const { app, mollie } = running;
    // The payer, who pays what is open.
    const paying = setInterval(() => {
      for (const { id, status } of mollie.payments.values()) {
        if (status !== 'open') continue;
        mollie.finish(id);
        void running.deliver(id);
      }
    }, 500);
    try {
      await read('mollie.md', app, { BILLING_URL: await listen(app) });
      expect([...mollie.payments.values()].map(({ status, amount }) => [status, amount.value])).toEqual([
        ['paid', '10.00'],
        ['paid', '10.00'],
      ]);
    } finally {
      clearInterval(paying);
      await running.close();
    }
  },
  longestMs,
);
