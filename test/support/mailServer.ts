/** A real mail server that keeps the mails it accepts. */
import type { AddressInfo } from 'node:net';
import { simpleParser, type ParsedMail } from 'mailparser';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface MailServer {
  port: number;
  url: string;
  /** The accepted mails, in order. */
  mails: ParsedMail[];
  /** The sources of the accepted mails. */
  sources: string[];
  /** Every attempt to send to an address. */
  attempts: string[];
  /** How it replies to a recipient from now on: undefined accepts it. */
  reply: (how: (address: string, attempt: number) => string | undefined) => void;
  /** How it replies to a message that it has read. */
  replyToMessage: (how: (attempt: number) => string | undefined) => void;
  close(): Promise<void>;
}

/** Builds the error that makes the server reply with a line such as `550 5.1.1 unknown`. */
function buildReply(line: string): Error {
  const error: Error & { responseCode?: number } = new Error(line.slice(4));
  error.responseCode = Number(line.slice(0, 3));
  return error;
}

/** Starts a mail server on the loopback address, without TLS unless the options have it. */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const [mails, sources, attempts]: [ParsedMail[], string[], string[]] = [[], [], []];
  let reply: Parameters<MailServer['reply']>[0] = () => undefined;
  let replyToMessage: Parameters<MailServer['replyToMessage']>[0] = () => undefined;
  let messages = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    // Connections of an app that keeps them open end with the server.
    closeTimeout: 1,
    logger: false,
    onRcptTo: ({ address }, _, callback) => {
      attempts.push(address);
      const line = reply(address, attempts.filter((each) => each === address).length);
      callback(line === undefined ? null : buildReply(line));
    },
    onData: (stream, _, callback) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const line = replyToMessage(++messages);
        if (line !== undefined) return callback(buildReply(line));
        const source = Buffer.concat(chunks);
        simpleParser(source, (error: Error | null, mail) => {
          if (error) return callback(error);
          mails.push(mail);
          sources.push(source.toString('latin1'));
          callback(null, 'queued');
        });
      });
    },
    ...options,
  });
  // A client that breaks a connection is no failure of a test.
  server.on('error', () => {});
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    url: `smtp://127.0.0.1:${port}?tls=off`,
    mails,
    sources,
    attempts,
    reply: (how) => {
      reply = how;
    },
    replyToMessage: (how) => {
      messages = 0;
      replyToMessage = how;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
      }),
  };
}
