import { answerPage, isWebhook, type RouteOptions } from './route.ts';
import type { NodeRequest, NodeResponse } from './webhookHandler.ts';

export type { SignedIn } from './route.ts';

/**
 * Returns a handler of Express, which creates sessions for the pages of a customer and receives webhooks. It goes before
 * `express.json()`: `app.post('/perennial', perennialRoute({ perennial, customer, webhooks }))`.
 */
export const perennialRoute =
  <Request_ extends NodeRequest>(options: RouteOptions<Request_>) =>
  (request: Request_, response: NodeResponse, pass: (error?: unknown) => void): void => {
    answer(options, request, response).catch((error: unknown) => pass(error));
  };

async function answer<Request_ extends NodeRequest>(
  options: RouteOptions<Request_>,
  request: Request_,
  response: NodeResponse,
): Promise<void> {
  const readHeader = (name: string) => {
    const value = request.headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  if (isWebhook(readHeader) && options.webhooks) return options.webhooks.node(request, response);
  const { status, body, type } = isWebhook(readHeader)
    ? { status: 404, body: 'not found', type: 'text/plain' }
    : await answerPage(options, request, readHeader);
  response.statusCode = status;
  response.setHeader('content-type', type);
  response.setHeader('cache-control', 'no-store');
  response.end(body);
}
