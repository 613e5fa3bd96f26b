/**
 * Parses PostgreSQL addresses with several servers, as libpq does
 * (https://www.postgresql.org/docs/current/libpq-connect.html, 34.1.1.2 and 34.1.1.3). node-postgres accepts one server
 * per address, so this file splits the list and leaves the rest of the address to node-postgres.
 */

const sessionAttributes = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const;

/** The role that a server must have. */
export type SessionAttribute = (typeof sessionAttributes)[number];

/** One server of an address. */
export interface PostgresServer {
  /** The address of this server alone, for node-postgres. */
  url: string;
  /** Its host and port, for messages. */
  name: string;
}

export interface PostgresAddress {
  /** At least one, in the order in which they are tried. */
  servers: PostgresServer[];
  attribute: SessionAttribute;
  /** The timeout for connecting to each server, if the address sets it; 0 means none. */
  connectTimeoutMs?: number;
}

const form = /^(postgres(?:ql)?):\/\/([^/?]*@)?([^/?@]*)(\/[^?]*)?(?:\?(.*))?$/s;
const hostForm = /^(\[[0-9a-fA-F:.%]+\]|[^:[\]]*)(?::(\d*))?$/;
const defaultPort = '5432';
const ours = ['host', 'port', 'target_session_attrs', 'connect_timeout', 'load_balance_hosts'];

/**
 * Parses an address. `unset` is the role required of several servers if the address does not set one. Throws an Error
 * that describes the fault without the password.
 */
export function parsePostgresAddress(address: string, unset: SessionAttribute = 'any'): PostgresAddress {
  const [, scheme, user = '', hostList = '', path = '', query = ''] = form.exec(address) ?? [];
  if (scheme === undefined) throw new Error('must be postgres://user:password@host:port/database');
  const given = new URLSearchParams(query);
  // Parts of a password with a character that should have been encoded would be taken for a host and a port.
  if ([path, ...given.keys()].some((part) => part.includes('@')))
    throw new Error('has an @ after its host: encode the characters / ? # and @ of a password');
  const hosts = parseHosts(hostList, given);
  const rest = new URLSearchParams([...given].filter(([name]) => !ours.includes(name)));
  const servers = hosts.map(({ host, port }) => {
    const isSocket = host.startsWith('/');
    const own = new URLSearchParams(rest);
    if (isSocket) {
      own.set('host', host);
      own.set('port', port);
    }
    const place = isSocket ? '' : `${host}:${port}`;
    const search = own.size > 0 ? `?${own.toString()}` : '';
    return { url: `${scheme}://${user}${place}${path}${search}`, name: `${host}:${port}` };
  });
  return {
    servers,
    attribute: parseSessionAttribute(given, servers.length > 1 ? unset : 'any'),
    connectTimeoutMs: parseTimeout(given),
  };
}

interface Place {
  host: string;
  port: string;
}

/** The parameters `host` and `port` override the host list; there is one port for all hosts or one for each. */
function parseHosts(hostList: string, given: URLSearchParams): Place[] {
  const places = hostList.split(',').map((each) => {
    const [, host, port] = hostForm.exec(each) ?? [];
    if (host === undefined)
      throw new Error('has an invalid host: encode the characters / ? # and @ of a password');
    return { host: decodeURIComponent(host), port };
  });
  const hosts = given.get('host')?.split(',') ?? places.map(({ host }) => host);
  const listed = given.get('port')?.split(',');
  const ports = listed ?? (given.has('host') ? [places[0]!.port] : places.map(({ port }) => port));
  if (ports.length !== 1 && ports.length !== hosts.length) {
    throw new Error(
      `has ${hosts.length} hosts and ${ports.length} ports: there must be one port, or one for each`,
    );
  }
  return hosts.map((host, index) => {
    const port = ports[ports.length === 1 ? 0 : index] || defaultPort;
    if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535) {
      throw new Error(`has an invalid port: ${port}`);
    }
    return { host: host || 'localhost', port };
  });
}

function parseSessionAttribute(given: URLSearchParams, unset: SessionAttribute): SessionAttribute {
  const attribute = given.get('target_session_attrs') ?? unset;
  const known = sessionAttributes.find((each) => each === attribute);
  if (!known) {
    throw new Error(
      `has target_session_attrs=${attribute}, which must be one of ${sessionAttributes.join(', ')}`,
    );
  }
  if ((given.get('load_balance_hosts') ?? 'disable') !== 'disable') {
    throw new Error('has load_balance_hosts, which must be disable: servers are tried in their order');
  }
  return known;
}

function parseTimeout(given: URLSearchParams): number | undefined {
  const seconds = given.get('connect_timeout');
  if (seconds === null) return undefined;
  if (!/^\d{1,6}$/.test(seconds))
    throw new Error('has a connect_timeout that is not a whole number of seconds');
  return Number(seconds) * 1000;
}

/**
 * Removes the password from an address, also from its parameters, so that it can be shown. A password that should have
 * been encoded may contain any character, so all up to the last @ is removed.
 */
export const redactPassword = (address: string): string =>
  address
    .replace(/(:\/\/[^:@/?#]*):.*@/s, '$1:…@')
    .replace(/([?&])([^=&]*)=([^&]*)/g, (whole, begin: string, name: string) =>
      /password/i.test(decodeText(name)) ? `${begin}${name}=…` : whole,
    );

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
