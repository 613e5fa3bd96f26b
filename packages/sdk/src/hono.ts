import { answerRequest, type RouteOptions } from './route.ts';

export type { SignedIn } from './route.ts';

/** What a handler has of the context of Hono. */
export interface HonoContext {
  req: { raw: Request };
}

/**
 * Returns a handler of Hono, which creates sessions for the pages of a customer and receives webhooks:
 * `app.post('/perennial', perennialRoute({ perennial, customer, webhooks }))`.
 */
export const perennialRoute =
  <Context extends HonoContext>(options: RouteOptions<Context>): ((context: Context) => Promise<Response>) =>
  (context) =>
    answerRequest(options, context.req.raw, context);
