/** The commands that texts name exist: those of the program, the console and the pages. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { filesIn, root } from '../sourceFiles.ts';
import { perennial } from '../support/cli.ts';

/** A command in a text: after a quotation mark, a prompt, a colon or the beginning of its line. */
const named = /(?<=[“„"'`«:$]\s*)perennial ([a-z-]+(?: [a-z]+)?)/g;

/** Begins like a command: the label of a key that is derived. */
const others = new Set(['signatures']);

const commands = new Set(
  filesIn('src').flatMap((file) =>
    [...readFileSync(path.join(root, file), 'utf8').matchAll(named)]
      .map(([, command]) => command!)
      .filter((command) => !others.has(command)),
  ),
);

/** Returns the command that the help describes; the help of a group describes the group for a command it lacks. */
const findUsage = async (...words: string[]) => {
  const { code, out } = await perennial(undefined, [...words, '--help']);
  return code === 0
    ? out
        .split('\n')[0]!
        .replace(/ [[<].*$/, '')
        .replace('Usage: ', '')
    : undefined;
};

const isKnown = async (command: string): Promise<boolean> => {
  const [group, name] = command.split(' ');
  if ((await findUsage(group!)) !== `perennial ${group}`) return false;
  const { out } = await perennial(undefined, [group!, '--help']);
  // `import` has a command and takes a name itself.
  const isGroup = out.includes('\nCommands:') && !out.split('\n')[0]!.includes('<');
  return !isGroup || name === undefined || (await findUsage(group!, name)) === `perennial ${command}`;
};

it('are found, and an unknown one is noticed', async () => {
  expect([...commands]).toEqual(
    expect.arrayContaining(['serve', 'operator create', 'operator link', 'key rotate', 'tenant create']),
  );
  expect(await isKnown('operator grant')).toBe(false);
  expect(await isKnown('grant operator')).toBe(false);
  const known = await Promise.all([...commands].map(async (command) => [command, await isKnown(command)]));
  expect(known.filter(([, isThere]) => !isThere)).toEqual([]);
});
