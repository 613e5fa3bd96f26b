import type { FastifyInstance, FastifyRequest } from 'fastify';

/** A completed request. */
interface Observed {
  /** The route (`GET /api/v1/customers`) or the GraphQL operation (`query customers`). */
  operation: string;
  status: number;
  seconds: number;
  request: FastifyRequest;
}

export type Observe = (observed: Observed) => void;

/** Calls the observers after each completed request. */
export function observeRequests(server: FastifyInstance, observers: Observe[]): void {
  if (observers.length === 0) return;
  server.addHook('onResponse', (request, reply, done) => {
    const observed = {
      operation: nameOperation(request),
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1000,
      request,
    };
    for (const observe of observers) observe(observed);
    done();
  });
}

/** Names a request by its route. The address itself is never used, because clients can send any number of them. */
function nameOperation(request: FastifyRequest): string {
  const known = request.operation ?? request.routeName;
  if (known !== undefined) return known;
  const { url } = request.routeOptions;
  return url === undefined ? 'unknown' : `${request.method} ${url}`;
}
