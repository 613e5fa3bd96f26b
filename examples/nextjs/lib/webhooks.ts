import { createWebhookHandler } from '@perennial/sdk/webhooks';
import { handledEvents, keepPlan } from './database';
import { readSetting } from './settings';

/** Receives the events of the billing server, and keeps which plan each customer has. */
export function createWebhooks() {
  const webhooks = createWebhookHandler({ secret: readSetting('WEBHOOK_SECRET'), store: handledEvents });
  for (const name of [
    'subscription.created',
    'subscription.updated',
    'subscription.upgraded',
    'subscription.downgraded',
    'subscription.cancelled',
  ] as const)
    webhooks.on(name, ({ data, sequence }) => {
      const { id, customerId, productName, cancelledAt } = data.payload.object;
      const ended = cancelledAt !== null;
      return keepPlan({ subscriptionId: id, customerId, name: productName, ended, sequence });
    });
  return webhooks;
}
