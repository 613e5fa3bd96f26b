/** Passkeys: what a forged, replayed or foreign response of an authenticator is refused for. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type Answer, type TestApp } from '../../support/app.ts';
import { createAuthenticator, type Tricks } from '../../support/authenticator.ts';
import { consoleHeaders, postConsole, signInOperator, type TestOperator } from '../../support/operators.ts';

const origin = 'http://localhost:4000';
const startRegistration = 'mutation { startPasskeyRegistration { id: challengeId options } }';
const finishRegistration = `mutation ($input: FinishPasskeyRegistrationInput!) {
  finishPasskeyRegistration(input: $input) { passkeys { id name isBackedUp lastUsedAt } } }`;
const startSignIn = 'mutation { startPasskeySignIn { id: challengeId options } }';
const finishSignIn =
  'mutation ($input: FinishPasskeySignInInput!) { finishPasskeySignIn(input: $input) { id } }';
const startStepUp = 'mutation { startPasskeyStepUp { id: challengeId options } }';
const finishStepUp =
  'mutation ($input: FinishPasskeyStepUpInput!) { finishPasskeyStepUp(input: $input) { id steppedUpUntil } }';
const getReason = ({ body }: Answer) => body.errors?.[0]?.extensions.reason;

let app: TestApp;
let offsetMs = 0;

beforeAll(async () => {
  app = await startApp({ rateLimitPerSecond: '100000' }, { clock: { nowMs: () => Date.now() + offsetMs } });
  await app.tenant({ alias: 'acme' });
});
afterAll(() => app.close());

/** Signs in with another IP address each time: attempts are limited by address. */
let address = 0;
const fromElsewhere = () => ({ ...consoleHeaders, 'x-forwarded-for': `10.0.0.${(address += 1)}` });

async function register(operator: TestOperator, tricks?: Tricks) {
  const authenticator = createAuthenticator(origin);
  const { id: challengeId, options } = (await operator.post(startRegistration)).body.data
    .startPasskeyRegistration;
  const response = authenticator.create(options, tricks);
  const answer = await operator.post(finishRegistration, {
    input: { challengeId, response, name: 'Laptop' },
  });
  return { authenticator, answer, challengeId, response };
}

async function begin() {
  const { body } = await postConsole(app, startSignIn, {}, fromElsewhere());
  return body.data.startPasskeySignIn as { id: string; options: any };
}

const finish = (challengeId: string, response: unknown) =>
  postConsole(app, finishSignIn, { input: { challengeId, response } });

describe('a passkey', () => {
  it('signs in without a name, with a new session', async () => {
    const operator = await signInOperator(app, { tenant: 'acme' });
    const { authenticator, answer } = await register(operator);
    expect(answer.body.data.finishPasskeyRegistration.passkeys).toMatchObject([
      { name: 'Laptop', isBackedUp: false, lastUsedAt: null },
    ]);
    const { id, options } = await begin();
    expect(options).toMatchObject({ rpId: 'localhost', userVerification: 'required' });
    expect(options.allowCredentials ?? []).toEqual([]);
    const signedIn = await finish(id, authenticator.get(options));
    expect(signedIn.body).toEqual({ data: { finishPasskeySignIn: { id: operator.id } } });
    expect(signedIn.headers['set-cookie']).toMatch(/^perennial_operator=[\w-]{43}; Path=\//);
    expect(String(signedIn.headers['set-cookie'])).not.toContain(operator.cookie.split('=')[1]);
  });

  it.each<[name: string, tricks: Tricks]>([
    ['of another origin', { origin: 'https://evil.example' }],
    ['of another port', { origin: 'http://localhost:9' }],
    ['of another domain', { rpId: 'evil.example' }],
    ['for another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
    ['without a verified user', { flags: 0x01 }],
    ['without a present user', { flags: 0x04 }],
    ['with an old counter', { counter: 1 }],
    ['of another user', { userHandle: Buffer.from('opr_other').toString('base64url') }],
  ])('is refused %s', async (_, tricks) => {
    const operator = await signInOperator(app, { tenant: 'acme' });
    const { authenticator } = await register(operator);
    const { id, options } = await begin();
    const answer = await finish(id, authenticator.get(options, tricks));
    expect(getReason(answer), answer.text).toBe('sign_in_failed');
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  it.each<[name: string, tricks: Tricks]>([
    ['of another origin', { origin: 'https://evil.example' }],
    ['of another domain', { rpId: 'evil.example' }],
    ['without a verified user', { flags: 0x41 }],
    ['for another challenge', { challenge: Buffer.alloc(32).toString('base64url') }],
  ])('is not registered %s', async (_, tricks) => {
    const operator = await signInOperator(app, { tenant: 'acme' });
    const { answer } = await register(operator, tricks);
    expect(getReason(answer)).toBe('validation_failed');
  });

  it('signs in once with one response, also in 20 requests at the same time', async () => {
    const operator = await signInOperator(app, { tenant: 'acme' });
    const { authenticator } = await register(operator);
    const { id, options } = await begin();
    const response = authenticator.get(options);
    const answers = await Promise.all(Array.from({ length: 20 }, () => finish(id, response)));
    expect(answers.filter(({ body }) => body.data?.finishPasskeySignIn)).toHaveLength(1);
    const other = await begin();
    expect(getReason(await finish(other.id, response))).toBe('sign_in_failed');
  });

  it('expires with its challenge', async () => {
    const operator = await signInOperator(app, { tenant: 'acme' });
    const { authenticator } = await register(operator);
    const { id, options } = await begin();
    offsetMs += 5 * 60 * 1000;
    expect(getReason(await finish(id, authenticator.get(options)))).toBe('sign_in_failed');
  });

  it('of one operator neither steps up nor is removed by another', async () => {
    const [mine, theirs] = [await signInOperator(app), await signInOperator(app)];
    const { answer } = await register(theirs);
    const { authenticator } = await register(mine);
    const { id: challengeId, options } = (await theirs.post(startStepUp)).body.data.startPasskeyStepUp;
    const input = { challengeId, response: authenticator.get(options) };
    expect(getReason(await theirs.post(finishStepUp, { input }))).toBe('sign_in_failed');
    const [{ id }] = answer.body.data.finishPasskeyRegistration.passkeys;
    const remove = 'mutation ($id: ID!) { removePasskey(id: $id) { id } }';
    expect(getReason(await mine.post(remove, { id }))).toBe('passkey_not_found');
    expect((await theirs.post(remove, { id })).body.data.removePasskey.id).toBe(theirs.id);
  });

  it('repeats the sign-in, which opens what needs a recent one', async () => {
    const operator = await signInOperator(app, { tenant: 'acme' });
    const { authenticator } = await register(operator);
    offsetMs += 10 * 60 * 1000;
    expect(getReason(await operator.post(startRegistration))).toBe('step_up_required');
    const { id: challengeId, options } = (await operator.post(startStepUp)).body.data.startPasskeyStepUp;
    const input = { challengeId, response: authenticator.get(options) };
    const { body } = await operator.post(finishStepUp, { input });
    expect(Date.parse(body.data.finishPasskeyStepUp.steppedUpUntil)).toBeGreaterThan(Date.now() + offsetMs);
    expect(getReason(await operator.post(startRegistration))).toBeUndefined();
  });

  it.each([
    {},
    { id: 1 },
    { id: 'x' },
    { id: [], response: null },
    { id: 'x', response: { userHandle: {} } },
    { __proto__: null, id: "' or 1=1", rawId: 'x', type: 'public-key', response: { clientDataJSON: '%%%' } },
  ])('hostile response %j', async (response) => {
    const { id } = await begin();
    expect(getReason(await finish(id, response))).toBe('sign_in_failed');
    const operator = await signInOperator(app);
    const { id: challengeId } = (await operator.post(startRegistration)).body.data.startPasskeyRegistration;
    const answer = await operator.post(finishRegistration, { input: { challengeId, response } });
    expect(getReason(answer)).toBe('validation_failed');
  });
});
