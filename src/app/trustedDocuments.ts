import { readFileSync } from 'node:fs';
import { GraphQLError } from 'graphql';
import { assetPath, readAsset } from '../lib/assets.ts';
import type { Config } from '../config/config.ts';
import { BillingError } from '../lib/errors.ts';
import type { Operations } from '../graphql/operation.ts';
import { createTrustedDocuments, parseManifest, type TrustedDocuments } from '../graphql/trustedDocuments.ts';

/** Written by the build of the console. */
const consoleManifest = 'dist/console/documents.json';

/**
 * Loads the documents of the host's own applications, and later those of the console. Throws an Error that names the file if
 * one cannot be read, or if a document is not valid for this schema.
 */
export function loadTrustedDocuments(config: Config, operations: Operations): TrustedDocuments {
  const own = new Map<string, string>();
  for (const file of config.trustedDocuments ?? []) {
    for (const [hash, text] of readManifest(file)) {
      refuseInvalid(operations, file, hash, text);
      own.set(hash, text);
    }
  }
  // Read on first use: most servers start without a console that is open.
  let ofConsole: Map<string, string> | undefined;
  const getConsole = () => (ofConsole ??= readConsoleManifest());
  return createTrustedDocuments(operations, own, getConsole, config.trustedDocumentsOnly);
}

function readManifest(file: string): Map<string, string> {
  try {
    return parseManifest(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`The trusted documents of ${file} cannot be loaded: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

function refuseInvalid(operations: Operations, file: string, hash: string, text: string): void {
  try {
    operations.parse(text);
  } catch (error) {
    const message = describeProblem(error);
    throw new Error(`The trusted document sha256:${hash} of ${file} is not valid: ${message}`, {
      cause: error,
    });
  }
}

function describeProblem(error: unknown): string {
  if (error instanceof BillingError) return error.issues.map(({ message }) => message).join(', ');
  if (error instanceof GraphQLError) return error.message;
  throw error;
}

/** Returns no documents if the console has not been built. */
function readConsoleManifest(): Map<string, string> {
  const content = readAsset(assetPath(consoleManifest));
  return content ? parseManifest(content.toString('utf8')) : new Map();
}
