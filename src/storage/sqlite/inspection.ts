import { copyFileSync, existsSync } from 'node:fs';
import { listFileFaults } from './backup.ts';
import { explainErrors } from './fileLock.ts';
import { makePartFile, removePart } from './privateFile.ts';
import { checkSeal, removeSeal } from './checksum.ts';

/**
 * Calls `work` with the path of a database file that it may open normally, and with the faults of the file. For a
 * sealed backup, `work` gets a copy that is removed afterwards, so that the backup still matches its checksum. Throws
 * an Error if the file does not exist.
 */
export async function inspectFile<T>(
  path: string,
  work: (path: string, faults: string[]) => Promise<T>,
): Promise<T> {
  if (!existsSync(path)) throw new Error(`There is no file ${path}.`);
  const seal = explainErrors(path, () => checkSeal(path));
  if (seal === 'unsealed') return work(path, listFileFaults(path));
  const copy = explainErrors(path, () => makePartFile(path));
  try {
    explainErrors(path, () => copyFileSync(path, copy));
    removeSeal(copy);
    const faults =
      seal === 'whole'
        ? []
        : ['its checksum does not match: it is damaged, or was written to after it was backed up'];
    return await work(copy, [...faults, ...listFileFaults(copy, path)]);
  } finally {
    removePart(copy);
  }
}
