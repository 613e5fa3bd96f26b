/** Mail servers: a pool of SMTP connections for each, and how their replies are understood. */
import type { Transporter, SendMailOptions } from 'nodemailer';
import type { SmtpAddress } from '../../lib/smtpAddress.ts';

/** How an attempt ended. */
export type SendResult =
  | { status: 'sent'; response: string }
  /** Tried again later. */
  | { status: 'deferred'; error: string; response: string | null; isServerFault: boolean }
  /** Refused for good; `blocks`: the address accepts no mail at all. */
  | { status: 'refused'; error: string; response: string; blocks: boolean };

/** A connection to a mail server. */
export interface Transport {
  send(message: SendMailOptions, signal: AbortSignal): Promise<SendResult>;
  close(): void;
}

export interface TransportOptions {
  /** The addresses of the host, if they were resolved and checked before. */
  addresses?: string[];
  /** The name in EHLO. */
  name: string;
  maxConnections: number;
}

const connectMs = 10_000;
const silenceMs = 20_000;
const idleMs = 30_000;
const longestResponse = 500;

/** Opens a pool of connections to a mail server; they are made when they are needed. */
export async function openTransport(server: SmtpAddress, options: TransportOptions): Promise<Transport> {
  // Loaded only if mail is sent, because it takes time.
  const { createTransport } = await import('nodemailer');
  const pool: Transporter = createTransport({
    ...describeConnection(server, options),
    pool: true,
    maxConnections: options.maxConnections,
    // The queue of mails repeats an attempt itself.
    maxRequeues: 0,
    idleTimeout: idleMs,
  });
  // A connection that breaks also fails the mail it was sending.
  pool.on('error', () => {});
  return {
    send: async (message, signal) => {
      try {
        const { response } = (await pool.sendMail({ ...message, signal })) as {
          response: string;
        };
        return { status: 'sent', response: shorten(response) };
      } catch (error) {
        return readFailure(error as SmtpError);
      }
    },
    close: () => pool.close(),
  };
}

/**
 * Connects to a mail server and signs in, without sending anything. Returns what failed, as the attempts of mails say it;
 * undefined if the server can be used.
 */
export async function tryServer(
  server: SmtpAddress,
  name: string,
  addresses?: string[],
): Promise<string | undefined> {
  const { createTransport } = await import('nodemailer');
  const connection = createTransport(describeConnection(server, { name, ...(addresses && { addresses }) }));
  try {
    await connection.verify();
    return undefined;
  } catch (error) {
    const failure = readFailure(error as SmtpError);
    return failure.status === 'sent' ? undefined : (failure.response ?? failure.error);
  } finally {
    connection.close();
  }
}

const describeConnection = (
  { host, port, secure, requireTls, auth }: SmtpAddress,
  { addresses, name }: Pick<TransportOptions, 'addresses' | 'name'>,
) => ({
  host: addresses?.[0] ?? host,
  port,
  secure,
  requireTLS: !secure && requireTls,
  ignoreTLS: !secure && !requireTls,
  ...(auth && { auth }),
  name,
  tls: { servername: host, minVersion: 'TLSv1.2' } as const,
  connectionTimeout: connectMs,
  greetingTimeout: connectMs,
  dnsTimeout: connectMs,
  socketTimeout: silenceMs,
  maxResponseSize: 64 * 1024,
  disableFileAccess: true,
  disableUrlAccess: true,
});

/** An error of nodemailer. */
interface SmtpError extends Error {
  code?: string;
  command?: string;
  responseCode?: number;
  response?: string;
}

/** Enhanced status codes (RFC 3463) of an address that does not exist, or has moved without one. */
const deadAddress = /^5\d\d[ -]5\.1\.(?:1|2|3|6|10)\b/;

/**
 * Understands a failure. Only the recipient's refusal (5xx after RCPT TO or the message) is final: an unreachable server, a
 * refused sign-in or sender is the operator's to repair, and the mail waits for that.
 */
function readFailure({ code, command, responseCode, response }: SmtpError): SendResult {
  const said = response === undefined ? null : shorten(response);
  const isRefusal = responseCode !== undefined && responseCode >= 500 && code !== 'EAUTH';
  const isAboutMail = command !== undefined && (command === 'RCPT TO' || command.startsWith('DATA'));
  if (isRefusal && isAboutMail && said !== null)
    return { status: 'refused', error: 'refused', response: said, blocks: isDead(command, said) };
  const error = failures[code ?? ''] ?? (responseCode === undefined ? 'connection_failed' : 'deferred');
  return { status: 'deferred', error, response: said, isServerFault: !isAboutMail };
}

const isDead = (command: string, response: string) => command === 'RCPT TO' && deadAddress.test(response);

const failures: Record<string, string> = {
  EAUTH: 'sign_in_failed',
  EDNS: 'address_unusable',
  ETLS: 'tls_failed',
  ETIMEDOUT: 'timeout',
  EABORT: 'timeout',
};

const shorten = (text: string) =>
  text
    .replace(/\p{Cc}+/gu, ' ')
    .toWellFormed()
    .slice(0, longestResponse)
    .toWellFormed();
