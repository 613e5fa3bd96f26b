/** Passwords with codes: what is accepted once, what is refused alike, and how often. */
import { generateSync } from 'otplib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startApp, type Answer, type TestApp } from '../../support/app.ts';
import { stoppedClock, type TestClock } from '../../support/clock.ts';
import { consoleHeaders, postConsole, signInOperator, type TestOperator } from '../../support/operators.ts';

const signIn = 'mutation ($input: SignInWithPasswordInput!) { signInWithPassword(input: $input) { id } }';
const stepUp = 'mutation ($input: StepUpWithPasswordInput!) { stepUpWithPassword(input: $input) { id } }';
const setPassword =
  'mutation ($input: SetPasswordInput!) { setPassword(input: $input) { hasPassword hasTotp } }';
const startTotp = 'mutation { startTotp { secret url } }';
const finishTotp = 'mutation ($code: String!) { finishTotp(input: { code: $code }) { codes } }';
const password = 'correct horse battery';
const getReason = ({ body }: Answer) => body.errors?.[0]?.extensions.reason;

let app: TestApp;
let clock: TestClock;
let operator: TestOperator;
let secret: string;
let recoveryCodes: string[];

beforeAll(async () => {
  clock = stoppedClock('2026-03-01T00:00:00Z');
  const passwordCost = { N: 2 ** 10, r: 8, p: 1 };
  app = await startApp({ rateLimitPerSecond: '100000', trustProxy: '1' }, { clock, passwordCost });
  await app.tenant({ alias: 'acme' });
});
afterAll(() => app.close());

const getCode = () => generateSync({ secret, epoch: Math.floor(clock.nowMs() / 1000) });
let addresses = 0;
const fromElsewhere = () => ({
  ...consoleHeaders,
  'x-forwarded-for': `10.0.${(addresses += 1) >> 8}.${addresses & 255}`,
});
const enter = (input: object, headers = fromElsewhere()) =>
  postConsole(app, signIn, { input: { email: operator.email, password, ...input } }, headers);

beforeEach(async () => {
  operator = await signInOperator(app, { tenant: 'acme' });
  await operator.post(setPassword, { input: { password } });
  ({ secret } = (await operator.post(startTotp)).body.data.startTotp);
  recoveryCodes = (await operator.post(finishTotp, { code: getCode() })).body.data.finishTotp.codes;
  clock.advance(30_000);
});

describe('a sign-in', () => {
  it('needs the password and a code, in any letter case of the address', async () => {
    const { body, headers } = await enter({ email: ` ${operator.email.toUpperCase()}`, code: getCode() });
    expect(body).toEqual({ data: { signInWithPassword: { id: operator.id } } });
    expect(headers['set-cookie']).toMatch(/^perennial_operator=[\w-]{43};/);
  });

  it.each<[name: string, input: () => object]>([
    ['an unknown address', () => ({ email: 'nobody@example.com', code: getCode() })],
    ['a wrong password', () => ({ password: 'wrong horse battery', code: getCode() })],
    ['no code', () => ({})],
    ['a wrong code', () => ({ code: '000000' })],
    ['an old code', () => ({ code: generateSync({ secret, epoch: clock.nowMs() / 1000 - 120 }) })],
    ['a wrong recovery code', () => ({ code: '0000-0000-0000-0000' })],
    ['an empty password', () => ({ password: '', code: getCode() })],
    ['a long password', () => ({ password: `${password}${'x'.repeat(1000)}`, code: getCode() })],
    ['a hostile address', () => ({ email: "' or 1=1 --", code: getCode() })],
  ])('is refused alike for %s', async (_, input) => {
    const { body, headers, status } = await enter(input());
    expect({ body, status }).toEqual({
      status: 200,
      body: {
        errors: [
          expect.objectContaining({
            message: 'The sign-in failed: the link, passkey, password or code is wrong, used or expired.',
            extensions: { reason: 'sign_in_failed', code: 'SIGN_IN_FAILED', status: 401 },
          }),
        ],
        data: { signInWithPassword: null },
      },
    });
    expect(headers['set-cookie']).toBeUndefined();
  });

  it('accepts a code once, also in 10 requests at the same time', async () => {
    const code = getCode();
    const answers = await Promise.all(Array.from({ length: 9 }, () => enter({ code })));
    expect(answers.filter(({ body }) => body.data?.signInWithPassword)).toHaveLength(1);
  });

  it('accepts each recovery code once', async () => {
    const [first, second] = recoveryCodes;
    expect(recoveryCodes).toHaveLength(10);
    expect(getReason(await enter({ code: first!.toUpperCase().replaceAll('-', ' ') }))).toBeUndefined();
    expect(getReason(await enter({ code: first }))).toBe('sign_in_failed');
    expect(getReason(await enter({ code: second }))).toBeUndefined();
    const { body } = await operator.post('{ operator { recoveryCodesLeft } }');
    expect(body.data.operator.recoveryCodesLeft).toBe(8);
  });

  it('is limited for an account, known or not, and for an address', async () => {
    for (const email of [operator.email, 'unknown@example.com']) {
      const answers = [];
      for (let attempt = 0; attempt < 11; attempt++) answers.push(await enter({ email, code: '000000' }));
      expect(answers.map(getReason)).toEqual([...Array(10).fill('sign_in_failed'), 'rate_limited']);
    }
    const headers = fromElsewhere();
    const reasons = [];
    const start = 'mutation { startPasskeySignIn { challengeId } }';
    for (let attempt = 0; attempt < 31; attempt++)
      reasons.push(getReason(await postConsole(app, start, {}, headers)));
    expect(reasons.indexOf('rate_limited')).toBe(30);
  });
});

describe('a password', () => {
  it.each(['', 'short', 'eleven chars'.slice(0, 11), 'x'.repeat(257)])('%j is refused', async (given) => {
    expect(getReason(await operator.post(setPassword, { input: { password: given } }))).toBe(
      'validation_failed',
    );
  });

  it('ends the other sessions when it changes', async () => {
    const other = await signInOperator(app, { email: operator.email });
    await operator.post(setPassword, { input: { password: 'another good password' } });
    expect(getReason(await other.post('{ operator { id } }'))).toBe('sign_in_required');
    expect(getReason(await operator.post('{ operator { id } }'))).toBeUndefined();
  });

  it('without an authenticator app does not sign in', async () => {
    const other = await signInOperator(app);
    await other.post(setPassword, { input: { password } });
    expect(getReason(await enter({ email: other.email }))).toBe('sign_in_failed');
  });

  it('and its code repeat the sign-in', async () => {
    clock.advance(10 * 60 * 1000);
    expect(getReason(await operator.post(startTotp))).toBe('step_up_required');
    expect(getReason(await operator.post(stepUp, { input: { password, code: '000000' } }))).toBe(
      'sign_in_failed',
    );
    expect(getReason(await operator.post(stepUp, { input: { password, code: getCode() } }))).toBeUndefined();
    expect(getReason(await operator.post(startTotp))).toBeUndefined();
  });

  it('and the secret of the app are not stored in plain form', async () => {
    const text = JSON.stringify(await app.service.store.fresh.select('operators', { where: {} }));
    for (const plain of [password, secret, ...recoveryCodes]) expect(text).not.toContain(plain);
  });

  it('has a hash of 32 MiB and three rounds in production', async () => {
    const production = await startApp();
    const other = await signInOperator(production);
    await other.post(setPassword, { input: { password } });
    const operators = await production.service.store.fresh.select('operators', { where: {} });
    expect(operators.map(({ passwordHash }) => passwordHash)).toEqual([
      expect.stringMatching(/^scrypt:32768:8:3:/),
    ]);
    await production.close();
  });
});

describe('the first credential', () => {
  const laterMs = 10 * 60 * 1000 + 1;
  const read = '{ operator { needsCredential hasPassword } }';
  const create = 'mutation { createRecoveryCodes { codes } }';
  const remove = 'mutation { removePassword { id } }';

  it('of a session that a link began needs no repeated sign-in, and counts as one', async () => {
    const other = await signInOperator(app);
    clock.advance(laterMs);
    expect((await other.post(read)).body.data.operator).toEqual({
      needsCredential: true,
      hasPassword: false,
    });
    expect(getReason(await other.post(create))).toBe('step_up_required');
    expect(getReason(await other.post(remove))).toBe('step_up_required');
    expect(getReason(await other.post(setPassword, { input: { password } }))).toBeUndefined();
    expect((await other.post(read)).body.data.operator).toEqual({ needsCredential: true, hasPassword: true });
    // A password alone repeats no sign-in.
    expect(getReason(await other.post(create))).toBe('step_up_required');
    const started = (await other.post(startTotp)).body.data.startTotp;
    const code = generateSync({ secret: started.secret, epoch: Math.floor(clock.nowMs() / 1000) });
    expect(getReason(await other.post(finishTotp, { code: '000000' }))).toBe('sign_in_failed');
    expect(getReason(await other.post(create))).toBe('step_up_required');
    expect((await other.post(finishTotp, { code })).body.data.finishTotp.codes).toHaveLength(10);
    expect((await other.post(read)).body.data.operator).toEqual({
      needsCredential: false,
      hasPassword: true,
    });
    expect(getReason(await other.post(create))).toBeUndefined();
    clock.advance(laterMs);
    expect(getReason(await other.post(setPassword, { input: { password } }))).toBe('step_up_required');
  });

  it('is no way for a session of another kind, nor beside a credential, nor twice in one request', async () => {
    clock.advance(laterMs);
    const linked = await signInOperator(app, { email: operator.email });
    const cookie = String((await enter({ code: getCode() })).headers['set-cookie']).split(';')[0]!;
    await linked.post(remove);
    clock.advance(laterMs);
    const answer = await postConsole(app, read, {}, { ...consoleHeaders, cookie });
    expect(answer.body.data.operator).toEqual({ needsCredential: false, hasPassword: false });
    const change = { input: { password: 'another good password' } };
    expect(getReason(await postConsole(app, setPassword, change, { ...consoleHeaders, cookie }))).toBe(
      'step_up_required',
    );
    await linked.post(setPassword, { input: { password } });
    const started = (await linked.post(startTotp)).body.data.startTotp;
    const code = generateSync({ secret: started.secret, epoch: Math.floor(clock.nowMs() / 1000) });
    await linked.post(finishTotp, { code });
    const late = await signInOperator(app, { email: operator.email });
    clock.advance(laterMs);
    expect(getReason(await late.post(startTotp))).toBe('step_up_required');
    expect(getReason(await late.post(setPassword, change))).toBe('step_up_required');
    expect((await late.post(read)).body.data.operator.needsCredential).toBe(false);
    expect(getReason(await late.post('mutation { signOut }'))).toBeUndefined();
  });
});
