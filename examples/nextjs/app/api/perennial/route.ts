import { perennialRoute } from '@perennial/sdk/next';
import { billing } from '@/lib/billing';
import { readUser } from '@/lib/user';
import { createWebhooks } from '@/lib/webhooks';

let route: ReturnType<typeof perennialRoute> | undefined;

/** Creates the sessions of the account page, and receives webhooks. */
export const POST = (request: Request) =>
  (route ??= perennialRoute({
    perennial: billing(),
    webhooks: createWebhooks(),
    customer: async () => {
      const user = await readUser();
      return user
        ? {
            customerId: user.customerId,
            allow: ['subscribe', 'change_subscription', 'cancel_subscription'],
          }
        : null;
    },
  })).POST(request);
