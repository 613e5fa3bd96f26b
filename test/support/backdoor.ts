import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import Database from 'better-sqlite3';
import pg from 'pg';
import { isServerTable, tableDeclarations, type TableName } from '../../src/storage/model/rowTypes.ts';

type Line = Record<string, unknown>;

/** Direct access to the database of a test, without the server, alike on both engines. */
export interface Backdoor {
  /** The rows of a query; whole numbers as BigInt on SQLite and text on PostgreSQL. */
  all(query: string): Promise<Line[]>;
  /** Executes a statement without checks of foreign keys. */
  execute(statements: string): Promise<void>;
  /** Every row of every table of tenants, of one tenant or of all, as comparable text. */
  dump(alias?: string): Promise<string>;
  /** Runs work while another connection holds the lock that every write of the tenant needs. */
  whileLocked<T>(alias: string, attempt: () => Promise<T>): Promise<T>;
  /** Spoils a row so that reading it fails. */
  poison(table: string, id: string): Promise<void>;
  /** Copies all records of a tenant except its API keys and operators to another tenant, and replaces the alias in every text. */
  twin(alias: string, twin: string): Promise<void>;
  close(): Promise<void>;
}

/** Every table of tenants with its tenant column. */
const ownedTables = Object.entries(tableDeclarations)
  .filter(([name]) => !isServerTable(name as TableName))
  .map(([name, declared]) => ({
    name: declared.name,
    owner: name === 'tenants' ? 'alias' : 'tenant_alias',
  }));

const copied = ownedTables.filter(
  ({ name }) => !['tenants', 'api_keys', 'operator_memberships'].includes(name),
);
const formatRows = (rows: unknown) =>
  JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? `${value}n` : value), 1);

/**
 * Reads a dump again only if the state of the database has changed: most tests of refusals compare two dumps between
 * which nothing was written. A state of undefined is unknown.
 */
function rememberDumps(
  readState: () => Promise<string | undefined>,
  readTables: (alias?: string) => Promise<string>,
): Backdoor['dump'] {
  const dumps = new Map<string | undefined, { state: string; text: string }>();
  return async (alias) => {
    const state = await readState();
    const known = dumps.get(alias);
    if (known && known.state === state) return known.text;
    const text = await readTables(alias);
    if (state === undefined) dumps.delete(alias);
    else dumps.set(alias, { state, text });
    return text;
  };
}

/** The header of the index of the write-ahead log, https://sqlite.org/walformat.html: each commit counts one up in it. */
const logHeaderBytes = 48;

function readLogState(path: string): string | undefined {
  if (!existsSync(`${path}-shm`)) return undefined;
  const file = openSync(`${path}-shm`, 'r');
  try {
    const header = Buffer.alloc(logHeaderBytes);
    const isWhole = readSync(file, header, 0, logHeaderBytes, 0) === logHeaderBytes;
    return isWhole ? header.toString('hex') : undefined;
  } finally {
    closeSync(file);
  }
}

/** The back door of a SQLite file. */
export function behindSqlite(path: string): Backdoor {
  const within = async <T>(work: (database: Database.Database) => T): Promise<T> => {
    const database = new Database(path);
    database.defaultSafeIntegers(true);
    database.pragma('foreign_keys = OFF');
    try {
      return work(database);
    } finally {
      database.close();
    }
  };
  const execute = async (statements: string) => {
    await within((database) => database.exec(statements));
    // The server's reads of one turn of the event loop share a snapshot.
    await new Promise(setImmediate);
  };
  // Dumps are frequent: their connection stays open, with its statements.
  let kept: { database: Database.Database; readers: TableReader[] } | undefined;
  const readTables = async (alias?: string) => {
    if (!kept) {
      const database = new Database(path, { readonly: true });
      kept = { database, readers: prepareReaders(database) };
    }
    return kept.readers
      .map(({ name, all, own }) => [name, ...(alias === undefined ? all.all() : own.all(alias))].join('\n'))
      .join('\n');
  };
  return {
    all: (query) => within((database) => database.prepare(query).all() as Line[]),
    execute,
    dump: rememberDumps(async () => readLogState(path), readTables),
    whileLocked: async (_, attempt) => {
      const other = new Database(path);
      other.exec('BEGIN IMMEDIATE');
      try {
        return await attempt();
      } finally {
        other.exec('ROLLBACK');
        other.close();
      }
    },
    poison: (table, id) => execute(`update ${table} set metadata = '{' where id = '${id}'`),
    twin: (alias, twin) =>
      within((database) => database.transaction(() => copyRows(database, alias, twin))()),
    close: async () => {
      kept?.database.close();
      kept = undefined;
    },
  };
}

interface TableReader {
  name: string;
  /** The rows of all tenants, and of one; each as the JSON of its values. */
  all: Database.Statement<[], string>;
  own: Database.Statement<[string], string>;
}

/** Prepares the reading of every table. The database writes the JSON, which keeps large integers exact. */
function prepareReaders(database: Database.Database): TableReader[] {
  return ownedTables.map(({ name, owner }) => {
    const columns = database.prepare<[string], string>('select name from pragma_table_info(?)').pluck();
    const values = `json_array(${columns.all(name).join()})`;
    const keyed = database
      .prepare<[string], number>('select wr from pragma_table_list where name = ?')
      .pluck();
    // A table WITHOUT ROWID is read in the order of its key.
    const order = keyed.get(name) === 1 ? '' : 'order by rowid';
    const read = (where: string) => `select ${values} from ${name} ${where} ${order}`;
    return {
      name,
      all: database.prepare<[], string>(read('')).pluck(),
      own: database.prepare<[string], string>(read(`where ${owner} = ?`)).pluck(),
    };
  });
}

/** Like another, the twin has webhooks and an access point, or none. */
const alike = (alias: string, twin: string) => {
  const set = (column: string) => `${column} = (select ${column} from tenants where alias = '${alias}')`;
  return `update tenants set ${set('has_webhooks')}, ${set('e_invoice_formats')} where alias = '${twin}'`;
};

function copyRows(database: Database.Database, alias: string, twin: string) {
  database.exec(alike(alias, twin));
  for (const { name } of copied) {
    const rows = database.prepare(`select * from ${name} where tenant_alias = ?`).all(alias) as Line[];
    if (rows.length === 0) continue;
    const columns = Object.keys(rows[0]!);
    const places = columns.map(() => '?').join();
    const insert = database.prepare(`insert into ${name} (${columns.join()}) values (${places})`);
    for (const row of rows) {
      const renamed = columns.map((column) => {
        const value = row[column];
        return typeof value === 'string' ? value.replaceAll(alias, twin) : value;
      });
      insert.run(...renamed);
    }
  }
}

/** The number of rows of each table, and the sum of the transactions that wrote their present versions. */
const rowVersions = ownedTables
  .map(({ name }) => `select '${name}' as name, count(*), sum(xmin::text::bigint) from ${name}`)
  .join(' union all ');

/** The back door of a PostgreSQL database: one connection of the administrator. */
export function behindPostgres(url: string): Backdoor {
  let connected: Promise<pg.Client> | undefined;
  const client = () =>
    (connected ??= (async () => {
      const made = new pg.Client({ connectionString: url });
      made.on('error', () => {});
      await made.connect();
      // As a replica applies rows: foreign keys are not looked at.
      await made.query('SET session_replication_role = replica');
      return made;
    })());
  const all = async (query: string): Promise<Line[]> => (await (await client()).query(query)).rows;
  const execute = async (statements: string) => {
    await all(statements);
  };
  return {
    all,
    execute,
    dump: rememberDumps(
      async () => JSON.stringify(await all(rowVersions)),
      async (alias) => {
        const parts = ownedTables.map(({ name, owner }) => {
          const where = alias === undefined ? '' : `where ${owner} = '${alias}'`;
          return `select '${name}' as name, t::text as line from ${name} t ${where}`;
        });
        return formatRows(await all(`${parts.join(' union all ')} order by 1, 2`));
      },
    ),
    whileLocked: async (alias, attempt) => {
      await execute('BEGIN');
      await execute(`SELECT 1 FROM tenants WHERE alias = '${alias}' FOR NO KEY UPDATE`);
      try {
        return await attempt();
      } finally {
        await execute('ROLLBACK');
      }
    },
    poison: (table, id) => execute(`update ${table} set created_at = 'infinity' where id = '${id}'`),
    twin: async (alias, twin) => {
      await execute(alike(alias, twin));
      for (const { name } of copied) {
        const renamed = `json_populate_record(null::${name}, replace(row_to_json(t)::text, '${alias}', '${twin}')::json)`;
        await execute(
          `insert into ${name} select r.* from ${name} t, ${renamed} r where t.tenant_alias = '${alias}'`,
        );
      }
    },
    close: async () => {
      await (await connected)?.end();
    },
  };
}
