import { Ctx, Extensions, FieldResolver, Resolver, Root } from 'type-graphql';
import type { Context } from '../../../graphql/context.ts';
import { declareWork } from '../../../graphql/work.ts';
import { buildHomeTax, TaxInHomeCurrency } from '../../invoices/taxConversions.graphql.ts';
import { previewConversion } from '../../invoices/taxConversions.ts';
import { summarizeTaxes, sumTaxes } from '../../pricing/tax.ts';
import type { BillPreview } from './changePreview.ts';
import { InvoicePreview } from './previews.graphql.ts';

@Resolver(() => InvoicePreview)
export class PreviewTaxResolver {
  @Extensions(declareWork({ cost: 10 }))
  @FieldResolver(() => TaxInHomeCurrency, {
    nullable: true,
    description:
      'The tax in the currency in which the seller owes it, by the rates that are known today; null if the bill is in that currency.',
  })
  async taxInHomeCurrency(
    @Ctx() { tenant }: Context,
    @Root() { lines, currency }: BillPreview,
  ): Promise<TaxInHomeCurrency | null> {
    const taxMinor = sumTaxes(summarizeTaxes(lines));
    const at = { tenant: tenant.record, now: tenant.now() };
    const preview = await previewConversion(tenant.read, at, { currency, taxMinor });
    return preview ? buildHomeTax(preview.currency, preview.day, preview.conversion) : null;
  }
}
