import type { CreateCustomerSessionInput } from './generated/types.ts';
import type { Perennial } from './perennial.ts';
import type { WebhookHandler } from './webhookHandler.ts';

/** Who is signed in at the adopter's site, and what their page may do. */
export type SignedIn = CreateCustomerSessionInput;

/** The settings of a route; `Source` is what the framework hands over. */
export interface RouteOptions<Source> {
  perennial: Perennial;
  /** Returns the customer who is signed in; null for nobody. Nothing that the page sends may choose the customer. */
  customer: (source: Source) => SignedIn | null | Promise<SignedIn | null>;
  /** Receives the messages that are sent to the route. */
  webhooks?: WebhookHandler;
}

/** What a route answers. */
interface Answer {
  status: number;
  body: string;
  type: string;
}

const answerJson = (status: number, value: unknown): Answer => ({
  status,
  body: JSON.stringify(value),
  type: 'application/json',
});

/** Whether a request is the message of an endpoint; otherwise it is of a page. */
export const isWebhook = (readHeader: (name: string) => string | null | undefined): boolean =>
  typeof readHeader('webhook-signature') === 'string';

/** Creates a session of the customer who is signed in: `{token, expiresAt}`. */
export async function answerPage<Source>(
  { perennial, customer }: RouteOptions<Source>,
  source: Source,
  readHeader: (name: string) => string | null | undefined,
): Promise<Answer> {
  // Pages of other sites have no business here; browsers without this header are covered by cookies with SameSite.
  if (readHeader('sec-fetch-site') === 'cross-site') return answerJson(403, { error: 'cross_site' });
  const signedIn = await customer(source);
  if (!signedIn) return answerJson(401, { error: 'not_signed_in' });
  const { token, expiresAt } = await perennial.customerSessions.create(signedIn);
  return answerJson(200, { token, expiresAt });
}

/** Answers a request of the web. */
export async function answerRequest<Source>(
  options: RouteOptions<Source>,
  request: Request,
  source: Source,
): Promise<Response> {
  const readHeader = (name: string) => request.headers.get(name);
  if (isWebhook(readHeader)) {
    return options.webhooks ? options.webhooks.fetch(request) : new Response('not found', { status: 404 });
  }
  const { status, body, type } = await answerPage(options, source, readHeader);
  return new Response(body, { status, headers: { 'content-type': type, 'cache-control': 'no-store' } });
}
