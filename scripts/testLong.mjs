// `npm run test:long`: runs the suite with all rows of its large tables, of which `npm test` runs a sample.
process.env.TEST_LONG = 'on';
await import('./test.mjs');
