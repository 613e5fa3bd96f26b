import { Arg, Ctx, Extensions, Field, FieldResolver, ObjectType, Resolver, Root } from 'type-graphql';
import type { MissingField } from '../../documents/fieldRows.ts';
import type { MailedFormat } from '../../storage/model/parties.ts';
import { declareWork } from '../../graphql/work.ts';
import type { Context } from '../../graphql/context.ts';
import { EInvoiceFormat } from '../../graphql/parties.ts';
import { Customer } from '../customers/customers.graphql.ts';
import type { CustomerRow } from '../customers/customers.ts';
import { formatArgument } from './documents.graphql.ts';
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
  @Extensions(declareWork({ cost: 20 }))
  @FieldResolver(() => EInvoiceReadinessObject, {
    nullable: true,
    description:
      'What an e-invoice of the customer would lack now, by the rules that refuse it later; null if they are deleted.',
  })
  async eInvoiceReadiness(
    @Ctx() { tenant }: Context,
    @Root() { id }: CustomerRow,
    @Arg('format', () => EInvoiceFormat, formatArgument) format: MailedFormat,
  ): Promise<EInvoiceReadinessObject | null> {
    const customer = await tenant.read.one('customers', { id });
    // Who has just been deleted gets no document.
    if (!customer) return null;
    const at = { tenant: tenant.record, now: tenant.now() };
    const missing = await listMissingNow(tenant.read, at, { customer, purchaseOrder: null }, format);
    return { ready: missing.length === 0, missing };
  }
}
