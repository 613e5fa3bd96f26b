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
  description: 'What a line stands for.',
  valuesConfig: {
    CYCLE: { description: 'A whole billing cycle.' },
    STUB: { description: 'The shorter first period up to the billing anchor.' },
    PRORATION_CREDIT: { description: 'The unused rest of a period that was paid.' },
    PRORATION_CHARGE: { description: 'The rest of a period at a new price.' },
    BALANCE: { description: "Taken from, or left to, the customer's balance." },
  },
});

@ObjectType('InvoiceLine', {
  simpleResolvers: true,
  description: 'One part of what is billed, and the figures that its amount was computed from.',
})
export class BillLine {
  @Field(() => InvoiceLineKind, { description: 'What the line stands for.' })
  kind!: string;

  @Field(() => String, { description: 'The line in words.' })
  description!: string;

  @Field(() => DateTime, { description: 'Where its period begins, included.' })
  periodStart!: string;

  @Field(() => DateTime, { description: 'Where its period ends, not included.' })
  periodEnd!: string;

  @Field(() => JSONObject, {
    description:
      'amount = round half up (priceMinor × remainingMs ÷ totalMs), in minor units, negative for a credit; a credit ' +
      'of a line that had given back something × (paidMinor − givenBackMinor) ÷ paidMinor before it is rounded; ' +
      'or what was taken from (negative) or left to a balance.',
  })
  explanation!: Record<string, unknown>;
}

@Resolver(() => BillLine)
export class LineResolver {
  @FieldResolver(() => Money, { description: 'What it comes to; a credit is negative.' })
  amount(@Root() line: Line & { currency: string }): Money {
    return toMoney(line.amountMinor, line.currency);
  }
}
