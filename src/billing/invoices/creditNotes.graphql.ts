import {
  Arg,
  Args,
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  ID,
  ObjectType,
  registerEnumType,
  Resolver,
  Root,
} from 'type-graphql';
import { Query } from '../../graphql/operations.ts';
import { CurrentTenant, searchFilter } from '../../graphql/arguments.ts';
import { AmountConnectionArgs, defineConnection } from '../../graphql/connections.ts';
import type { Context } from '../../graphql/context.ts';
import { Money, toMoney } from '../../graphql/money.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { DateTime } from '../../graphql/scalars.ts';
import type { DocumentFormat } from '../../documents/record.ts';
import { Customer } from '../customers/customers.graphql.ts';
import { sumTaxes } from '../pricing/tax.ts';
import type { CreditNoteLine } from '../../storage/model/common.ts';
import type { TenantScope } from '../../tenancy/tenantScope.ts';
import type { EInvoiceStatus } from '../../storage/model/eInvoices.ts';
import { EInvoiceStatusType } from './eInvoiceStatus.graphql.ts';
import { findCreditNote, listCreditNotes, type CreditNoteRow } from './creditNotes.ts';
import { addDocumentUrls } from './documentUrls.graphql.ts';
import { findCreditNoteDocument } from './documentFiles.ts';
import type { DocumentFile } from '../../documents/record.ts';
import { DocumentFormatType, DocumentType, documentWork, formatArgument } from './documents.graphql.ts';
import { isUnpaid, isWrittenOff, type InvoiceRow } from './invoices.ts';
import { Invoice } from './invoices.graphql.ts';
import { amountReasons } from '../payments/amountFilter.ts';
import { computeOwed, sumKept } from '../payments/returns.ts';

export const CreditNoteKind = { refund: 'refund', credit: 'credit' } as const;
registerEnumType(CreditNoteKind, {
  name: 'CreditNoteKind',
  description: 'What happens with the amount of a credit note.',
  valuesConfig: {
    refund: { description: 'It is refunded, to its source.' },
    credit: {
      description: 'It is added to the balance of the customer; of an open invoice, it is no longer owed.',
    },
  },
});

const CreditNoteStatus = { issued: 'issued', void: 'void' } as const;
registerEnumType(CreditNoteStatus, {
  name: 'CreditNoteStatus',
  description: 'The status of a credit note.',
  valuesConfig: {
    issued: { description: 'It credits its invoice.' },
    void: { description: 'Its refund failed: it credits nothing.' },
  },
});

/** A line with the currency of its credit note. */
type ShownLine = CreditNoteLine & { currency: string };

@ObjectType('CreditNoteLine', {
  simpleResolvers: true,
  description: 'The part of an invoice line that is credited.',
})
class CreditNoteLineType {
  @Field(() => ID, { description: 'The invoice line.' })
  lineId!: string;

  @Field(() => String, { description: 'The description of the invoice line.' })
  description!: string;
}

@Resolver(() => CreditNoteLineType)
export class CreditNoteLineResolver {
  @FieldResolver(() => Money, { description: 'The credited amount without tax.' })
  amount(@Root() { netMinor, currency }: ShownLine): Money {
    return toMoney(BigInt(netMinor), currency);
  }

  @FieldResolver(() => Money, { description: 'The credited tax.' })
  tax(@Root() { taxMinor, currency }: ShownLine): Money {
    return toMoney(BigInt(taxMinor), currency);
  }
}

@Extensions(refetchBy(({ read }, id) => findCreditNote(read, id)))
@ObjectType('CreditNote', {
  implements: Node,
  simpleResolvers: true,
  description: 'A document that credits an invoice in whole or in part. Its amounts are positive.',
})
export class CreditNote extends Node {
  @Field(() => String, { description: 'The number of the document, from the number series of the tenant.' })
  documentNumber!: string;

  @Field(() => ID, { description: 'The credited invoice.' })
  invoiceId!: string;

  @Field(() => ID, { description: 'The customer.' })
  customerId!: string;

  @Field(() => CreditNoteKind, { description: 'What happens with the amount.' })
  kind!: string;

  @Field(() => CreditNoteStatus, { description: 'The status.' })
  status!: string;

  @Field(() => String, { nullable: true, description: 'Why it was issued.' })
  reason!: string | null;

  @Field(() => String, { nullable: true, description: 'Text for the customer.' })
  memo!: string | null;

  @Field(() => DateTime, { description: 'When it was issued.' })
  issuedAt!: string;

  @Field(() => DateTime, { description: 'When it was created.' })
  createdAt!: string;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  updatedAt!: string;
}

const CreditNoteConnection = defineConnection<CreditNoteRow>('CreditNote', () => CreditNote);

addDocumentUrls<CreditNoteRow>(() => CreditNote, {
  hasDocument: () => true,
  otherwise: '',
  extensions: {},
});

@Resolver(() => CreditNote)
export class CreditNoteResolver {
  @FieldResolver(() => Money, { description: 'The credited amount with tax.' })
  total(@Root() { totalMinor, currency }: CreditNoteRow): Money {
    return toMoney(totalMinor, currency);
  }

  @FieldResolver(() => Money, { description: 'The tax in the total.' })
  tax(@Root() { taxes, currency }: CreditNoteRow): Money {
    return toMoney(sumTaxes(taxes), currency);
  }

  @FieldResolver(() => Money, {
    description: 'What can still be credited of the invoice, with tax, after all credit notes so far.',
  })
  async remaining(@Ctx() context: Context, @Root() { invoiceId, currency }: CreditNoteRow): Promise<Money> {
    const lines = await context.listBy('invoiceLines', 'invoiceId', invoiceId);
    return toMoney(sumKept(lines), currency);
  }

  @FieldResolver(() => [CreditNoteLineType], { description: 'The credited parts of invoice lines.' })
  lines(@Root() { lines, currency }: CreditNoteRow): ShownLine[] {
    return lines.map((line) => ({ ...line, currency }));
  }

  @FieldResolver(() => Customer, { nullable: true, description: 'The customer; null if deleted.' })
  customer(@Ctx() context: Context, @Root() { customerId }: CreditNoteRow) {
    return context.byId('customers', customerId);
  }

  @FieldResolver(() => Invoice, { nullable: true, description: 'The credited invoice.' })
  invoice(@Ctx() context: Context, @Root() { invoiceId }: CreditNoteRow) {
    return context.byId('invoices', invoiceId);
  }

  @Extensions(documentWork)
  @FieldResolver(() => DocumentType, {
    nullable: true,
    description: 'The document, made from what the seller and the customer were when it was issued.',
  })
  document(
    @Ctx() context: Context,
    @Root() note: CreditNoteRow,
    @Arg('format', () => DocumentFormatType, formatArgument) format: DocumentFormat,
  ): Promise<DocumentFile> {
    return findCreditNoteDocument(
      context.tenant,
      note,
      format,
      context.permissions.includes('read_documents'),
    );
  }

  @Query(() => CreditNote, {
    nullable: true,
    description: 'Returns a credit note by id.',
    permission: 'read',
    reasons: ['credit_note_not_found'],
  })
  creditNote(
    @CurrentTenant() tenant: TenantScope,
    @Arg('id', () => ID, { description: 'The credit note.' }) id: string,
  ): Promise<CreditNoteRow> {
    return findCreditNote(tenant.read, id);
  }

  @Query(() => CreditNoteConnection, {
    nullable: true,
    description: 'Lists credit notes.',
    permission: 'read',
    reasons: ['cursor_invalid', 'query_timeout', ...amountReasons],
  })
  async creditNotes(
    @CurrentTenant() tenant: TenantScope,
    @Args(() => AmountConnectionArgs) { currency, minAmount, maxAmount, ...page }: AmountConnectionArgs,
    @Arg('customerId', () => ID, { nullable: true, description: 'Filter by customer.' })
    customerId?: string,
    @Arg('invoiceId', () => ID, { nullable: true, description: 'Filter by invoice.' })
    invoiceId?: string,
    @Arg('kind', () => CreditNoteKind, { nullable: true, description: 'Filter by kind.' })
    kind?: CreditNoteRow['kind'],
    @Arg('status', () => CreditNoteStatus, { nullable: true, description: 'Filter by status.' })
    status?: CreditNoteRow['status'],
    @Arg('eInvoiceStatus', () => EInvoiceStatusType, {
      nullable: true,
      description: 'Filter by how far their e-invoices have come.',
    })
    eInvoiceStatus?: EInvoiceStatus,
    @Arg('search', () => String, searchFilter('their number and id, or of their customer')) search?: string,
  ) {
    const amounts = { currency, minAmount, maxAmount };
    const filter = { customerId, invoiceId, kind, status, eInvoiceStatus, search, ...amounts };
    return new CreditNoteConnection(await listCreditNotes(tenant, filter, page));
  }
}

@Resolver(() => Invoice)
export class InvoiceCreditNotesResolver {
  @FieldResolver(() => [CreditNote], { description: 'The credit notes of the invoice, oldest first.' })
  creditNotes(@Ctx() context: Context, @Root() invoice: InvoiceRow): Promise<CreditNoteRow[]> {
    return context.listBy('creditNotes', 'invoiceId', invoice.id);
  }

  @FieldResolver(() => Money, { description: 'What credit notes took off, with tax.' })
  credited(@Root() { creditedMinor, currency }: InvoiceRow): Money {
    return toMoney(creditedMinor ?? 0n, currency);
  }

  @FieldResolver(() => Money, {
    description: 'What the invoice asks for: its total less what was credited before it was paid.',
  })
  amountDue(@Root() invoice: InvoiceRow): Money {
    return toMoney(isUnpaid(invoice) || isWrittenOff(invoice) ? computeOwed(invoice) : 0n, invoice.currency);
  }
}
