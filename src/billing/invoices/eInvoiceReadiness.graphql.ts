import { Arg, Ctx, Field, FieldResolver, ObjectType, Resolver, Root } from 'type-graphql';
import type { MissingField } from '../../documents/missingFields.ts';
import type { DocumentFormat } from '../../documents/record.ts';
import type { Context } from '../../graphql/context.ts';
import { Customer } from '../customers/customers.graphql.ts';
import type { CustomerRow } from '../customers/customers.ts';
import { DocumentFormatType, formatArgument } from './documents.graphql.ts';
import { listMissingNow } from './eInvoiceReadiness.ts';

@ObjectType('MissingDetail', { simpleResolvers: true, description: 'A detail that an e-invoice would lack.' })
class MissingDetailObject {
  @Field(() => String, {
    description: 'The field to complete, such as `customer.buyerReference` or `seller.contact`.',
  })
  path!: string;

  @Field(() => String, { description: 'What is missing.' })
  message!: string;

  @Field(() => String, { description: 'The term of EN 16931, such as `BT-10`.' })
  term!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The national rule that asks for it, such as `BR-DE-15`; null if the standard does.',
  })
  rule?: string | null;
}

@ObjectType('EInvoiceReadiness', {
  simpleResolvers: true,
  description: 'Whether a customer can get e-invoices of a format.',
})
class EInvoiceReadinessObject {
  @Field(() => Boolean, { description: 'Whether nothing is missing.' })
  ready!: boolean;

  @Field(() => [MissingDetailObject], { description: 'What is missing.' })
  missing!: MissingField[];
}

@Resolver(() => Customer)
export class EInvoiceReadinessResolver {
  @FieldResolver(() => EInvoiceReadinessObject, {
    nullable: true,
    description:
      'What an e-invoice of the customer would lack now, by the rules that refuse it later. Error: `validation_failed` for a ' +
      'format that is no e-invoice.',
  })
  async eInvoiceReadiness(
    @Ctx() { tenant }: Context,
    @Root() { id }: CustomerRow,
    @Arg('format', () => DocumentFormatType, formatArgument) format: DocumentFormat,
  ): Promise<EInvoiceReadinessObject> {
    const customer = (await tenant.read.one('customers', { id }))!;
    const at = { tenant: tenant.record, now: tenant.now() };
    const missing = await listMissingNow(tenant.read, at, { customer, purchaseOrder: null }, format);
    return { ready: missing.length === 0, missing };
  }
}
