import type { FastifyInstance, FastifyRequest } from 'fastify';

/** A request that has been answered. */
interface Observed {
  /** The route (`GET /api/v1/customers`), or what GraphQL was asked for (`query customers`). */
  operation: string;
  status: number;
  seconds: number;
  request: FastifyRequest;
}

export type Observe = (observed: Observed) => void;

/** Tells the observers of each request, when it has been answered. */
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

/** Never an address: there are as many of those as clients can think of. */
function nameOperation(request: FastifyRequest): string {
  const known = request.operation ?? request.routeName;
  if (known !== undefined) return known;
  const { url } = request.routeOptions;
  return url === undefined ? 'unknown' : `${request.method} ${url}`;
}
