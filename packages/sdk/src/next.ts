import { answerRequest, type RouteOptions } from './route.ts';

export type { SignedIn } from './route.ts';

/**
 * Returns the `POST` of a route of Next.js, which creates sessions for the pages of a customer and receives webhooks:
 * `export const { POST } = perennialRoute({ perennial, customer, webhooks })`.
 */
export const perennialRoute = (
  options: RouteOptions<Request>,
): { POST: (request: Request) => Promise<Response> } => ({
  POST: (request) => answerRequest(options, request, request),
});
