// Runs the program once during the build and stores the code that V8 has compiled. Must run on the same executable that
// will use the cache: another V8 version or other flags would reject it.
const { readFileSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { getRawAsset } = require('node:sea');
const { pathToFileURL } = require('node:url');
const { setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');

// The program's text is an asset of the single executable, or a file.
const [database, cacheFile, file] = process.argv.slice(2);
const source = file ? readFileSync(file, 'latin1') : Buffer.from(getRawAsset('perennial.cjs')).latin1Slice();
const script = new Script(source, { filename: 'perennial.cjs' });

// Removes settings of the environment, so that the program starts with its defaults.
for (const name of Object.keys(process.env)) if (name.startsWith('PERENNIAL_')) delete process.env[name];
process.argv.splice(2, 3, 'serve', '--demo', 'catalog', '--port', '0', '--database', `sqlite:${database}`);
let printed = '';
process.stdout.write = (text, ...rest) => {
  printed += text;
  const done = rest.find((each) => typeof each === 'function');
  if (done) setImmediate(done);
  if (/openapi|-d '\{/.test(text)) void warm();
  return true;
};
const run = script.runInThisContext();
if (file) run(createRequire(file), module, exports, pathToFileURL(file).href);
else run(require, module, exports);

/** Sends the requests that a server typically receives first. */
async function warm() {
  const url = /http:\/\/(?:localhost|127\.0\.0\.1):\d+/.exec(printed)[0];
  const headers = { 'api-key': /prn_\w+/.exec(printed)[0], 'content-type': 'application/json' };
  const query = '{ customers(first: 2) { nodes { id email } } products { nodes { name prices { id } } } }';
  await (await fetch(`${url}/readyz`)).text();
  await (await fetch(`${url}/api/v1/customers`, { headers })).text();
  await (await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })).text();
  // The server has disabled this flag, and V8 rejects code compiled under flags other than those of a start.
  setFlagsFromString('--allocation-site-pretenuring');
  writeFileSync(cacheFile, script.createCachedData());
  process.exit(0);
}
