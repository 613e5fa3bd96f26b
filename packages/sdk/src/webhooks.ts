export type { WebhookEvent, Trace } from './event.ts';
export type * from './generated/events.ts';
export { verifyWebhook, WebhookVerificationError } from './verify.ts';
export type { AnyWebhookEvent, HeadersLike, VerifyOptions } from './verify.ts';
export { createWebhookHandler, memoryStore } from './webhookHandler.ts';
export type {
  HandlerOptions,
  NodeRequest,
  NodeResponse,
  WebhookHandler,
  WebhookStore,
} from './webhookHandler.ts';
