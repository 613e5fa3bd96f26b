import { Server as TcpServer, type Socket } from 'node:net';
import type { Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const pollMs = 20;

/** Whether the server is ready for new requests, and whether it accepts connections. */
export interface ServerState {
  retiring: boolean;
  acceptsConnections: boolean;
}

/** Stops a server without breaking connections. */
interface ConnectionTracker {
  /**
   * Stops accepting connections and waits until the open ones have closed, for at most `graceMs`. Node's `close`
   * would also close idle connections at once, even if a request is already in transit on them.
   */
  stopListening(graceMs: number): Promise<void>;
  /**
   * Closes the connections on which nothing was sent. Browsers open some in advance, and Node's `close` waits for their
   * first request until the limit for its headers.
   */
  closeUnused(): void;
}

/** Keeps the open connections of a server from its start. */
export function watchConnections(server: Server): ConnectionTracker {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return {
    stopListening: async (graceMs) => {
      if (!server.listening) return;
      TcpServer.prototype.close.call(server);
      const untilMs = performance.now() + graceMs;
      while (open.size > 0 && performance.now() < untilMs) await pause(pollMs);
    },
    closeUnused: () => {
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    },
  };
}
