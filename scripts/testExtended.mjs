// `npm run test:extended`: runs what `npm test` leaves out, which is dear and seldom breaks alone.
process.env.TEST_EXTENDED = 'on';
await import('./test.mjs');
