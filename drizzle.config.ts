import { defineConfig } from 'drizzle-kit';

// One set of migrations for each database: npm run generate names the one that is wanted.
const database = process.env.DRIZZLE_DATABASE === 'postgres' ? 'postgres' : 'sqlite';

export default defineConfig({
  dialect: database === 'postgres' ? 'postgresql' : 'sqlite',
  schema: './scripts/drizzleTables.cjs',
  // The check for stale migrations generates into a copy.
  out: process.env.DRIZZLE_OUT ?? `./drizzle/${database}`,
});
