import { callbackify } from 'node:util';
import pg from 'pg';
import type { PostgresAddress, PostgresServer, SessionAttribute } from '../../lib/postgresAddress.ts';

/** The connection timeout of each of several servers; a single server has the pool's timeout. */
const timeoutOfEachMs = 2000;
/** For this long, a server that could not be reached is tried after the others. */
const avoidedMs = 10_000;

/** The role that a server reports. */
interface ServerRole {
  isStandby: boolean;
  isReadOnly: boolean;
}

const roleQuery = `SELECT pg_is_in_recovery() AS "isStandby",
  current_setting('transaction_read_only') = 'on' AS "isReadOnly"`;

const suits: Record<SessionAttribute, (role: ServerRole) => boolean> = {
  any: () => true,
  'read-write': ({ isStandby, isReadOnly }) => !isStandby && !isReadOnly,
  'read-only': ({ isStandby, isReadOnly }) => isStandby || isReadOnly,
  primary: ({ isStandby }) => !isStandby,
  standby: ({ isStandby }) => isStandby,
  'prefer-standby': ({ isStandby }) => isStandby,
};

/** The server responded and refused the user, the password or the database, as the other servers would. */
const refused = /^(28|3D)/;

/** None of the servers of an address can be used. Its code is that of a failed connection. */
class NoServer extends Error {
  readonly code = '08001';
}

/** Returns the connection timeout (ms) of an address whose servers are tried one after another. */
export function computeConnectTimeout(
  { servers, attribute, connectTimeoutMs }: PostgresAddress,
  singleServerMs: number,
) {
  if (isPlain({ servers, attribute })) return connectTimeoutMs ?? singleServerMs;
  return (connectTimeoutMs ?? timeoutOfEachMs) * (servers.length + 1);
}

const isPlain = ({ servers, attribute }: Pick<PostgresAddress, 'servers' | 'attribute'>) =>
  servers.length === 1 && attribute === 'any';

/**
 * Returns the client class of an address. If the address has several servers or restricts the server's role, each new
 * connection goes to the first suitable server: after a failover, to the new primary.
 */
export function createClientClass(address: PostgresAddress): typeof pg.Client {
  if (isPlain(address)) return pg.Client;
  const failedAtMs = new Map<PostgresServer, number>();
  return class extends pg.Client {
    // The two overloads differ in their parameters and results.
    override connect(callback?: any): any {
      const connected = chooseServer(address, failedAtMs).then(({ host, port }) => {
        Object.assign(this, { host, port });
        return super.connect();
      });
      return callback ? callbackify(() => connected)(callback) : connected;
    }
  };
}

interface Place {
  host: string;
  port: number;
}

/** Finds the first server that can be reached and has the role the address requires. */
async function chooseServer(
  { servers, attribute, connectTimeoutMs = timeoutOfEachMs }: PostgresAddress,
  failedAtMs: Map<PostgresServer, number>,
): Promise<Place> {
  const nowMs = performance.now();
  const isAvoided = (server: PostgresServer) => nowMs - (failedAtMs.get(server) ?? -Infinity) < avoidedMs;
  const inOrder = [...servers.filter((each) => !isAvoided(each)), ...servers.filter(isAvoided)];
  const problems: string[] = [];
  let other: Place | undefined;
  for (const server of inOrder) {
    try {
      const { place, role } = await inspectServer(server, connectTimeoutMs);
      failedAtMs.delete(server);
      if (suits[attribute](role)) return place;
      if (attribute === 'prefer-standby') other ??= place;
      problems.push(`${server.name} is ${describeRole(role)}`);
    } catch (error) {
      const { code = '', message } = error as Error & { code?: string };
      if (refused.test(code)) throw error;
      failedAtMs.set(server, nowMs);
      problems.push(`${server.name}: ${message || code}`);
    }
  }
  if (other) return other;
  const wanted = attribute === 'any' ? '' : ` and is ${attribute}`;
  throw new NoServer(`No server can be reached${wanted} (${problems.join('; ')})`);
}

const describeRole = ({ isStandby, isReadOnly }: ServerRole) =>
  isStandby ? 'a standby' : isReadOnly ? 'a primary that is read-only' : 'a primary';

/** Connects to a server and reads the role it reports. */
async function inspectServer({ url }: PostgresServer, timeoutMs: number) {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    application_name: 'perennial',
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<ServerRole>(roleQuery);
    return { place: { host: client.host, port: client.port }, role: rows[0]! };
  } finally {
    // An unresponsive server does not confirm the end of the connection.
    client.end().catch(() => {});
  }
}
