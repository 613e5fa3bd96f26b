import { defineConfig } from 'drizzle-kit';

// Each database has its own set of migrations; `npm run generate` sets DRIZZLE_DATABASE.
const database = process.env.DRIZZLE_DATABASE === 'postgres' ? 'postgres' : 'sqlite';

export default defineConfig({
  dialect: database === 'postgres' ? 'postgresql' : 'sqlite',
  schema: './scripts/drizzleTables.cjs',
  // The check for stale migrations generates into a copy.
  out: process.env.DRIZZLE_OUT ?? `./drizzle/${database}`,
});
