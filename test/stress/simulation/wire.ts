import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PaymentProvider } from '../../../src/providers/provider.ts';

/** Calls between the processes of a simulation: JSON over HTTP, with whole numbers of any size. */

const write = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? { bigint: String(each) } : each));

const read = (text: string): unknown =>
  JSON.parse(text, (_, each: unknown) => {
    const isBigint = typeof each === 'object' && each !== null && 'bigint' in each;
    return isBigint ? BigInt(String(each.bigint)) : each;
  });

/** Serves a function on a free port; an error of it is the response 500. Returns its address. */
export async function serveCalls(
  respond: (call: any) => Promise<unknown>,
): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += String(chunk)));
    request.on('end', () => {
      respond(read(text)).then(
        (value) => response.end(write(value ?? null)),
        (error: Error) => {
          response.statusCode = 500;
          response.end(write(error.stack));
        },
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

/** Calls a function that is served elsewhere. Throws its error, or that it is not there. */
export async function call(url: string, value: unknown): Promise<any> {
  const response = await fetch(url, { method: 'POST', body: write(value) });
  const text = await response.text();
  if (!response.ok) throw new Error(String(read(text)));
  return read(text);
}

/** The bank of another process. */
export function reachBank(url: string): PaymentProvider {
  const ask =
    (method: string) =>
    (...args: unknown[]) =>
      call(url, { method, args });
  return {
    name: 'bank',
    start: ask('start'),
    resume: ask('resume'),
    charge: ask('charge'),
    refund: ask('refund'),
  };
}
