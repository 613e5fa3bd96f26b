/** A proxy before a server that loses requests and answers. */
import { once } from 'node:events';
import { createServer, request as sendRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * What becomes of a request: it passes; it is lost before the server has it; its answer is lost, or half of it; or the proxy
 * says that the server is not available, although it has made the change.
 */
export type Fate = 'pass' | 'lost' | 'cut' | 'half' | 'unavailable';

export interface CuttingProxy {
  url: string;
  /** How many requests had each fate. */
  counts: Record<Fate, number>;
  /** Ends the connections of live events. */
  cutStreams(): void;
  close(): Promise<void>;
}

/** Starts a proxy before `target`; `choose` says what becomes of the next request. */
export async function startCuttingProxy(
  target: string,
  choose: (request: IncomingMessage) => Fate,
): Promise<CuttingProxy> {
  const counts: Record<Fate, number> = { pass: 0, lost: 0, cut: 0, half: 0, unavailable: 0 };
  const streams = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    const fate = choose(request);
    counts[fate] += 1;
    if (fate === 'lost') {
      request.socket.destroy();
      return;
    }
    void forward(target, request, response, fate, streams).catch(() => request.socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    cutStreams: () => {
      for (const stream of streams) stream.destroy();
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function forward(
  target: string,
  request: IncomingMessage,
  response: ServerResponse,
  fate: Fate,
  streams: Set<ServerResponse>,
) {
  const { method, headers, url } = request;
  const onward = sendRequest(new URL(url!, target), { method, headers });
  request.pipe(onward);
  const [answer] = (await once(onward, 'response')) as [IncomingMessage];
  if (answer.headers['content-type']?.startsWith('text/event-stream') && fate === 'pass') {
    response.writeHead(answer.statusCode!, answer.headers);
    answer.pipe(response);
    streams.add(response);
    response.on('close', () => {
      streams.delete(response);
      onward.destroy();
    });
    return;
  }
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part as Buffer);
  const body = Buffer.concat(parts);
  if (fate === 'cut') {
    request.socket.destroy();
    return;
  }
  if (fate === 'unavailable') {
    response.writeHead(503, { 'content-type': 'text/html', 'retry-after': '0' }).end('<h1>Try again</h1>');
    return;
  }
  response.writeHead(answer.statusCode!, answer.headers);
  if (fate === 'pass') response.end(body);
  else response.write(body.subarray(0, body.length / 2), () => request.socket.destroy());
}
