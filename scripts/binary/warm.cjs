// Runs the program once while it is built and keeps what V8 has compiled by then. It must be run by the very
// executable that the cache is for: another V8, or other flags, and the cache would be refused.
const { writeFileSync } = require('node:fs');
const { getRawAsset } = require('node:sea');
const { Script } = require('node:vm');

const [database, output] = process.argv.slice(2);
const source = Buffer.from(getRawAsset('perennial.cjs')).latin1Slice();
const script = new Script(source, { filename: 'perennial.cjs' });

process.argv.splice(2, 2, 'serve', '--demo', '--port', '0', '--database', `sqlite:${database}`);
let said = '';
process.stdout.write = (text, ...rest) => {
  said += text;
  const done = rest.find((each) => typeof each === 'function');
  if (done) setImmediate(done);
  if (/openapi|-d '\{/.test(text)) void warm();
  return true;
};
script.runInThisContext()(require, module, exports);

/** What a server is asked first. */
async function warm() {
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(said)[0];
  const headers = { 'api-key': /prn_\w+/.exec(said)[0], 'content-type': 'application/json' };
  const query = '{ customers(first: 2) { nodes { id email } } products { nodes { name prices { id } } } }';
  await (await fetch(`${url}/readyz`)).text();
  await (await fetch(`${url}/api/v1/customers`, { headers })).text();
  await (await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })).text();
  writeFileSync(output, script.createCachedData());
  process.exit(0);
}
