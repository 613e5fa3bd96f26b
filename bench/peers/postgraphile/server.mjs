// PostGraphile in library mode with its base preset, on the product's tables in PostgreSQL.
import { createServer } from 'node:http';
import { parseArgs } from 'node:util';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';

const { values } = parseArgs({ options: { database: { type: 'string' }, port: { type: 'string' } } });
const pgl = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString: values.database, schemas: ['public'] })],
  grafserv: { graphiql: false },
  grafast: { explain: false },
});
const server = createServer();
await pgl.createServ(grafserv).addTo(server);
server.listen(Number(values.port), '127.0.0.1');
