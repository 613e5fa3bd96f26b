import { Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { Perennial, PerennialError } from '@perennial/sdk';
import { perennialRoute } from '@perennial/sdk/hono';
import { createWebhookHandler } from '@perennial/sdk/webhooks';
import { addAccount, findAccount, findPlan, handledEvents, keepPlan, type Bindings } from './store';

const app = new Hono<{ Bindings: Bindings }>();

const billing = (env: Bindings) => new Perennial({ url: env.BILLING_URL, key: env.API_KEY });

/** Returns who calls, by their key. */
async function requireAccount(env: Bindings, authorization: string | undefined) {
  const account = await findAccount(env.STORE, (authorization ?? '').replace(/^Bearer /, ''));
  if (!account)
    throw new HTTPException(401, { message: 'Send the key of POST /signup: "Authorization: Bearer …"' });
  return account;
}

/** Creates a customer: their key, and the page on which they pay for the plan. */
app.post('/signup', async (c) => {
  const { email, firstName, lastName } = await c.req.json();
  const perennial = billing(c.env);
  const customer = await perennial.customers.create({
    associatedId: crypto.randomUUID(),
    email,
    firstName,
    lastName,
  });
  const [product] = await perennial.products.list({ name: 'Words' }).first(1);
  if (!product) throw new HTTPException(503, { message: 'Run npm run setup' });
  const intent = await perennial.intents.create({
    customerId: customer.id,
    productId: product.id,
    priceId: product.prices[0].id,
    receiptUrl: `${c.env.WORKER_URL}/thanks`,
  });
  const key = `words_${crypto.randomUUID()}`;
  await addAccount(c.env.STORE, key, { customerId: customer.id });
  return c.json({ key, paymentUrl: intent.paymentUrl }, 201);
});

app.get('/thanks', (c) => c.text('Thank you. Your key works now.'));

/** Counts the words of a text. The most that it can have is reserved, and what it has is used. */
app.post('/count', async (c) => {
  const { customerId } = await requireAccount(c.env, c.req.header('authorization'));
  const perennial = billing(c.env);
  const text = await c.req.text();
  const most = Math.max(1, Math.ceil(text.length / 2));
  const { id } = await perennial.entitlements.reserve({
    customerId,
    feature: 'words',
    amount: String(most),
    ttlSeconds: 60,
  });
  const words = text.match(/\p{L}+/gu)?.length ?? 0;
  await perennial.reservations.settle(id, { amount: String(words) });
  return c.json({ words });
});

app.get('/usage', async (c) => {
  const { customerId } = await requireAccount(c.env, c.req.header('authorization'));
  const { used, limit, resetsAt } = await billing(c.env).entitlements.check({ customerId, feature: 'words' });
  return c.json({ plan: await findPlan(c.env.STORE, customerId), used, limit, resetsAt });
});

/** Receives webhooks, and creates sessions for a page of the customer. */
app.post('/perennial', (c) => {
  const webhooks = createWebhookHandler({ secret: c.env.WEBHOOK_SECRET, store: handledEvents(c.env.STORE) })
    .on('subscription.created', ({ data: { payload } }) =>
      keepPlan(c.env.STORE, payload.object.customerId, payload.object.productName),
    )
    .on('subscription.cancelled', ({ data: { payload } }) =>
      keepPlan(c.env.STORE, payload.object.customerId, null),
    );
  return perennialRoute<typeof c>({
    perennial: billing(c.env),
    webhooks,
    customer: (context) => requireAccount(context.env, context.req.header('authorization')),
  })(c);
});

/** Refusals of the billing server reach the caller with their reason. */
app.onError((error, c) => {
  if (error instanceof HTTPException) return c.json({ error: error.message }, error.status);
  if (error instanceof PerennialError && error.status >= 400 && error.status < 500)
    return c.json({ error: error.message, reason: error.reason }, error.status === 409 ? 402 : 400);
  console.error(error);
  return c.json({ error: 'This could not be done. Try again.' }, 503);
});

export default app;
