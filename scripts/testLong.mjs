// `npm run test:long`: the suite with every row of its large tables, of which `npm test` takes a sample.
process.env.TEST_LONG = 'on';
await import('./test.mjs');
