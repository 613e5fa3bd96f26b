export { Perennial } from './perennial.ts';
export { defineCatalog } from './catalog.ts';
export type { CatalogFile } from './catalog.ts';
export type { Graphql, GraphqlOptions } from './createGraphql.ts';
export {
  AuthenticationError,
  ConflictError,
  ConnectionError,
  InvalidRequestError,
  NotFoundError,
  ApprovalRequiredError,
  PaymentError,
  PerennialError,
  PermissionError,
  RateLimitError,
  ServerError,
} from './errors.ts';
export type { Issue } from './errors.ts';
export { Money } from './money.ts';
export type { MoneyLike } from './money.ts';
export type { Reason } from './generated/reasons.ts';
export type * from './options.ts';
export type * from './generated/types.ts';
export type {
  SubscriptionContract as Subscription,
  SubscriptionIntent as Intent,
} from './generated/types.ts';
