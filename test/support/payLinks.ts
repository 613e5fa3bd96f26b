import { buildPaymentPath } from '../../src/tenancy/paymentLinks.ts';
import type { TestApp } from './app.ts';

/** Returns the path of an intent's payment page, as a client with the permission reads it from `paymentUrl`; without a token for an unknown id. */
export async function payPath({ service }: Pick<TestApp, 'service'>, intentId: string): Promise<string> {
  const [intent] = await service.store.fresh.select('intents', { where: { id: intentId }, limit: 1 });
  if (!intent) return `/pay/${intentId}`;
  return buildPaymentPath({ sign: (text) => service.secretBox.sign(text, intent.tenantAlias)! }, intentId);
}
