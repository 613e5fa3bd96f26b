import {
  Extensions,
  Field,
  FieldResolver,
  ID,
  Int,
  ObjectType,
  registerEnumType,
  Resolver,
  Root,
} from 'type-graphql';
import { openToBrowsers } from '../../graphql/openness.ts';
import { withoutId } from '../../graphql/derivedTypes.ts';
import { Money, toMoney } from '../../graphql/money.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import type { LineDiscount } from '../../storage/model/common.ts';
import { DateTime, Decimal, JSONObject } from '../../graphql/scalars.ts';
import { declareWork } from '../../graphql/work.ts';
import { decimalText, unitAmountText } from '../../lib/money.ts';
import { listLineUses, type LineUse } from '../pricing/creditGrants.ts';
import { formatCredits } from '../pricing/creditUnits.ts';
import { listDiscounts } from '../pricing/discounts.ts';
import type { Line, QuantityExplanation } from '../pricing/invoiceLines.ts';
import type { TierCharge } from '../pricing/priceModel.ts';
import type { UsageLineExplanation } from '../pricing/usagePrice.ts';
import { LineTaxType, type ShownLineTax } from './taxes.graphql.ts';
import { showCharge, TierChargeType } from '../catalog/priceTiers.graphql.ts';

/** The kinds of invoice lines in GraphQL, with their names in the database. */
export const InvoiceLineKind = {
  cycle: 'CYCLE',
  stub: 'STUB',
  proration_credit: 'PRORATION_CREDIT',
  proration_charge: 'PRORATION_CHARGE',
  setup_fee: 'SETUP_FEE',
  item: 'ITEM',
  usage: 'USAGE',
  balance: 'BALANCE',
} as const;
registerEnumType(InvoiceLineKind, {
  name: 'InvoiceLineKind',
  description: 'The kind of an invoice line.',
  valuesConfig: {
    cycle: { description: 'A whole billing cycle.' },
    stub: { description: 'The shorter first period up to the billing anchor.' },
    proration_credit: { description: 'A credit for the unused part of a paid period.' },
    proration_charge: { description: 'A charge for the rest of a period at a new price.' },
    setup_fee: { description: 'The set-up fee of a new subscription, charged once.' },
    item: { description: 'A one-off charge.' },
    usage: { description: 'The usage of a period that has ended, or what is missing to its minimum.' },
    balance: { description: "An amount taken from or added to the customer's balance." },
  },
});

@Extensions(refetchBy(({ read }, id) => read.one('invoiceLines', { id })))
@ObjectType('InvoiceLine', {
  implements: Node,
  simpleResolvers: true,
  description: 'One line of an invoice, with the figures that explain its amount.',
})
export class BillLine extends Node {
  @Extensions(openToBrowsers)
  @Field(() => InvoiceLineKind, { description: 'The kind of line.' })
  kind!: string;

  @Extensions(openToBrowsers)
  @Field(() => String, { description: 'The description of the line.' })
  description!: string;

  @Extensions(openToBrowsers)
  @Field(() => DateTime, { description: 'The start of its period, inclusive.' })
  periodStart!: string;

  @Extensions(openToBrowsers)
  @Field(() => DateTime, {
    description: 'The end of its period, exclusive; documents show the day before it as the last one.',
  })
  periodEnd!: string;

  @Field(() => JSONObject, {
    description:
      'The figures behind the amount: round half up (priceMinor × remainingMs ÷ totalMs), in minor units, ' +
      'negative for a credit. A credit for a line that was partly credited or refunded is also multiplied ' +
      'by (paidMinor − givenBackMinor) ÷ paidMinor before rounding, both with their tax. For a balance line, the amount added to ' +
      '(positive) or taken from (negative) the balance. For a one-off charge, quantity × unitAmount; for a ' +
      'set-up fee, priceMinor. If the price is not flat, priceMinor is computed from model, quantity, and ' +
      'unitAmount, packageSize or tiers. For usage, the units with what they were charged at: usage, includedUnits, unitAmount, ' +
      'packageSize, tiers, rates or percentage; unmatched units, usageMinor and the minimumMinor or maximumMinor that applied; ' +
      'billedMinor, which was billed for the period before and is deducted. For a commitment, usedMinor of committedMinor, and ' +
      'overageFactor. Discounts are deducted from this amount.',
  })
  explanation!: Record<string, unknown>;
}

/** Declares that a field of `InvoiceLine` shows lines that no invoice has. */
export const ofPreview = withoutId({
  name: 'PreviewLine',
  description: 'One line of an expected invoice, with the figures that explain its amount.',
});

/** A discount of a line, with the currency of the line. */
type ShownDiscount = LineDiscount & { currency: string };

@ObjectType('LineDiscount', {
  simpleResolvers: true,
  description: 'The part of a line that a discount took off.',
})
class LineDiscountType {
  @Field(() => ID, { description: 'The discount; empty in a preview of a code that is not redeemed yet.' })
  discountId!: string;
}

@Resolver(() => LineDiscountType)
export class LineDiscountResolver {
  @Extensions(openToBrowsers)
  @FieldResolver(() => Money, { description: 'The amount taken off.' })
  amount(@Root() { amountMinor, currency }: ShownDiscount): Money {
    return toMoney(BigInt(amountMinor), currency);
  }
}

/** A use of a credit grant by a line, with the currency of the line. */
interface ShownGrantUse extends Omit<LineUse, 'creditId'> {
  grantId: string;
  currency: string;
}

@ObjectType('LineCreditGrant', {
  simpleResolvers: true,
  description: 'The part of a line that a credit grant took off before tax.',
})
class LineGrantType {
  @Field(() => ID, { description: 'The credit grant.' })
  grantId!: string;

  @Extensions(openToBrowsers)
  @Field(() => Decimal, {
    nullable: true,
    description: 'The units of usage that its credits cover; null for an amount of money.',
  })
  units?: string | undefined;
}

@Resolver(() => LineGrantType)
export class LineGrantResolver {
  @Extensions(openToBrowsers)
  @FieldResolver(() => Money, { description: 'The amount taken off.' })
  amount(@Root() { amountMinor, currency }: ShownGrantUse): Money {
    return toMoney(amountMinor, currency);
  }

  @Extensions(openToBrowsers)
  @FieldResolver(() => Decimal, {
    nullable: true,
    description: 'The credits of a type that it gave; null for an amount of money.',
  })
  credits(@Root() { credits }: ShownGrantUse): string | null {
    return credits === undefined ? null : formatCredits(credits);
  }
}

const readQuantity = ({ explanation }: Line) => explanation as QuantityExplanation & { priceMinor?: string };

@Resolver(() => BillLine)
export class LineResolver {
  @Extensions(openToBrowsers)
  @FieldResolver(() => Money, {
    description:
      'The amount after discounts and credit grants, as priced: with its tax if `tax.included`. Negative for a credit.',
  })
  amount(@Root() line: Line & { currency: string }): Money {
    return toMoney(line.amountMinor, line.currency);
  }

  @Extensions(openToBrowsers)
  @FieldResolver(() => LineTaxType, { nullable: true, description: 'The tax; null if none was computed.' })
  tax(@Root() { tax, currency }: Line & { currency: string }): ShownLineTax | null {
    return tax ? { ...tax, included: tax.included ?? false, currency } : null;
  }

  @Extensions(declareWork({ cost: 0, size: 2 }))
  @Extensions(openToBrowsers)
  @FieldResolver(() => [LineDiscountType], {
    description: 'The discounts that the amount already contains, in the order in which they were deducted.',
  })
  discounts(@Root() { discounts, currency }: Line & { currency: string }): ShownDiscount[] {
    return listDiscounts(discounts).map((each) => ({ ...each, currency }));
  }

  @Extensions(declareWork({ cost: 0, size: 2 }))
  @Extensions(openToBrowsers)
  @FieldResolver(() => [LineGrantType], {
    description: 'The credit grants that lowered the amount before tax, in the order of their use.',
  })
  creditGrants(@Root() line: Line & { currency: string }): ShownGrantUse[] {
    return listLineUses(line).map(({ creditId: grantId, ...use }) => ({
      grantId,
      ...use,
      currency: line.currency,
    }));
  }

  @Extensions(openToBrowsers)
  @FieldResolver(() => Decimal, {
    nullable: true,
    description:
      'The units of usage that its meter has counted in its period; null for commitments and lines of other kinds.',
  })
  usage(@Root() { kind, explanation }: Line): string | null {
    return kind === 'USAGE' ? ((explanation as Partial<UsageLineExplanation>).usage ?? null) : null;
  }

  @Extensions(openToBrowsers)
  @FieldResolver(() => Int, { description: 'The number of units; 1 for a flat price and for usage.' })
  quantity(@Root() line: Line): number {
    return readQuantity(line).quantity ?? 1;
  }

  @Extensions(openToBrowsers)
  @FieldResolver(() => Decimal, {
    nullable: true,
    description:
      'The price of a unit or package for a full cycle; null for tiers, credits and balance lines.',
  })
  unitAmount(@Root() line: Line): string | null {
    const { unitAmount, tiers, priceMinor } = readQuantity(line);
    if (unitAmount !== undefined) return unitAmountText(unitAmount, line.currency);
    const isFlat = tiers === undefined && priceMinor !== undefined && line.kind !== 'PRORATION_CREDIT';
    return isFlat ? decimalText(BigInt(priceMinor), line.currency) : null;
  }

  @Extensions(openToBrowsers)
  @FieldResolver(() => [TierChargeType], {
    description: 'The tiers used, for a full cycle; empty for other models.',
  })
  tiers(@Root() line: Line): TierCharge[] {
    const { tiers = [] } = readQuantity(line);
    return tiers.map((tier) => showCharge(tier, line.currency));
  }
}
