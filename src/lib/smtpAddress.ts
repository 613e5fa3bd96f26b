/** The address of a mail server: `smtps://user:password@host:465` or `smtp://user:password@host:587`. */
export interface SmtpAddress {
  host: string;
  port: number;
  /** TLS from the start; otherwise STARTTLS. */
  secure: boolean;
  /** Whether nothing is sent without TLS; switched off with `?tls=off`. */
  requireTls: boolean;
  /** Null for a server without authentication. */
  auth: { user: string; pass: string } | null;
}

const form = /^smtps?:\/\/[^\s\p{Cc}\\#]+$/iu;
const ports = { 'smtps:': 465, 'smtp:': 587 };

/** Parses the address of a mail server. Throws an Error whose message says what is wrong, without the password. */
export function parseSmtpAddress(text: string): SmtpAddress {
  if (!form.test(text) || !URL.canParse(text)) throw new Error('must be smtps:// or smtp:// and a host');
  const url = new URL(text);
  const { protocol, hostname, port, pathname, searchParams } = url;
  if (!hostname || port === '0') throw new Error('must have a host, and a port other than 0');
  if (pathname !== '' && pathname !== '/') throw new Error('must have no path');
  const unknown = [...searchParams.keys()].find((name) => name !== 'tls');
  if (unknown !== undefined) throw new Error(`has the unknown parameter ${unknown}`);
  const tls = searchParams.get('tls') ?? 'on';
  if (tls !== 'on' && tls !== 'off') throw new Error('must have tls=on or tls=off');
  const secure = protocol === 'smtps:';
  if (secure && tls === 'off') throw new Error('must be smtp:// with tls=off');
  return {
    host: decodeURIComponent(hostname.replace(/^\[|\]$/g, '')),
    port: port === '' ? ports[protocol as keyof typeof ports] : Number(port),
    secure,
    requireTls: tls === 'on',
    auth: readAuth(url),
  };
}

function readAuth({ username, password }: URL): SmtpAddress['auth'] {
  if (username === '' && password === '') return null;
  let auth;
  try {
    auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  } catch {
    throw new Error('must have a percent-encoded user name and password');
  }
  if (/\p{Cc}/u.test(auth.user + auth.pass)) throw new Error('must not contain control characters');
  return auth;
}
