import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** A request as it goes over the wire. */
export interface Sent {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** The response of a request, and how long other requests waited meanwhile. */
interface Watched {
  status: number;
  /** The first characters of the answer. */
  text: string;
  bytes: number;
  tookMs: number;
  /** The longest that `/livez` took while the request was served. */
  waitedMs: number;
}

const program = `
const { parentPort, workerData: url } = require('node:worker_threads');
const http = require('node:http');
const ask = ({ method, path, headers, body }) => new Promise((resolve, reject) => {
  const request = http.request(url + path, { method, headers }, (response) => {
    let bytes = 0;
    let text = '';
    response.on('data', (data) => {
      bytes += data.length;
      if (text.length < 4000) text += data.toString('latin1');
    });
    response.on('end', () => resolve({ status: response.statusCode, text: text.slice(0, 4000), bytes }));
  });
  request.on('error', reject);
  request.end(body);
});
parentPort.on('message', async (sent) => {
  let over = false;
  let waitedMs = 0;
  const watch = async () => {
    while (!over) {
      const sentAt = performance.now();
      await ask({ method: 'GET', path: '/livez', headers: {} }).catch(() => {});
      waitedMs = Math.max(waitedMs, performance.now() - sentAt);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  };
  const watching = watch();
  const started = performance.now();
  const answer = await ask(sent).catch((error) => ({ status: 0, text: String(error), bytes: 0 }));
  const tookMs = performance.now() - started;
  over = true;
  await watching;
  parentPort.postMessage({ ...answer, tookMs, waitedMs });
});
`;

/** Sends requests to a server from another thread, which asks `/livez` all the while. */
export function startWatcher(url: string) {
  const worker = new Worker(program, { eval: true, workerData: url });
  return {
    send: async (sent: Sent) => {
      worker.postMessage(sent, []);
      const [watched] = await once(worker, 'message');
      return watched as Watched;
    },
    stop: () => worker.terminate(),
  };
}
