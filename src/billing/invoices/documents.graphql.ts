import {
  Arg,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  ObjectType,
  registerEnumType,
  Resolver,
  Root,
} from 'type-graphql';
import { documentFormats, type DocumentFile, type DocumentFormat } from '../../documents/record.ts';
import type { Context } from '../../graphql/context.ts';
import { declareWork } from '../../graphql/work.ts';
import { openInPortal } from '../../graphql/openness.ts';
import { findInvoiceDocument, hasDocument } from './documentFiles.ts';
import { addDocumentUrls } from './documentUrls.graphql.ts';
import type { InvoiceRow } from './invoices.ts';
import { Invoice } from './invoices.graphql.ts';

/** The formats as a GraphQL enum. */
export const DocumentFormatType = Object.fromEntries(documentFormats.map((format) => [format, format]));
registerEnumType(DocumentFormatType, {
  name: 'DocumentFormat',
  description: 'The format of a document.',
  valuesConfig: {
    html: { description: 'A web page without scripts.' },
    pdf: { description: 'PDF/A-3.' },
    ubl: { description: 'EN 16931 as UBL 2.1 XML.' },
    cii: { description: 'EN 16931 as UN/CEFACT Cross Industry Invoice XML.' },
    xrechnung: { description: 'XRechnung 3.0 as UBL 2.1 XML, for German public bodies.' },
    xrechnung_cii: { description: 'XRechnung 3.0 as Cross Industry Invoice XML.' },
    peppol_bis_3: { description: 'Peppol BIS Billing 3.0, as UBL 2.1 XML.' },
    factur_x: { description: 'The PDF with the CII document attached (Factur-X, ZUGFeRD).' },
    factur_x_fr: { description: 'Factur-X by the rules of France (AFNOR XP Z12-012).' },
    ubl_fr: { description: 'UBL 2.1 XML by the rules of France (AFNOR XP Z12-012).' },
    json: { description: 'The record from which all formats are made.' },
  },
});

@ObjectType('Document', { simpleResolvers: true, description: 'A document as a file.' })
export class DocumentType {
  @Field(() => String, { description: 'The media type.' })
  contentType!: string;

  @Field(() => String, { description: 'A name for the file.' })
  fileName!: string;
}

@Resolver(() => DocumentType)
export class DocumentResolver {
  @FieldResolver(() => String, { description: 'The bytes of the file in Base64 (RFC 4648).' })
  base64(@Ctx() { download }: Context, @Root() { bytes }: DocumentFile): string {
    if (!download) return bytes.toString('base64');
    download.bytes = bytes;
    return '';
  }
}

/** The argument and the cost of every field that makes a document. */
export const formatArgument = { description: 'The format.' };

/** A page of PDF takes about as long as two hundred records. */
export const documentWork = declareWork({ cost: 200, size: 2000 });

addDocumentUrls<InvoiceRow>(() => Invoice, {
  hasDocument,
  otherwise: '; null until it is finalized',
  extensions: openInPortal('invoices'),
});

@Resolver(() => Invoice)
export class InvoiceDocumentResolver {
  @Extensions(documentWork)
  @FieldResolver(() => DocumentType, {
    nullable: true,
    description:
      'The document, made from what the invoice, the seller and the customer were when it was finalized. ' +
      'Errors: `invoice_not_finalized`, and `validation_failed` for e-invoices if details that EN 16931 or ' +
      'the rules of the format require are missing. That of an erased customer needs the permission `read_documents` ' +
      '(`permission_missing`).',
  })
  document(
    @Ctx() context: Context,
    @Root() invoice: InvoiceRow,
    @Arg('format', () => DocumentFormatType, formatArgument) format: DocumentFormat,
  ): Promise<DocumentFile> {
    return findInvoiceDocument(
      context.tenant,
      invoice,
      format,
      context.permissions.includes('read_documents'),
    );
  }
}
