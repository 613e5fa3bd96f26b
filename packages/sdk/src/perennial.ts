import { wrapSend, type Graphql } from './createGraphql.ts';
import { createFollow } from './follow.ts';
import type { Resources } from './generated/types.ts';
import { addResources } from './methods.ts';
import type { PerennialOptions } from './options.ts';
import { createSend } from './request.ts';

/**
 * A client of a Perennial server. Its methods are the operations of the schema by resource: `customers.create`,
 * `subscriptions.cancel`. A mutation is performed once, however often it is repeated.
 */
export interface Perennial extends Resources {
  readonly graphql: Graphql;
}

/** Creates clients. */
export const Perennial = function (this: object, options: PerennialOptions) {
  if (!new.target) throw new TypeError('Perennial needs new');
  if (!options.url) throw new TypeError('new Perennial() needs the url of the server');
  if (!options.key) throw new TypeError('new Perennial() needs a key');
  const send = createSend(options);
  addResources(this, send, createFollow(options));
  Object.defineProperty(this, 'graphql', { value: wrapSend(send) });
} as unknown as new (options: PerennialOptions) => Perennial;
