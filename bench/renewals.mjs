// `npm run bench:renewals`: the workload of renewals by itself, with the options of `npm run bench`.
process.argv.push('--only', 'renewals');
await import('./run.mjs');
