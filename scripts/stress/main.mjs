// `npm run stress -- NAME [options]`: runs one of the long tests that break the program or its surroundings.
const tests = {
  caches: 'random changes with the stores of clients listening',
  crash: 'kill -9 while it bills',
  flood: "one tenant's flood of requests beside another's few",
  fuzz: 'random requests, valid and invalid',
  gateways: 'two gateways and a billing run on one PostgreSQL',
  mails: 'kill -9 while it sends mails',
  postgres: 'crashes of PostgreSQL under load',
  simulate: 'random lives of customers over years',
  torture: 'kill -9, power failures and fsync under writing clients',
  usage: 'kill -9 while clients send usage events',
  webhooks: 'kill -9 while it delivers webhooks',
};

const [name] = process.argv.splice(2, 1);
if (Object.hasOwn(tests, name ?? '')) {
  await import(`./${name}.mjs`);
} else {
  const list = Object.entries(tests).map(([known, text]) => `  ${known.padEnd(10)}${text}`);
  console.error(`${name ? `There is no test ${name}, but` : 'Name a test'}:\n${list.join('\n')}`);
  process.exitCode = 1;
}
