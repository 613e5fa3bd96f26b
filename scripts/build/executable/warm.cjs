// Runs the program once while it is built and keeps what V8 has compiled by then. It must be run by the very
// executable that the cache is for: another V8, or other flags, and the cache would be refused.
const { readFileSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { getRawAsset } = require('node:sea');
const { pathToFileURL } = require('node:url');
const { setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');

// The program's text is among the single executable's assets, or in a file.
const [database, output, file] = process.argv.slice(2);
const source = file ? readFileSync(file, 'latin1') : Buffer.from(getRawAsset('perennial.cjs')).latin1Slice();
const script = new Script(source, { filename: 'perennial.cjs' });

// As it starts by itself, whatever is set for one that is in use.
for (const name of Object.keys(process.env)) if (name.startsWith('PERENNIAL_')) delete process.env[name];
process.argv.splice(2, 3, 'serve', '--demo', '--port', '0', '--database', `sqlite:${database}`);
let said = '';
process.stdout.write = (text, ...rest) => {
  said += text;
  const done = rest.find((each) => typeof each === 'function');
  if (done) setImmediate(done);
  if (/openapi|-d '\{/.test(text)) void warm();
  return true;
};
const run = script.runInThisContext();
if (file) run(createRequire(file), module, exports, pathToFileURL(file).href);
else run(require, module, exports);

/** What a server is asked first. */
async function warm() {
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(said)[0];
  const headers = { 'api-key': /prn_\w+/.exec(said)[0], 'content-type': 'application/json' };
  const query = '{ customers(first: 2) { nodes { id email } } products { nodes { name prices { id } } } }';
  await (await fetch(`${url}/readyz`)).text();
  await (await fetch(`${url}/api/v1/customers`, { headers })).text();
  await (await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })).text();
  // The server has turned it off, and V8 refuses what was compiled under other flags than those of a start.
  setFlagsFromString('--allocation-site-pretenuring');
  writeFileSync(output, script.createCachedData());
  process.exit(0);
}
