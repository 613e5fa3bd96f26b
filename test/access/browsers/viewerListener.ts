/** Pages that listen to what changes of their customer, over each transport. */
import { WebSocket } from 'ws';
import { page } from './browserApp.ts';

export interface Listening {
  /** What the server sent for the field, in order. */
  events: any[];
  errors: any[];
  /** The close code of a WebSocket, the status of a response that is no stream, or 200 for a stream that has ended. */
  code?: number;
  reason?: string;
  headers?: Headers;
  stop: () => void;
}

interface Wanted {
  query: string;
  origin?: string | null;
  /** Payload of `connection_init` instead of the token. */
  parameters?: unknown;
}

export type Listen = (url: string, token: string, wanted: Wanted) => Listening;

const receive = (listening: Listening, { data, errors }: { data?: any; errors?: any[] }) => {
  if (errors) listening.errors.push(...errors);
  else listening.events.push(Object.values(data)[0]);
};

export const listenBySocket: Listen = (url, token, { query, origin = page, parameters }) => {
  const headers = origin === null ? {} : { origin };
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', { headers });
  const listening: Listening = { events: [], errors: [], stop: () => socket.terminate() };
  const say = (message: unknown) => socket.send(JSON.stringify(message));
  socket.on('error', () => {});
  socket.on('open', () =>
    say({ type: 'connection_init', payload: parameters ?? { authorization: `Bearer ${token}` } }),
  );
  socket.on('message', (text) => {
    const { type, payload } = JSON.parse((text as Buffer).toString());
    if (type === 'connection_ack') say({ id: '1', type: 'subscribe', payload: { query } });
    if (type === 'next') receive(listening, payload);
    if (type === 'error') listening.errors.push(...payload);
  });
  socket.on('close', (code, reason) => Object.assign(listening, { code, reason: String(reason) }));
  return listening;
};

const listenByStream =
  (path: string): Listen =>
  (url, token, { query, origin = page }) => {
    const stopping = new AbortController();
    const listening: Listening = { events: [], errors: [], stop: () => stopping.abort() };
    const run = async () => {
      const response = await fetch(url + path, {
        method: 'POST',
        headers: {
          accept: 'text/event-stream',
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          ...(origin === null ? {} : { origin }),
        },
        body: JSON.stringify({ query }),
        signal: stopping.signal,
      });
      listening.headers = response.headers;
      if (!response.ok) {
        receive(listening, (await response.json()) as { errors: any[] });
        listening.code = response.status;
        return;
      }
      let text = '';
      for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
        text += part;
        const whole = text.split('\n\n');
        text = whole.pop()!;
        for (const each of whole) {
          const [, data] = /^event: next\ndata: (.*)$/s.exec(each) ?? [];
          if (data) receive(listening, JSON.parse(data));
        }
      }
      listening.code = 200;
    };
    run().catch(() => {});
    return listening;
  };

export const transports: [string, Listen][] = [
  ['a WebSocket', listenBySocket],
  ['/graphql/stream', listenByStream('/graphql/stream')],
  ['/graphql with event streams', listenByStream('/graphql')],
];
