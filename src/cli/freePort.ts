/** The port of a server that may listen on any free one. */
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { baseUrl, type Config } from '../config/config.ts';

/**
 * Returns a configuration with a free port in place of 0, because links contain the port before the server listens. A
 * public URL that was not set follows. An address on which nothing can listen is reported when the server tries.
 */
export async function chooseFreePort(config: Config): Promise<Config> {
  if (config.port !== 0) return config;
  const port = await findFreePort(config.host);
  const isDerived = config.publicUrl === baseUrl(config);
  return { ...config, port, ...(isDerived && { publicUrl: baseUrl({ host: config.host, port }) }) };
}

async function findFreePort(host: string): Promise<number> {
  const server = createServer();
  try {
    await once(server.listen({ host, port: 0 }), 'listening');
    return (server.address() as AddressInfo).port;
  } catch {
    return 0;
  } finally {
    server.close();
  }
}
