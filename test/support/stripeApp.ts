import type { AppOptions } from '../../src/app/app.ts';
import { startApp, type Answer, type TestApp } from './app.ts';
import { secretKey, startFakeStripe, webhookSecret, type FakeStripe, type Signed } from './fakeStripe.ts';

export interface StripeApp {
  app: TestApp;
  stripe: FakeStripe;
  /** Delivers a callback as Stripe would. */
  deliver(signed: Signed, provider?: string): Promise<Answer>;
  close(): Promise<void>;
}

/** The app with Stripe as its standard provider, by the real SDK, and the server that plays Stripe. */
export async function startStripeApp(settings: object = {}, outside: AppOptions = {}): Promise<StripeApp> {
  const stripe = await startFakeStripe();
  const given = {
    payments: 'stripe',
    stripeUrl: stripe.url,
    stripeSecretKey: secretKey,
    stripeWebhookSecret: webhookSecret,
    publicUrl: 'https://billing.example',
    rateLimitPerSecond: '10000',
    ...settings,
  };
  const app = await startApp(given, outside);
  const deliver = async ({ body, signature }: Signed, provider = 'stripe') => {
    const headers = { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature };
    const answer = await app.server.inject({
      method: 'POST',
      url: `/callbacks/${provider}`,
      headers,
      payload: body,
    });
    const { statusCode: status, headers: answered, body: text } = answer;
    return { status, headers: answered, text, body: JSON.parse(text) };
  };
  const close = async () => {
    await app.close();
    stripe.close();
  };
  return { app, stripe, deliver, close };
}
