/** The tables of the database that drizzle.config.ts names, as drizzle-kit reads them: each an export of this file. */
const database = process.env.DRIZZLE_DATABASE === 'postgres' ? 'postgres' : 'sqlite';

// drizzle-kit compiles TypeScript where a file is required, not where it is imported.
module.exports = require(`../src/storage/${database}/tables.ts`)[database];
