import { Server as TcpServer } from 'node:net';
import type { Server } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const lookMs = 20;

/** Whether the server still wants to be sent requests, and takes connections. */
export interface ServerState {
  retiring: boolean;
  takesConnections: boolean;
}

/** Counts the open connections of a server, and stops it in a way that breaks none of them. */
interface Stopping {
  /**
   * Takes no more connections, and waits until those that there are have ended, for at most so long. Node's own `close`
   * would at once break those that just sit between two requests, although the next may be on its way already.
   */
  stopListening(graceMs: number): Promise<void>;
}

/** Watches the connections of a server from its start. */
export function watchConnections(server: Server): Stopping {
  let open = 0;
  server.on('connection', (socket) => {
    open += 1;
    socket.once('close', () => (open -= 1));
  });
  return {
    stopListening: async (graceMs) => {
      if (!server.listening) return;
      TcpServer.prototype.close.call(server);
      const untilMs = performance.now() + graceMs;
      while (open > 0 && performance.now() < untilMs) await pause(lookMs);
    },
  };
}
