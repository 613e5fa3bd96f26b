/** What the usage of a subscription will cost, in the payer's language. */
import { html, type Html } from '../../lib/html.ts';
import { listItems, type Agreement } from '../../billing/pricing/invoiceLines.ts';
import type { PriceTier, UsagePricing } from '../../storage/model/common.ts';
import type { PayTranslator } from './texts.ts';

type Speech = Pick<PayTranslator, 'say' | 'formats'>;

/** Describes each price of usage of an order: a sentence, and the amounts of its units on a line each. */
export const describeUsageTerms = (speech: Speech, agreement: Agreement): Html[] =>
  listItems(agreement).flatMap(({ pricing, productName, currency }) => {
    if (!pricing?.usage) return [];
    const parts = [
      ...describePrices(speech, pricing, currency),
      ...describeBounds(speech, pricing, currency),
    ];
    return [
      html`${speech.say('usageOf', { product: productName })}${parts.map((part) => html`<br />${part}`)}`,
    ];
  });

function describePrices({ say, formats }: Speech, pricing: UsagePricing, currency: string): Html[] {
  const ofUnit = (unitAmount: string) => say('perUnit', { price: formats.unitAmount(unitAmount, currency) });
  if (pricing.model === 'percentage') {
    const { percent, fixedPerEvent } = pricing.percentage;
    const fixed = fixedPerEvent === undefined ? '' : ` + ${formats.unitAmount(fixedPerEvent, currency)}`;
    return [html`<bdi>${formats.percent(percent)}${fixed}</bdi>`];
  }
  if (pricing.usage.rates)
    return pricing.usage.rates.map(({ match, unitAmount }) => {
      const names = Object.values(match).map((value) => value ?? '–');
      return names.length === 0
        ? say('otherUnits', { price: ofUnit(unitAmount) })
        : html`<bdi>${names.join(', ')}</bdi>: ${ofUnit(unitAmount)}`;
    });
  if ('tiers' in pricing)
    return pricing.tiers.map((tier, index) =>
      describeTier({ say, formats }, pricing.tiers, index, currency, ofUnit(tier.unitAmount)),
    );
  if (pricing.model !== 'package') return [ofUnit(pricing.unitAmount)];
  const size = formats.number(pricing.packageSize);
  return [say('packages', { count: size, size, price: formats.unitAmount(pricing.unitAmount, currency) })];
}

function describeTier(
  { say, formats }: Speech,
  tiers: readonly PriceTier[],
  index: number,
  currency: string,
  price: Html,
): Html {
  const { upTo, flatAmount } = tiers[index]!;
  const before = tiers[index - 1]?.upTo;
  const range = upTo === null ? `> ${formats.number(before ?? '0')}` : `≤ ${formats.number(upTo)}`;
  const flat =
    Number(flatAmount) === 0
      ? html``
      : html` ${say('flat', { amount: formats.unitAmount(flatAmount, currency) })}`;
  return html`<bdi>${range}</bdi>: ${price}${flat}`;
}

function describeBounds({ say, formats }: Speech, { usage }: UsagePricing, currency: string): Html[] {
  const { includedUnits, minimumMinor, maximumMinor } = usage;
  const toMoney = (amountMinor: string) => ({ amount: formats.money(BigInt(amountMinor), currency) });
  return [
    ...(includedUnits === undefined ? [] : [say('usageIncluded', { count: formats.number(includedUnits) })]),
    ...(minimumMinor === undefined ? [] : [say('usageAtLeast', toMoney(minimumMinor))]),
    ...(maximumMinor === undefined ? [] : [say('usageAtMost', toMoney(maximumMinor))]),
  ];
}
