import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: './src/db/tables.sqlite.ts',
  // The check for stale migrations generates into a copy.
  out: process.env.DRIZZLE_OUT ?? './drizzle/sqlite',
});
