import { createClient, type Client } from '@libsql/client';
import { readSetting } from './settings';

/** A person who has signed in. */
export interface User {
  id: string;
  email: string;
  /** The customer at the billing server. */
  customerId: string;
}

let opened: Promise<Client> | undefined;

async function open(): Promise<Client> {
  const database = createClient({ url: readSetting('DATABASE_URL') });
  await database.executeMultiple(`
    CREATE TABLE IF NOT EXISTS users (id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE, customer_id TEXT NOT NULL UNIQUE);
    CREATE TABLE IF NOT EXISTS plans (
      subscription_id TEXT PRIMARY KEY, customer_id TEXT NOT NULL, name TEXT NOT NULL, ended INTEGER NOT NULL, sequence INTEGER NOT NULL
    );
    CREATE INDEX IF NOT EXISTS plans_customer ON plans (customer_id);
    CREATE TABLE IF NOT EXISTS events (id TEXT PRIMARY KEY);
  `);
  return database;
}

const run = async (sql: string, args: (string | number)[]) =>
  (await (opened ??= open())).execute({ sql, args });

/** Returns a user by id or e-mail address. */
export async function findUser(by: 'id' | 'email', value: string): Promise<User | undefined> {
  const { rows } = await run(`SELECT id, email, customer_id FROM users WHERE ${by} = ?`, [value]);
  const row = rows[0];
  return row && { id: String(row.id), email: String(row.email), customerId: String(row.customer_id) };
}

/** Adds a user unless their address is known. */
export const addUser = ({ id, email, customerId }: User) =>
  run('INSERT INTO users VALUES (?, ?, ?) ON CONFLICT DO NOTHING', [id, email, customerId]);

/** The plan of a subscription, as an event tells it. */
export interface Plan {
  subscriptionId: string;
  customerId: string;
  name: string;
  ended: boolean;
  /** The number of the event. */
  sequence: number;
}

/** Keeps a plan. An event that is older than what is kept changes nothing. */
export const keepPlan = (plan: Plan) =>
  run(
    `INSERT INTO plans VALUES (?, ?, ?, ?, ?) ON CONFLICT (subscription_id) DO UPDATE
     SET name = excluded.name, ended = excluded.ended, sequence = excluded.sequence WHERE excluded.sequence > sequence`,
    [plan.subscriptionId, plan.customerId, plan.name, plan.ended ? 1 : 0, plan.sequence],
  );

/** Returns the name of the plan that a customer has, without asking the billing server. */
export async function findPlan(customerId: string): Promise<string | undefined> {
  const { rows } = await run('SELECT name FROM plans WHERE customer_id = ? AND ended = 0', [customerId]);
  return rows[0] && String(rows[0].name);
}

/** The ids of the events that were handled, for all processes of the site. */
export const handledEvents = {
  has: async (id: string) => (await run('SELECT 1 FROM events WHERE id = ?', [id])).rows.length > 0,
  add: (id: string) => run('INSERT INTO events VALUES (?) ON CONFLICT DO NOTHING', [id]),
};
