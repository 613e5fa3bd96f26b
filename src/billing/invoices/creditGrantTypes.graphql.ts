import { Extensions, Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { Money } from '../../graphql/money.ts';
import { Node, refetchBy } from '../../graphql/node.ts';
import { Currency, DateTime, Decimal } from '../../graphql/scalars.ts';
import { Frequency } from '../catalog/priceInput.graphql.ts';
import { CreditCategory } from './creditGrantInput.graphql.ts';

export const GrantEffect = { before_tax: 'before_tax', total: 'total' } as const;
registerEnumType(GrantEffect, {
  name: 'CreditGrantEffect',
  description: 'What a credit grant does to a bill.',
  valuesConfig: {
    before_tax: { description: 'Lowers its lines before their tax.' },
    total: { description: 'Pays its total with the tax, as a part of the balance.' },
  },
});

export const GrantStatus = {
  pending: 'pending',
  active: 'active',
  used_up: 'used_up',
  expired: 'expired',
  voided: 'voided',
} as const;
registerEnumType(GrantStatus, {
  name: 'CreditGrantStatus',
  description: 'The status of a credit grant.',
  valuesConfig: {
    pending: { description: 'It begins later.' },
    active: { description: 'It can pay.' },
    used_up: { description: 'Nothing is left of it.' },
    expired: { description: 'Its end has passed.' },
    voided: { description: 'Its remainder was voided.' },
  },
});

const UseKind = { use: 'use', return: 'return', expire: 'expire', void: 'void' } as const;
registerEnumType(UseKind, {
  name: 'CreditGrantUseKind',
  description: 'What happened to a part of a credit grant.',
  valuesConfig: {
    use: { description: 'An invoice used it.' },
    return: { description: 'An invoice returned it, because it was voided or refunded.' },
    expire: { description: 'It expired.' },
    void: { description: 'It was voided.' },
  },
});

@ObjectType('CreditPeriod', { simpleResolvers: true, description: 'A time in the calendar.' })
export class CreditPeriodType {
  @Field(() => Frequency, { description: 'The unit.' })
  frequency!: Frequency;

  @Field(() => Int, { description: 'The number of units.' })
  period!: number;
}

@ObjectType('CreditRollover', {
  simpleResolvers: true,
  description: 'What a credit grant keeps when it expires, once.',
})
export class CreditRolloverType {
  @Field(() => Decimal, {
    nullable: true,
    description: 'The kept percentage of the remainder, if it is one.',
  })
  percent!: string | null;

  @Field(() => Money, { nullable: true, description: 'The most that is kept, if it is an amount.' })
  maximum!: Money | null;

  @Field(() => CreditPeriodType, { description: 'How long it is kept.' })
  expiresAfter!: CreditPeriodType;

  @Field(() => DateTime, { description: 'When the kept part expires.' })
  until!: string;
}

@ObjectType('CreditScope', {
  simpleResolvers: true,
  description: 'The charges that a credit grant lowers: those of prices, and of the usage of meters.',
})
export class CreditScopeType {
  @Field(() => [ID], { description: 'The prices.' })
  priceIds!: string[];

  @Field(() => [ID], { description: 'The meters.' })
  meterIds!: string[];
}

@Extensions(refetchBy(({ read }, id) => read.one('balanceEntries', { id, kind: 'grant' })))
@ObjectType('CreditGrant', {
  implements: Node,
  simpleResolvers: true,
  description: 'Credit of a customer with terms of its own: sold or given.',
})
export class CreditGrant extends Node {
  @Field(() => ID, { description: 'The customer.' })
  customerId!: string;

  @Field(() => CreditCategory, { description: 'Whether it was sold or given.' })
  category!: string;

  @Field(() => Currency, { description: 'The currency of the bills that it pays.' })
  currency!: string;

  @Field(() => ID, { nullable: true, description: 'The type of its credits; null for an amount of money.' })
  creditTypeId!: string | null;

  @Field(() => Decimal, { description: 'What was paid for a unit of its amount.' })
  costBasis!: string;

  @Field(() => Int, { description: '0 to 100; the lowest is used first.' })
  priority!: number;

  @Field(() => DateTime, { description: 'From when on it can pay.' })
  effectiveAt!: string;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the remainder expires; null for never. After a rollover, when the kept part expires.',
  })
  expiresAt!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When it was voided.' })
  voidedAt!: string | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'The highest share of its amount, in percent, of whose use an event has told; null for none.',
  })
  alertedPercent!: number | null;

  @Field(() => DateTime, {
    nullable: true,
    description:
      'When an event has told that less than `alertBelow` or `alertBelowCredits` is left; null while that much is left.',
  })
  alertedBelowAt!: string | null;

  @Field(() => DateTime, { description: 'When it was created.' })
  createdAt!: string;
}

@Extensions(
  refetchBy(({ read }, id) => read.one('balanceEntries', { id, kind: ['use', 'return', 'expire', 'void'] })),
)
@ObjectType('CreditGrantUse', {
  implements: Node,
  simpleResolvers: true,
  description: 'An amount that was used of a credit grant, returned to it, or ended.',
})
export class CreditGrantUse extends Node {
  @Field(() => UseKind, { description: 'What happened.' })
  kind!: string;

  @Field(() => DateTime, { description: 'When it happened.' })
  createdAt!: string;
}

@ObjectType('CreditBalance', {
  simpleResolvers: true,
  description: 'What credit grants of a category have left in a currency, as money or in credits of a type.',
})
export class CreditBalance {
  @Field(() => CreditCategory, { description: 'Whether they were sold or given.' })
  category!: string;

  @Field(() => Currency, { description: 'The currency of the bills that they pay.' })
  currency!: string;

  @Field(() => ID, { nullable: true, description: 'The credit type; null for money.' })
  creditTypeId!: string | null;
}
