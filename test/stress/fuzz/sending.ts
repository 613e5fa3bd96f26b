import { connect } from 'node:net';
import { catalogue, type Reason } from '../../../src/lib/errors.ts';
import { broken, type FuzzRequest } from './requests.ts';

export interface Reply {
  /** 0 if the connection was closed without a response. */
  status: number;
  text: string;
  ms: number;
  isHung: boolean;
}

const hungAfterMs = 5000;
const closesAfterMs = 300;

/** Sends the bytes of a request with its damage. Returns the response. */
export function send(port: number, request: FuzzRequest, apiKey: string): Promise<Reply> {
  const bytes = encodeRequest(request, apiKey);
  const begun = performance.now();
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    let isHung = false;
    const timer = setTimeout(() => {
      isHung = true;
      socket.destroy();
    }, hungAfterMs);
    socket.on('connect', () => void socket.write(bytes));
    // What has lost its end would be waited for. To close earlier would be to give up what is still being answered.
    const closing =
      request.damage?.where === 'all' ? setTimeout(() => void socket.end(), closesAfterMs) : undefined;
    socket.on('data', (chunk) => void chunks.push(chunk));
    socket.on('end', () => void socket.destroy());
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      clearTimeout(closing);
      const whole = Buffer.concat(chunks).toString('utf8');
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(whole)?.[1] ?? 0);
      resolve({ status, text: parseBody(whole), ms: performance.now() - begun, isHung });
    });
  });
}

function encodeRequest({ method, path, headers, body, damage }: FuzzRequest, apiKey: string): Buffer {
  const content = Buffer.from(body ?? '');
  const sent = damage?.where === 'body' ? broken(content, damage) : content;
  const all: Record<string, string> = {
    host: '127.0.0.1',
    connection: 'close',
    'api-key': apiKey,
    ...(body !== undefined && { 'content-type': 'application/json', 'content-length': String(sent.length) }),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const whole = Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), sent]);
  return damage?.where === 'all' ? broken(whole, damage) : whole;
}

function parseBody(whole: string): string {
  const at = whole.indexOf('\r\n\r\n');
  if (at < 0) return '';
  const [head, body] = [whole.slice(0, at), whole.slice(at + 4)];
  if (!/transfer-encoding: chunked/i.test(head)) return body;
  return body.replace(/[0-9a-f]+\r\n/gi, '').replaceAll('\r\n', '');
}

/** The fault of a response; undefined for a correct one. */
export function findFault(request: FuzzRequest, { status, text, isHung }: Reply): string | undefined {
  if (isHung) return 'no answer';
  if (status >= 500) return `${status}`;
  // Damaged bytes may have no response, and HEAD has no body.
  if (status === 0) return request.damage?.where === 'all' ? undefined : 'closed without an answer';
  const isOpen = request.damage?.where === 'all';
  if (text === '') return request.method === 'HEAD' || isOpen ? undefined : 'no body';
  let body: any;
  try {
    body = JSON.parse(text);
  } catch {
    // A request that accepts HTML gets the explorer.
    const isPage = status === 200 && text.startsWith('<!doctype html>');
    return isOpen || isPage ? undefined : 'no JSON';
  }
  if (body.errors) return faultOfErrors(body.errors);
  if (status < 400) return undefined;
  const reason = body.body?.reason as Reason;
  if (catalogue[reason]?.status !== status || body.body.code !== status) return `${status} is ${reason}`;
  return undefined;
}

function faultOfErrors(errors: any[]): string | undefined {
  for (const { message, extensions } of errors) {
    const reason = extensions?.reason as Reason;
    if (!catalogue[reason] || typeof message !== 'string') return `an error is ${reason}: ${message}`;
    if (catalogue[reason].status >= 500) return `an error is ${reason}`;
    if (extensions.code !== reason.toUpperCase()) return `an error is ${extensions.code}`;
  }
  return undefined;
}
