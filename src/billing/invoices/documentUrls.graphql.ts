/** The signed addresses of documents in GraphQL. */
import { Arg, Ctx, Extensions, FieldResolver, Int, Resolver, Root, type ClassType } from 'type-graphql';
import type { Context } from '../../graphql/context.ts';
import { UrlScalar } from '../../graphql/scalars.ts';
import { refuse } from '../../lib/errors.ts';
import { buildDocumentPath } from '../../tenancy/documentLinks.ts';

const [shortestSeconds, usualSeconds, longestSeconds] = [60, 86_400, 2_592_000];

const lifetime = {
  nullable: true,
  description: `How long it is valid, ${shortestSeconds} to ${longestSeconds} seconds, rounded up to the hour. Default: a day.`,
};

interface DocumentUrls<R> {
  hasDocument: (record: R) => boolean;
  /** Completes the descriptions: when there is no address. */
  otherwise: string;
  /** The declarations of the fields, such as whether they are open to customers. */
  extensions: Record<string, unknown>;
}

/** Adds the fields `hostedUrl` and `pdfUrl` to a type whose records have documents. */
export function addDocumentUrls<R extends { id: string }>(
  type: () => ClassType,
  { hasDocument, otherwise, extensions }: DocumentUrls<R>,
): void {
  const buildUrl = (context: Context, record: R, seconds: number | undefined, path: string): string | null =>
    hasDocument(record) ? buildDocumentUrl(context, record.id, seconds) + path : null;

  @Resolver(type)
  class DocumentUrlResolver {
    @Extensions(extensions)
    @FieldResolver(() => UrlScalar, {
      nullable: true,
      description: `The signed address of a page that shows the document to whoever has it${otherwise}. Nothing can be paid there.`,
    })
    hostedUrl(
      @Ctx() context: Context,
      @Root() record: R,
      @Arg('expiresInSeconds', () => Int, lifetime) expiresInSeconds?: number,
    ): string | null {
      return buildUrl(context, record, expiresInSeconds, '');
    }

    @Extensions(extensions)
    @FieldResolver(() => UrlScalar, {
      nullable: true,
      description: `The signed address of the document as PDF, for whoever has it${otherwise}.`,
    })
    pdfUrl(
      @Ctx() context: Context,
      @Root() record: R,
      @Arg('expiresInSeconds', () => Int, lifetime) expiresInSeconds?: number,
    ): string | null {
      return buildUrl(context, record, expiresInSeconds, '/pdf');
    }
  }
  // Its decorators have registered it.
  void DocumentUrlResolver;
}

/** Returns the address of a document's page; below it, `/pdf` is the file. Error: `validation_failed`. */
function buildDocumentUrl(
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
