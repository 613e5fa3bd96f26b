import type { AppOptions } from '../../src/app/app.ts';
import { startApp, type Answer, type TestApp } from './app.ts';
import { apiKey, startFakeMollie, type FakeMollie } from './fakeMollie.ts';
import { inject } from './world.ts';

export interface MollieApp {
  app: TestApp;
  mollie: FakeMollie;
  /** Calls the webhook as Mollie does. */
  deliver(id: string, path?: string): Promise<Answer>;
  close(): Promise<void>;
}

/** The app with Mollie as its provider, by the real SDK, and the server that plays Mollie. */
export async function startMollieApp(settings: object = {}, outside: AppOptions = {}): Promise<MollieApp> {
  const mollie = await startFakeMollie();
  const given = {
    payments: 'mollie',
    mollieUrl: mollie.url,
    mollieApiKey: apiKey,
    publicUrl: 'https://billing.example',
    rateLimitPerSecond: '10000',
    ...settings,
  };
  const app = await startApp(given, outside);
  const deliver = (id: string, path = 'mollie') =>
    inject(app, {
      method: 'POST',
      url: `/callbacks/${path}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: new URLSearchParams({ id }).toString(),
    });
  const close = async () => {
    await app.close();
    mollie.close();
  };
  return { app, mollie, deliver, close };
}
