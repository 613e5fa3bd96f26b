/** The signed addresses of documents in GraphQL. */
import { Int } from 'type-graphql';
import type { Context } from '../../graphql/context.ts';
import { refuse } from '../../lib/errors.ts';
import { buildDocumentPath } from '../../tenancy/documentLinks.ts';

const [shortestSeconds, usualSeconds, longestSeconds] = [60, 86_400, 2_592_000];

/** The type and the options of the argument of every address of a document. */
export const lifetimeArgument = {
  type: () => Int,
  options: {
    nullable: true,
    description: `How long it is valid, ${shortestSeconds} to ${longestSeconds} seconds, rounded up to the hour. Default: a day.`,
  },
};

/** Returns the address of a document's page; below it, `/pdf` is the file. Error: `validation_failed`. */
export function buildDocumentUrl(
  { tenant, publicUrl }: Context,
  documentId: string,
  expiresInSeconds: number | null | undefined,
): string {
  const seconds = expiresInSeconds ?? usualSeconds;
  if (seconds < shortestSeconds || seconds > longestSeconds)
    refuse('validation_failed', {
      path: 'expiresInSeconds',
      message: `must be from ${shortestSeconds} to ${longestSeconds}`,
    });
  return publicUrl + buildDocumentPath(tenant, documentId, seconds * 1000);
}
