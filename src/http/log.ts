import { LogController, type FastifyReply, type FastifyRequest } from 'fastify';
import { redactKeys } from '../lib/redaction.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The tenant of the API key, after authentication. */
    tenantAlias?: string;
    /** The trace id of the request's changes. */
    traceId?: string;
    /** The GraphQL operation, for example `query customers`. */
    operation?: string;
    /**
     * The REST route, for example `GET /api/v1/customers`. The route sets it, because reading it from Fastify takes
     * 0.5 µs.
     */
    routeName?: string;
  }
}

/**
 * Logs one line for each completed request. The line contains the route pattern, but neither the address nor
 * headers, which may contain keys and personal data.
 */
export class RequestLog extends LogController {
  private readonly isWanted: boolean;

  /** `isWanted`: whether the log level includes these lines; if not, they are not built. */
  constructor(isWanted: boolean) {
    super();
    this.isWanted = isWanted;
  }

  override incomingRequest(): void {}

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply) {
    if (!this.isWanted) return;
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 1000) / 1000,
        tenant: request.tenantAlias,
        operation: request.operation,
        ...(error && { failure: redactKeys(error.message) }),
      },
      'request',
    );
  }

  override streamError(error: Error, _: FastifyRequest, reply: FastifyReply): void {
    reply.log.warn({ failure: redactKeys(error.message) }, 'response aborted');
  }

  override writeHeadError(error: Error, _: FastifyRequest, reply: FastifyReply): void {
    reply.log.warn({ failure: redactKeys(error.message) }, 'response could not be sent');
  }
}
