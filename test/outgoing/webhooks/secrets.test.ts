/** Secrets that sign: shown once, and never to be found in clear, wherever one looks. */
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { createSecretBox } from '../../../src/lib/secretBox.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { engine } from '../../support/engines.ts';
import { customers, createEndpoint, fetchDeliveries, openReceiver, verify } from './receiver.ts';

let app: TestApp;
afterEach(() => app.close());

const create = `mutation ($input: CreateWebhookEndpointInput!) {
  createWebhookEndpoint(input: $input) { secret endpoint { id } }
}`;
const rotate = 'mutation ($id: ID!) { rotateWebhookSecret(id: $id) { secret } }';
const input = { url: 'https://shop.example/hooks' };

/** All that is on the disk of a SQLite database, its log included; all rows of a PostgreSQL one. */
async function everythingKept(): Promise<string> {
  if (engine === 'postgres') return app.backdoor.dump();
  const folder = path.dirname(app.path);
  return readdirSync(folder)
    .filter((name) => !name.endsWith('.key'))
    .map((name) => readFileSync(path.join(folder, name), 'latin1'))
    .join('\n');
}

/** The forms in which a secret could be seen. */
const listForms = (secret: string) => {
  const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return [
    secret,
    secret.slice('whsec_'.length),
    bytes.toString('hex'),
    bytes.toString('latin1'),
    Buffer.from(secret).toString('base64').slice(0, 40),
  ];
};

describe('a secret', () => {
  it('is in no database, log, trace or response except the one that shows it', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'trace' }, { write: (line) => void lines.push(line) });
    app = await startApp({ webhookAllowPrivate: 'on', logLevel: 'trace' }, { log });
    const client = await app.tenant({ alias: 'acme', test: true, clock: new Date().toISOString() });
    const receiver = await openReceiver();
    const named = { 'idempotency-key': 'once' };
    const url = receiver.url;
    const first = await client.post(create, { input: { url } }, named);
    const { secret, endpoint } = first.body.data.createWebhookEndpoint;
    const again = await client.post(create, { input: { url } }, named);
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotent-replayed']).toBe('true');
    const { rotateWebhookSecret: rotated } = await client.graphql(
      rotate,
      { id: endpoint.id },
      { 'idempotency-key': 'two' },
    );
    await customers(client, 'ada');
    await app.service.dispatcher.deliverDue(app.service, 'acme');
    verify(secret, receiver.received[0]!);
    verify(rotated.secret, receiver.received[0]!);
    const shown = await client.post(`{
      webhookEndpoints { nodes { id url description events query active disabledReason previousSecretUntil } }
      traces(first: 100) { nodes { activityType payload } }
      deliveries { nodes { id type attempts { error } } }
    }`);
    expect(shown.body.errors).toBeUndefined();
    expect(shown.text).toContain('WebhookEvent');
    expect(await everythingKept()).toContain('sealed:v1:');
    const places = {
      kept: await everythingKept(),
      logged: lines.join(''),
      shown: shown.text,
      delivered: receiver.received.map(({ text }) => text).join(''),
    };
    for (const each of [secret, rotated.secret]) {
      for (const [place, text] of Object.entries(places)) {
        for (const form of listForms(each)) expect(text.includes(form), `${place} holds ${form}`).toBe(false);
      }
    }
    for (const column of ['sealedSecret', '"secret"', 'previousSecret"', 'lastSequence', 'hasWebhooks']) {
      expect(shown.text + places.delivered).not.toContain(column);
    }
    await receiver.close();
  });

  it('is encrypted with the key of the settings, and decrypted with no other', async () => {
    const secretKey = randomBytes(32).toString('base64');
    app = await startApp({ webhookAllowPrivate: 'on', secretKey });
    const client = await app.tenant({ alias: 'acme', test: true, clock: new Date().toISOString() });
    const receiver = await openReceiver();
    const { id, secret } = await createEndpoint(client, { url: receiver.url });
    if (app.path) expect(existsSync(`${app.path}.key`)).toBe(false);
    const rows = await app.backdoor.all('select secret from webhook_endpoints');
    const sealed = String(rows[0]!['secret']);
    expect(createSecretBox({ key: secretKey, randomBytes }).open(sealed, 'acme')).toBe(secret);
    expect(() => createSecretBox({ key: secretKey, randomBytes }).open(sealed, 'other')).toThrow();
    const otherKey = randomBytes(32).toString('base64');
    expect(() => createSecretBox({ key: otherKey, randomBytes }).open(sealed, 'acme')).toThrow();
    expect(() =>
      createSecretBox({ key: secretKey, randomBytes }).open(`${sealed.slice(0, -4)}AAA=`, 'acme'),
    ).toThrow();
    // What cannot be opened is not sent unsigned: the try fails, and is made again.
    await app.backdoor.execute(
      `update webhook_endpoints set secret = 'sealed:v1:${Buffer.alloc(60).toString('base64')}'`,
    );
    await customers(client, 'ada');
    await app.service.dispatcher.deliverDue(app.service, 'acme');
    expect(receiver.received).toEqual([]);
    expect(await fetchDeliveries(client, id)).toMatchObject([
      { status: 'pending', attempts: [{ statusCode: null, error: 'internal_error' }] },
    ]);
    await receiver.close();
  });

  it.each(['', 'short', Buffer.alloc(31).toString('base64'), 'x'.repeat(44)])(
    'is not kept with the key %j, which the setting cannot be',
    async (secretKey) => {
      app = await startApp();
      await expect(startApp({ secretKey })).rejects.toThrow(
        'PERENNIAL_SECRET_KEY is invalid: must be 32 bytes',
      );
    },
  );
});

describe('without a key in the settings', () => {
  it.runIf(engine === 'postgres')(
    'PostgreSQL keeps no secret: creating one is refused, and says why',
    async () => {
      app = await startApp({ secretKey: undefined });
      const client = await app.tenant({ alias: 'acme' });
      const { body } = await client.post(create, { input });
      expect(body.errors[0].extensions).toMatchObject({
        reason: 'validation_failed',
        issues: [{ path: 'input', message: expect.stringMatching(/must set PERENNIAL_SECRET_KEY/) }],
      });
      expect(await app.backdoor.all('select * from webhook_endpoints')).toEqual([]);
    },
  );

  it.runIf(engine === 'sqlite')(
    'a key is made beside the file on first need, for its owner alone',
    async () => {
      app = await startApp();
      const client = await app.tenant({ alias: 'acme' });
      const file = `${app.path}.key`;
      await client.graphql('{ webhookEndpoints { nodes { id } } }');
      expect(existsSync(file)).toBe(false);
      const { secret } = await createEndpoint(client, input);
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(Buffer.from(readFileSync(file, 'utf8'), 'base64')).toHaveLength(32);
      expect(readdirSync(path.dirname(file)).filter((name) => name.includes('.key'))).toEqual([
        'test.db.key',
      ]);
      const [row] = await app.backdoor.all('select secret from webhook_endpoints');
      const vault = createSecretBox({ keyFile: file, randomBytes });
      expect(vault.open(String(row!['secret']), 'acme')).toBe(secret);
    },
  );

  it.runIf(engine === 'sqlite')(
    'a key file that is damaged or lost is told of, not replaced in silence',
    async () => {
      app = await startApp();
      const file = `${app.path}.key`;
      writeFileSync(file, 'short');
      expect(() => createSecretBox({ keyFile: file, randomBytes }).seal('a', 'acme')).toThrow(
        'does not hold a key',
      );
      rmSync(file);
      expect(() => createSecretBox({ keyFile: file, randomBytes }).open('sealed:v1:AAAA', 'acme')).toThrow(
        'no key',
      );
      expect(existsSync(file)).toBe(false);
    },
  );
});
