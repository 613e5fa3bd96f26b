/** What servers record in the database for the commands beside them, whose user may not read the service's settings. */
import type { Store } from '../storage/store.ts';
import { ServerScope, type ServerParts } from './serverScope.ts';

const publicUrlId = 'public_url';

/** Records the address at which browsers reach this server. Of several servers, the latest start counts. */
export async function recordPublicUrl(service: ServerParts, publicUrl: string): Promise<void> {
  const server = new ServerScope(service);
  const known = await server.read.one('serverSettings', { id: publicUrlId });
  if (known?.value === publicUrl) return;
  await server.write(async (unit) => {
    const row = { id: publicUrlId, value: publicUrl, updatedAt: unit.now } as const;
    // Read again: another server may have started meanwhile.
    if (await unit.one('serverSettings', { id: publicUrlId }))
      await unit.update('serverSettings', { id: publicUrlId }, row);
    else await unit.insert('serverSettings', row);
  });
}

/** Returns the recorded address, or undefined if no server has recorded one. */
export async function readPublicUrl({ fresh }: Pick<Store, 'fresh'>): Promise<string | undefined> {
  const [row] = await fresh.select('serverSettings', { where: { id: publicUrlId }, limit: 1 });
  return row?.value;
}
