import { createReadStream, existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { makePartFile, publishPart, removePart } from '../../storage/sqlite/privateFile.ts';
import type { Sink } from './exportTenant.ts';

const longestLine = 64 * 1024 * 1024;

/**
 * Writes a file completely or not at all: the file gets its name after all data is on disk. Only its owner can read it.
 * Throws an Error if the file exists, unless `force` is set.
 */
export async function writeFileAtomically<T>(
  file: string,
  force: boolean,
  work: (write: Sink) => Promise<T>,
): Promise<T> {
  if (existsSync(file) && !force) throw new Error(`${file} is there already; --force overwrites it.`);
  const part = makePartFile(file);
  const handle = await open(part, 'r+');
  try {
    const value = await work(async (text) => {
      await handle.writeFile(text);
    });
    publishPart(part, file, force);
    return value;
  } finally {
    await handle.close();
    removePart(part);
  }
}

/** Iterates over the lines of a text file. Throws an Error for a line longer than 64 MiB. */
export async function* listLines(file: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(file, { encoding: 'utf8', highWaterMark: 1 << 18 })) {
    const lines = (rest + (chunk as string)).split('\n');
    rest = lines.pop()!;
    if (rest.length > longestLine) throw new Error(`${file} has a line that is too long.`);
    yield* lines;
  }
  if (rest !== '') yield rest;
}
