// Node's modules that a start-up snapshot cannot contain, because they hold parts of the process: the executable loads them when
// it has started.
import { createRequire } from 'node:module';
import { root } from '../../setup.mjs';

const require = createRequire(import.meta.url);
const names = /^(node:)?(crypto|http|https|http2|tls|worker_threads)$/;

/** What packages read while they are loaded, and what stays the same. */
const constants = {
  http: { STATUS_CODES: require('node:http').STATUS_CODES, METHODS: require('node:http').METHODS },
  worker_threads: { isMainThread: true },
};

/** An esbuild plugin. */
export function loadWhenStarted({ onResolve, onLoad }) {
  onResolve({ filter: names }, ({ path: name, namespace }) =>
    namespace === 'late' ? undefined : { path: name.replace('node:', ''), namespace: 'late' },
  );
  onLoad({ filter: /.*/, namespace: 'late' }, ({ path: name }) => ({
    contents: writeLateModule(name),
    resolveDir: root,
  }));
}

/**
 * Returns a module with the members of one of Node's. A member that is read before the start is a function that calls the
 * real one, or makes its objects.
 */
function writeLateModule(name) {
  const known = constants[name] ?? {};
  const members = Object.keys(require(`node:${name}`)).filter((member) => !Object.hasOwn(known, member));
  return `
    const { startupSnapshot } = require('node:v8');
    const isEarly = () => startupSnapshot.isBuildingSnapshot();
    const find = (member) => {
      if (isEarly()) throw new Error('The snapshot must not load node:${name}: ' + member + ' is used while modules are loaded.');
      return require('node:${name}')[member];
    };
    const postpone = (member) => new Proxy(function () {}, {
      apply: (_, self, values) => Reflect.apply(find(member), self, values),
      construct: (_, values, made) => Reflect.construct(find(member), values, made),
    });
    Object.assign(exports, ${JSON.stringify(known)});
    for (const member of ${JSON.stringify(members)})
      Object.defineProperty(exports, member, {
        enumerable: true,
        get: () => (isEarly() ? postpone(member) : find(member)),
      });`;
}
