// Plugins that make bundles load modules lazily or omit them, so that a start loads only the code a server needs at
// once.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { root } from '../setup.mjs';

const require = createRequire(path.join(root, 'package.json'));
const graphqlFolder = path.dirname(require.resolve('graphql/package.json'));

/** Both bundles run as in production, regardless of NODE_ENV. */
export const define = {
  'process.env.NODE_ENV': '"production"',
  'globalThis.process.env.NODE_ENV': '"production"',
};

/**
 * The esbuild options of both bundles: a single script, as a function of the arguments Node passes to CommonJS modules.
 */
export const bundled = {
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node20',
  // Halves the text to read and keep in memory; with ASCII only, a character takes one byte.
  minifySyntax: true,
  minifyWhitespace: true,
  charset: 'ascii',
  // Code from a cache cannot use import(); bundled code does not need it.
  supported: { 'dynamic-import': false },
  footer: { js: '})' },
  logLevel: 'warning',
  metafile: true,
};

/** The esbuild plugins of both bundles. */
export const bundlePlugins = [
  { name: 'graphql', setup: useSingleGraphql },
  { name: 'later', setup: loadLazily },
  { name: 'instead', setup: replaceFiles },
  { name: 'patch', setup: patchFiles },
];

/**
 * Uses graphql's ES modules for all importers. Its CommonJS form would be wrapped again, with all names copied, for
 * each file that imports it, which takes a tenth of a start. Files that require it share one object with plain
 * properties, for the same reason.
 */
function useSingleGraphql({ onResolve, onLoad }) {
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
 * Packages that others load at the start but rarely call. `from` selects the importers, and `functions` lists the
 * functions they call; without it, the package itself is the function, or with `made`, the function it makes. The
 * package is loaded at the first call or property access.
 */
const rarelyUsed = {
  // For plugins that name the Fastify versions they support.
  semver: { from: /fastify/, functions: ['satisfies', 'gt', 'coerce'] },
  // The server does not use HTTP/2.
  'node:http2': { from: /fastify/, functions: ['createServer', 'createSecureServer'] },
  // Responses are serialized by JSON.stringify.
  'fast-json-stringify': { from: /graphql-jit/ },
  'lodash.merge': { from: /graphql-jit/ },
  'lodash.mergewith': { from: /graphql-jit/ },
  // For reports to Apollo's own service.
  'lodash.sortby': { from: /@apollo/ },
  // For routes with schemas, which this program does not have.
  '@fastify/ajv-compiler': { from: /fastify/, made: true },
  '@fastify/fast-json-stringify-compiler': { from: /fastify/, made: true },
  // For webhooks, and for servers and clients that this program does not use.
  'node:https': { from: /fastify|src\/webhooks/, functions: ['createServer', 'request'] },
  'node:tls': { from: /src\/webhooks/, functions: ['connect'] },
  https: { from: /\/ws\//, any: true },
  tls: { from: /\/ws\//, any: true },
  zlib: { from: /\/ws\//, any: true },
  // For requests with an idempotency key, for a listening server, and for files that commands write.
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
  // For commands that are separate programs.
  'node:child_process': { from: /commander/, functions: ['spawn'] },
};

function loadLazily({ onResolve, onLoad }) {
  const filter = new RegExp(`^(${Object.keys(rarelyUsed).join('|')})$`);
  onResolve({ filter }, ({ path: name, importer, namespace }) =>
    namespace !== 'later' && rarelyUsed[name].from.test(importer)
      ? { path: name, namespace: 'later' }
      : undefined,
  );
  onLoad({ filter, namespace: 'later' }, ({ path: name }) => ({
    contents: buildLazyModule(name, rarelyUsed[name]),
    resolveDir: root,
  }));
}

function buildLazyModule(name, { functions, made, any }) {
  if (any) return `module.exports = new Proxy({}, { get: (_, key) => require('${name}')[key] });`;
  if (made) return `module.exports = () => (...args) => require('${name}')()(...args);`;
  if (!functions) return `module.exports = (...args) => require('${name}')(...args);`;
  return functions
    .map((each) => `exports.${each} = (...args) => require('${name}').${each}(...args);`)
    .join('\n');
}

/** Replacements of package files, by the end of their path. */
const replacements = {
  // Its search for Node's crypto fails in a bundle, and it would hash in JavaScript. Apollo hashes each document in a
  // single call, which takes a third of the time without a hash object.
  '@apollo/utils.createhash/dist/index.js': `
    const { hash } = require('node:crypto');
    exports.createHash = (kind) => ({ update: (text) => ({ digest: (form) => hash(kind, text, form) }) });`,
  // The log is written to the command's output; pino's transport threads are not used.
  'pino/lib/transport.js': `
    module.exports = () => { throw new Error('There are no transports.'); };`,
  // node-fetch prefers Node's own URL; the package only slows the start and warns that punycode is deprecated.
  'whatwg-url/lib/public-api.js': `
    Object.assign(exports, { URL, URLSearchParams });`,
  // The lock file fixes the version of graphql.
  'type-graphql/build/esm/utils/graphql-version.js': `
    export const graphQLPeerDependencyVersion = '';
    export function ensureInstalledCorrectGraphQLPackage() {}`,
};

/** Replacements of parts of a package file, by the end of its path; the build fails where a part is not found. */
const patches = {
  'type-graphql/build/esm/schema/schema-generator.js': [
    // For each field of the schema it would look through all resolvers, for the one of that field.
    [
      /const { fieldResolvers } = this\.metadataStorage;\s+const filteredFieldResolversMetadata = fieldResolvers\.filter\(.*?\);\s+const fieldResolverMetadata = filteredFieldResolversMetadata\.find\(.*?\);\n/s,
      `this.resolversByName ??= groupByMethod(this.metadataStorage.fieldResolvers);
       const fieldResolverMetadata = this.resolversByName.get(field.name)?.find(it =>
         (it.kind === 'internal' || resolvers.includes(it.target)) && it.getObjectType() === field.target);\n`,
    ],
    [
      /export class SchemaGenerator/,
      `function groupByMethod(resolvers) {
         const groups = new Map();
         for (const it of resolvers) {
           const known = groups.get(it.methodName);
           if (known) known.push(it);
           else groups.set(it.methodName, [it]);
         }
         return groups;
       }
       export class SchemaGenerator`,
    ],
    // It would build the schema twice, first to learn which interfaces are used. Here each is.
    [
      /const prebuiltSchema = new GraphQLSchema\((\{.*?\})\);\s+const finalSchema = new GraphQLSchema\(\{\s+\.\.\.prebuiltSchema\.toConfig\(\),(.*?)\}\);/s,
      (_, roots, others) =>
        `const finalSchema = new GraphQLSchema({ ...(${roots}), assumeValid: true, ${others} });`,
    ],
    [/if \(!this\.usedInterfaceTypes\.has\(interfaceClass\)\) \{\s+return false;\s+\}\s+/, ''],
  ],
  // The compiler emits no types of design, which it would search for along the prototypes of each class.
  'type-graphql/build/esm/helpers/findType.js': [
    [
      /const reflectedType = Reflect\.getMetadata/,
      `const reflectedType = returnTypeFunc ? undefined : Reflect.getMetadata`,
    ],
  ],
  // For each field it would look through the extensions of all fields.
  'type-graphql/build/esm/metadata/metadata-storage.js': [
    [
      /const storedExtensions = fieldName\s+\? this\.fieldExtensions\s+: this\.classExtensions;\n/,
      `let storedExtensions = this.classExtensions;
        if (fieldName) {
          if (!this.extensionsByName) {
            this.extensionsByName = new Map();
            for (const entry of this.fieldExtensions) {
              const known = this.extensionsByName.get(entry.fieldName);
              if (known) known.push(entry);
              else this.extensionsByName.set(entry.fieldName, [entry]);
            }
          }
          storedExtensions = this.extensionsByName.get(fieldName) ?? [];
        }\n`,
    ],
  ],
};

function patchFiles({ onLoad }) {
  const ends = Object.keys(patches);
  onLoad({ filter: new RegExp(`/(${ends.join('|')})$`) }, ({ path: file }) => {
    let contents = readFileSync(file, 'utf8');
    for (const [part, replacement] of patches[ends.find((end) => file.endsWith(end))]) {
      if (!part.test(contents)) throw new Error(`${file} has no part to patch: ${part}`);
      contents = contents.replace(part, typeof replacement === 'string' ? () => replacement : replacement);
    }
    return { contents, resolveDir: path.dirname(file) };
  });
}

function replaceFiles({ onLoad }) {
  const ends = Object.keys(replacements);
  onLoad({ filter: new RegExp(`/(${ends.join('|')})$`) }, ({ path: file }) => ({
    contents: replacements[ends.find((end) => file.endsWith(end))],
  }));
}
