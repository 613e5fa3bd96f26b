import {
  Ctx,
  Extensions,
  Field,
  FieldResolver,
  ObjectType,
  registerEnumType,
  Resolver,
  Root,
} from 'type-graphql';
import type { DocumentRecord } from '../../documents/record.ts';
import type { Context } from '../../graphql/context.ts';
import { CountryCode, DateTime } from '../../graphql/scalars.ts';
import { declareWork } from '../../graphql/work.ts';
import { Customer } from '../customers/customers.graphql.ts';
import type { CustomerRow } from '../customers/customers.ts';
import { listAgreeing, listPieces, type ShownPiece } from '../tax/locationEvidence.ts';
import { LocationEvidenceGap } from './invoiceEnums.graphql.ts';
import { Invoice } from './invoices.graphql.ts';
import type { InvoiceRow } from './invoices.ts';

const LocationEvidenceKind = {
  billing_address: 'billing_address',
  ip_address: 'ip_address',
  payment_method: 'payment_method',
} as const;
registerEnumType(LocationEvidenceKind, {
  name: 'LocationEvidenceKind',
  description: 'What shows where a customer is (Implementing Regulation (EU) 282/2011, article 24f).',
  valuesConfig: {
    billing_address: { description: 'The billing address (24f(a)).' },
    ip_address: { description: 'The IP address of the payer (24f(b)).' },
    payment_method: { description: 'The country of the card or the account (24f(c)).' },
  },
});

@ObjectType('LocationEvidence', {
  simpleResolvers: true,
  description: 'A piece of evidence of where a customer is.',
})
class LocationEvidenceType {
  @Field(() => LocationEvidenceKind, { description: 'What it is.' })
  kind!: string;

  @Field(() => CountryCode, { description: 'The country that it shows.' })
  country!: string;

  @Field(() => DateTime, { nullable: true, description: 'When it was seen; null for an address.' })
  at!: string | null;
}

@ObjectType('InvoiceEvidence', { description: 'The evidence of where the customer of an invoice is.' })
class InvoiceEvidence {
  @Field(() => [LocationEvidenceType], { description: 'The pieces: at most one of each kind.' })
  pieces!: ShownPiece[];

  @Field(() => [LocationEvidenceKind], {
    description: 'The kinds of the pieces that show the country whose tax applies.',
  })
  agreeing!: string[];

  @Field(() => LocationEvidenceGap, {
    nullable: true,
    description: 'What is wrong with them; null if two agree with the tax, or if none are needed.',
  })
  gap!: string | null;
}

const work = declareWork({ cost: 0, size: 3 });

@Resolver(() => Customer)
export class CustomerLocationResolver {
  @Extensions(work)
  @FieldResolver(() => [LocationEvidenceType], {
    description: 'Where the customer is by their address, and by what was seen last of each other kind.',
  })
  locationEvidence(@Root() { address, locationEvidence }: CustomerRow): ShownPiece[] {
    return listPieces({ address }, locationEvidence);
  }
}

@Resolver(() => Invoice)
export class InvoiceEvidenceResolver {
  @Extensions(declareWork({ cost: 1, size: 5 }))
  @FieldResolver(() => InvoiceEvidence, {
    nullable: true,
    description:
      'The evidence of where the customer is, as of the document, with what was seen later while it was not paid; null for a draft, ' +
      'without tax, and once the documents of an erased customer are erased.',
  })
  async locationEvidence(
    @Ctx() context: Context,
    @Root() invoice: InvoiceRow,
  ): Promise<InvoiceEvidence | null> {
    const { id, taxCountry, evidenceGap } = invoice;
    const document = await context.byId('documents', id);
    if (!document || taxCountry === null) return null;
    const { address } = (document.record as unknown as DocumentRecord).buyer;
    const pieces = listPieces({ address }, document.evidence);
    const agreeing = listAgreeing(pieces, address, taxCountry).map(({ kind }) => kind);
    return pieces.length === 0 ? null : { pieces, agreeing, gap: evidenceGap };
  }
}
