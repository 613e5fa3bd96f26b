// What the bundles leave for later, or do without: a start should load what a server needs at once.
import { createRequire } from 'node:module';
import path from 'node:path';
import { root } from '../setup.mjs';

const require = createRequire(path.join(root, 'package.json'));
const graphqlFolder = path.dirname(require.resolve('graphql/package.json'));

/** Both bundles run as they do in production, wherever they are started. */
export const define = {
  'process.env.NODE_ENV': '"production"',
  'globalThis.process.env.NODE_ENV': '"production"',
};

/** The options of esbuild that both bundles share: one script, as a function of what Node hands such a script. */
export const bundled = {
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  // Half the text to read and to keep, of one byte a character.
  minifySyntax: true,
  minifyWhitespace: true,
  charset: 'ascii',
  // Code that comes from a cache cannot import; what is bundled need not.
  supported: { 'dynamic-import': false },
  footer: { js: '})' },
  logLevel: 'warning',
  metafile: true,
};

/** Plugins of esbuild for both bundles. */
export const lighter = [
  { name: 'graphql', setup: useOneGraphql },
  { name: 'later', setup: loadLater },
  { name: 'instead', setup: leaveOut },
];

/**
 * graphql's ES modules for all. Its CommonJS form would be wrapped anew, all its names copied, for each file that
 * imports it: a tenth of a start. Files that require it share one object with plain properties, for the same reason.
 */
function useOneGraphql({ onResolve, onLoad }) {
  onResolve({ filter: /^graphql(\/|$)/ }, ({ path: name, kind, namespace }) => {
    const within = name.slice('graphql/'.length).replace(/\.m?js$/, '');
    if (!within && kind === 'require-call' && namespace !== 'graphql')
      return { path: name, namespace: 'graphql' };
    const file = require.resolve(path.join(graphqlFolder, within || 'index'));
    return { path: file.replace(/\.js$/, '.mjs') };
  });
  onLoad({ filter: /.*/, namespace: 'graphql' }, () => ({
    contents: `module.exports = Object.defineProperty({ ...require('graphql') }, '__esModule', { value: true });`,
    resolveDir: root,
  }));
}

/**
 * Packages that others load at once and call seldom or never: who loads them, and which of their functions they call;
 * the package itself where none are told, what it makes where that is, or anything of it. It is loaded when that is
 * first called, or asked for.
 */
const seldom = {
  // For plugins that name the versions of Fastify which they are for.
  semver: { from: /fastify/, functions: ['satisfies', 'gt', 'coerce'] },
  // There is no HTTP/2.
  'node:http2': { from: /fastify/, functions: ['createServer', 'createSecureServer'] },
  // Answers are serialized by JSON.stringify.
  'fast-json-stringify': { from: /graphql-jit/ },
  'lodash.merge': { from: /graphql-jit/ },
  'lodash.mergewith': { from: /graphql-jit/ },
  // For reports to Apollo's own service.
  'lodash.sortby': { from: /@apollo/ },
  // For schemas of routes, which have none: what they make is called when a route has one.
  '@fastify/ajv-compiler': { from: /fastify/, made: true },
  '@fastify/fast-json-stringify-compiler': { from: /fastify/, made: true },
  // For webhooks, and for a server and clients that are not ours.
  'node:https': { from: /fastify|src\/webhooks/, functions: ['createServer', 'request'] },
  'node:tls': { from: /src\/webhooks/, functions: ['connect'] },
  https: { from: /\/ws\//, any: true },
  tls: { from: /\/ws\//, any: true },
  zlib: { from: /\/ws\//, any: true },
  // For requests that their clients have named and for a server that listens, and for files that commands write.
  'node:v8': {
    from: /src\/(cli|tenancy|subscriptions)/,
    functions: ['deserialize', 'serialize', 'setFlagsFromString'],
  },
  'node:fs/promises': {
    from: /src\/maintenance|type-graphql/,
    functions: ['mkdir', 'open', 'rename', 'rm', 'writeFile'],
  },
  // For the import from Stripe, and for logs on a terminal.
  'csv-parse/sync': { from: /src\/maintenance/, functions: ['parse'] },
  'pino-pretty': { from: /src\/cli/, functions: ['prettyFactory'] },
  // For commands that are programs of their own.
  'node:child_process': { from: /commander/, functions: ['spawn'] },
};

function loadLater({ onResolve, onLoad }) {
  const filter = new RegExp(`^(${Object.keys(seldom).join('|')})$`);
  onResolve({ filter }, ({ path: name, importer, namespace }) =>
    namespace !== 'later' && seldom[name].from.test(importer)
      ? { path: name, namespace: 'later' }
      : undefined,
  );
  onLoad({ filter, namespace: 'later' }, ({ path: name }) => ({
    contents: laterModule(name, seldom[name]),
    resolveDir: root,
  }));
}

function laterModule(name, { functions, made, any }) {
  if (any) return `module.exports = new Proxy({}, { get: (_, key) => require('${name}')[key] });`;
  if (made) return `module.exports = () => (...args) => require('${name}')()(...args);`;
  if (!functions) return `module.exports = (...args) => require('${name}')(...args);`;
  return functions
    .map((each) => `exports.${each} = (...args) => require('${name}').${each}(...args);`)
    .join('\n');
}

/** Files of packages, by the end of their path, and what stands for them. */
const instead = {
  // It looks for Node's crypto in a way that a bundle does not have, and would hash in JavaScript. Apollo hashes each
  // document that comes, in one go, which costs a third without an object for it.
  '@apollo/utils.createhash/dist/index.js': `
    const { hash } = require('node:crypto');
    exports.createHash = (kind) => ({ update: (text) => ({ digest: (form) => hash(kind, text, form) }) });`,
  // Logs go to where the command says; nothing is sent by threads of pino's.
  'pino/lib/transport.js': `
    module.exports = () => { throw new Error('There are no transports.'); };`,
  // The lock file has seen to the version of graphql.
  'type-graphql/build/esm/utils/graphql-version.js': `
    export const graphQLPeerDependencyVersion = '';
    export function ensureInstalledCorrectGraphQLPackage() {}`,
};

function leaveOut({ onLoad }) {
  const ends = Object.keys(instead);
  onLoad({ filter: new RegExp(`/(${ends.join('|')})$`) }, ({ path: file }) => ({
    contents: instead[ends.find((end) => file.endsWith(end))],
  }));
}
