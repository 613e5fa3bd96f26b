// What the bundles leave for later, or do without: a start should load what a server needs at once.
import { createRequire } from 'node:module';
import path from 'node:path';
import { root } from './setup.mjs';

const require = createRequire(path.join(root, 'package.json'));
const graphqlFolder = path.dirname(require.resolve('graphql/package.json'));

/** Both bundles run as they do in production, wherever they are started. */
export const define = {
  'process.env.NODE_ENV': '"production"',
  'globalThis.process.env.NODE_ENV': '"production"',
};

/** Plugins of esbuild for both bundles. */
export const lighter = [
  { name: 'graphql', setup: useOneGraphql },
  { name: 'later', setup: loadLater },
  { name: 'instead', setup: leaveOut },
];

/**
 * graphql's ES modules for all. Its CommonJS form would be wrapped anew, all its names copied, for each file that
 * imports it: a tenth of a start.
 */
function useOneGraphql({ onResolve }) {
  onResolve({ filter: /^graphql(\/|$)/ }, ({ path: name }) => {
    const within = name.slice('graphql/'.length).replace(/\.m?js$/, '');
    const file = require.resolve(path.join(graphqlFolder, within || 'index'));
    return { path: file.replace(/\.js$/, '.mjs') };
  });
}

/**
 * Packages that others load at once and call seldom or never: who loads them, and which of their functions they call;
 * the package itself where none are told, and what it makes where that is. It is loaded when that is first called.
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

function laterModule(name, { functions, made }) {
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
  // The limits in memory alone; those of other kinds would bring Node's cluster along.
  'rate-limiter-flexible/index.js': `
    exports.RateLimiterMemory = require('./lib/RateLimiterMemory.js');
    exports.RateLimiterRes = require('./lib/RateLimiterRes.js');`,
  // The lock file has seen to the version of graphql.
  'type-graphql/build/esm/utils/graphql-version.js': `
    export const graphQLPeerDependencyVersion = '';
    export function ensureInstalledCorrectGraphQLPackage() {}`,
};

function leaveOut({ onLoad }) {
  const ends = Object.keys(instead);
  const filter = new RegExp(`/(${ends.join('|')})$`);
  onLoad({ filter }, ({ path: file }) => ({ contents: instead[ends.find((end) => file.endsWith(end))] }));
}
