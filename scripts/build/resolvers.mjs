// Lists the modules with resolvers, which `src/app/resolvers.ts` loads: a resolver needs no other registration.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../setup.mjs';

const folder = path.join(root, 'src/app');

/** Returns the text of `src/app/resolvers.ts`. */
export function writeResolverList() {
  const sources = path.join(root, 'src');
  const modules = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('console'))
    .filter((file) => /^ *@Resolver\(/m.test(readFileSync(path.join(sources, file), 'utf8')))
    .map((file) => path.relative(folder, path.join(sources, file)).replaceAll('\\', '/'))
    .map((file) => (file.startsWith('.') ? file : `./${file}`))
    .toSorted();
  const imports = modules.map((file) => `import '${file}';`);
  return `// Loads every module with resolvers. \`npm run generate\` writes this file.\n${imports.join('\n')}\n`;
}
