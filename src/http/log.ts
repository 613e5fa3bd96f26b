import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { LogController, type FastifyReply, type FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** The tenant of the request's key, once that is known. */
    tenantAlias?: string;
  }
}

/**
 * One line for each request, when it has been answered. It holds the pattern of the route and not the address
 * that was asked for, nor any header: those may carry keys and personal data.
 */
export class RequestLog extends LogController {
  override incomingRequest(): void {}

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply) {
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 1000) / 1000,
        tenant: request.tenantAlias,
        ...(error && { failure: error.message }),
      },
      'request',
    );
  }

  override streamError(error: Error, _: FastifyRequest, reply: FastifyReply): void {
    reply.log.warn({ failure: error.message }, 'the answer broke off');
  }

  override writeHeadError(error: Error, _: FastifyRequest, reply: FastifyReply): void {
    reply.log.warn({ failure: error.message }, 'the answer could not be sent');
  }
}

const statusOfCode: Record<string, number> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 };

/** Answers what is no HTTP request. The log is not told: the bytes, which the error holds, may carry a key. */
export function answerBrokenRequest({ code }: NodeJS.ErrnoException, socket: Socket): void {
  if (socket.writable && code !== 'ECONNRESET') {
    const status = statusOfCode[code ?? ''] ?? 400;
    socket.write(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`,
    );
  }
  socket.destroy();
}
