import { Field, FieldResolver, ObjectType, registerEnumType, Resolver, Root } from 'type-graphql';
import { Money, toMoney } from '../graphql/money.ts';
import { DateTime, JSONObject } from '../graphql/scalars.ts';
import type { Line } from '../pricing/invoiceLines.ts';

const InvoiceLineKind = {
  CYCLE: 'CYCLE',
  STUB: 'STUB',
  PRORATION_CREDIT: 'PRORATION_CREDIT',
  PRORATION_CHARGE: 'PRORATION_CHARGE',
  BALANCE: 'BALANCE',
} as const;
registerEnumType(InvoiceLineKind, {
  name: 'InvoiceLineKind',
  description: 'The kind of an invoice line.',
  valuesConfig: {
    CYCLE: { description: 'A whole billing cycle.' },
    STUB: { description: 'The shorter first period up to the billing anchor.' },
    PRORATION_CREDIT: { description: 'A credit for the unused part of a paid period.' },
    PRORATION_CHARGE: { description: 'A charge for the rest of a period at a new price.' },
    BALANCE: { description: "An amount taken from or added to the customer's balance." },
  },
});

@ObjectType('InvoiceLine', {
  simpleResolvers: true,
  description: 'One line of an invoice, with the figures that explain its amount.',
})
export class BillLine {
  @Field(() => InvoiceLineKind, { description: 'The kind of line.' })
  kind!: string;

  @Field(() => String, { description: 'The description of the line.' })
  description!: string;

  @Field(() => DateTime, { description: 'The start of its period, inclusive.' })
  periodStart!: string;

  @Field(() => DateTime, { description: 'The end of its period, exclusive.' })
  periodEnd!: string;

  @Field(() => JSONObject, {
    description:
      'The figures behind the amount: round half up (priceMinor × remainingMs ÷ totalMs), in minor units, ' +
      'negative for a credit. A credit for a line that was partly credited or refunded is also multiplied ' +
      'by (paidMinor − givenBackMinor) ÷ paidMinor before rounding. For a balance line, the amount added to ' +
      '(positive) or taken from (negative) the balance.',
  })
  explanation!: Record<string, unknown>;
}

@Resolver(() => BillLine)
export class LineResolver {
  @FieldResolver(() => Money, { description: 'The amount; negative for a credit.' })
  amount(@Root() line: Line & { currency: string }): Money {
    return toMoney(line.amountMinor, line.currency);
  }
}
