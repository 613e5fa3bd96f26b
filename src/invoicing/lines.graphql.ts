import { Field, FieldResolver, Int, ObjectType, registerEnumType, Resolver, Root } from 'type-graphql';
import { Money, toMoney } from '../graphql/money.ts';
import { DateTime, Decimal, JSONObject } from '../graphql/scalars.ts';
import { decimalText } from '../lib/money.ts';
import type { Line, QuantityExplanation } from '../pricing/invoiceLines.ts';
import type { TierCharge } from '../pricing/priceModel.ts';
import { PriceTier } from '../catalog/priceTiers.graphql.ts';

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
      'or what was taken from (negative) or left to a balance. Where the price is not flat, priceMinor follows from ' +
      'model, quantity, and unitAmount, packageSize or tiers.',
  })
  explanation!: Record<string, unknown>;
}

@ObjectType('TierCharge', { simpleResolvers: true, description: 'What the units within one tier came to.' })
class LineTier extends PriceTier {
  @Field(() => Decimal, { description: 'How many units were charged by the tier.' })
  quantity!: string;

  @Field(() => Decimal, {
    description: 'Their price and the flat amount of the tier, in major units, not rounded.',
  })
  amount!: string;
}

const readQuantity = ({ explanation }: Line) => explanation as QuantityExplanation & { priceMinor?: string };

@Resolver(() => BillLine)
export class LineResolver {
  @FieldResolver(() => Money, { description: 'What it comes to; a credit is negative.' })
  amount(@Root() line: Line & { currency: string }): Money {
    return toMoney(line.amountMinor, line.currency);
  }

  @FieldResolver(() => Int, { description: 'For how many units; 1 at a flat price.' })
  quantity(@Root() line: Line): number {
    return readQuantity(line).quantity ?? 1;
  }

  @FieldResolver(() => Decimal, {
    nullable: true,
    description:
      'The price of a unit, or of a package, for a whole cycle; null for tiers, a credit and a balance.',
  })
  unitAmount(@Root() line: Line): string | null {
    const { unitAmount, tiers, priceMinor } = readQuantity(line);
    if (unitAmount !== undefined) return unitAmount;
    const isFlat = tiers === undefined && priceMinor !== undefined && line.kind !== 'PRORATION_CREDIT';
    return isFlat ? decimalText(BigInt(priceMinor), line.currency) : null;
  }

  @FieldResolver(() => [LineTier], { description: 'The tiers that were used, for a whole cycle; else none.' })
  tiers(@Root() line: Line): TierCharge[] {
    return readQuantity(line).tiers ?? [];
  }
}
