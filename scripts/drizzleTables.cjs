/** Exports the tables of the database named by DRIZZLE_DATABASE, for drizzle-kit. */
const database = process.env.DRIZZLE_DATABASE === 'postgres' ? 'postgres' : 'sqlite';

// drizzle-kit compiles TypeScript only in required files, not in imported ones.
module.exports = require(`../src/storage/${database}/tables.ts`)[database];
