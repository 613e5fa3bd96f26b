// `npm run bench:renewals`: the renewals workload only, with the options of `npm run bench`.
process.argv.push('--only', 'renewals');
await import('./run.mjs');
