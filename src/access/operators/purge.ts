import { addMs } from '../../lib/time.ts';
import { ServerScope, type ServerParts } from '../../tenancy/serverScope.ts';
import { dayMs } from '../../lib/durations.ts';

const keptSessionsMs = 30 * dayMs;
const rowsPerBatch = 200;

/**
 * Deletes links and ceremonies a day after they expired and sessions 30 days after they ended, in batches; returns how
 * many were deleted.
 */
export async function purgeOperators(service: ServerParts): Promise<number> {
  const server = new ServerScope(service);
  const now = server.now();
  return (
    (await purge(server, 'operatorLinks', addMs(now, -dayMs))) +
    (await purge(server, 'operatorChallenges', addMs(now, -dayMs))) +
    (await purge(server, 'operatorSessions', addMs(now, -keptSessionsMs)))
  );
}

async function purge(
  server: ServerScope,
  table: 'operatorLinks' | 'operatorChallenges' | 'operatorSessions',
  before: string,
): Promise<number> {
  const expired = await server.read.many(table, {
    where: { expiresAt: { before } },
    orderBy: ['expiresAt', 'id'],
    limit: rowsPerBatch,
  });
  if (expired.length === 0) return 0;
  return server.write((unit) => unit.remove(table, { id: expired.map(({ id }) => id) }));
}
