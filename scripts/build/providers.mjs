// Lists the payment providers for `src/providers/charging.ts` and the console: a provider is a folder with a descriptor, and
// needs no other registration.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { load } from './bundle.mjs';
import { root } from '../setup.mjs';

const folder = path.join(root, 'src/providers');
const list = path.join(folder, 'charging.ts');
const note = '`npm run generate` writes this file.';

/** Returns the text of `src/providers/charging.ts`: the folders in the order of before, then new ones. */
export function writeProviderList() {
  const found = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(path.join(folder, entry.name, 'index.ts')))
    .map(({ name }) => name)
    .toSorted();
  const before = existsSync(list) ? /= \[(.*)\] as const/.exec(readFileSync(list, 'utf8'))?.[1] : undefined;
  const known = (before ?? '').split(', ').filter((name) => found.includes(name));
  const names = [...known, ...found.filter((name) => !known.includes(name))];
  const imports = found.map((name) => `import { ${name} } from './${name}/index.ts';`);
  return [
    `// Lists the providers that charge, one for each folder here. ${note}`,
    ...imports,
    '',
    `export const chargingProviders = [${names.join(', ')}] as const;`,
    '',
  ].join('\n');
}

/** Returns the text of the console's list of providers: what its form for an account asks for. */
export async function writeConsoleProviders() {
  const { chargingProviders } = await load('src/providers/charging.ts');
  const { format, resolveConfig } = await import('prettier');
  const kinds = Object.fromEntries(chargingProviders.map((each) => [each.name, describeAccount(each)]));
  const text =
    `// What an account at each payment provider consists of, from its descriptor. ${note}\n` +
    `export const providerAccounts = ${JSON.stringify(kinds)} as const;\n`;
  return format(text, { ...(await resolveConfig(path.join(root, 'package.json'))), parser: 'typescript' });
}

/** The key comes first, and what is public follows it. */
function describeAccount({ title, secrets, settings, needsEndpoint }) {
  const [key, ...others] = Object.entries(secrets).map(([name, { example }]) => ({
    name,
    isSecret: true,
    example,
  }));
  const open = Object.entries(settings).map(([name, { example }]) => ({ name, isOptional: true, example }));
  return { title, fields: [key, ...open, ...others], needsEndpoint };
}
