/** How lines of usage are described on documents, in the customer's language. */
import { decimalText } from '../../lib/money.ts';
import { fillText } from '../../lib/texts.ts';
import { chooseNumberFormat } from '../../documents/language.ts';
import type { CommitmentExplanation, UsageLineExplanation } from '../pricing/usagePrice.ts';
import {
  describePackages,
  describeTiers,
  describeUnitPrice,
  findTexts,
  writeMoney,
  writeUnitAmount,
} from './lineFigures.ts';

/** The figures behind a line of usage, or of a commitment. */
export type UsageFigures = UsageLineExplanation | CommitmentExplanation;

/** Describes what a line of usage charges. */
export function describeUsageLine(
  { part }: Pick<UsageFigures, 'part'>,
  productName: string,
  locale: string,
): string {
  const texts = findTexts(locale);
  const text = {
    usage: texts.usage,
    minimum: texts.minimumSpend,
    late: texts.lateUsage,
    interim: texts.usageSoFar,
    commitment: texts.commitment,
    overage: texts.overage,
  }[part];
  return fillText(text, { of: productName });
}

/** Describes how the amount of a line of usage was computed. */
export function describeUsage(figures: UsageFigures, currency: string, locale: string): string[] {
  if ('commitmentWindowId' in figures) return describeCommitment(figures, currency, locale);
  const { part, usage, includedUnits, usageMinor, minimumMinor, maximumMinor, billedMinor, coveredMinor } =
    figures;
  const texts = findTexts(locale);
  const format = chooseNumberFormat(locale);
  const writeMinor = (amountMinor: string) =>
    writeMoney(format(decimalText(BigInt(amountMinor), currency)), currency);
  const least =
    minimumMinor === undefined ? [] : [fillText(texts.least, { amount: writeMinor(minimumMinor) })];
  if (part === 'minimum') return least;
  const counted = fillText(texts.counted, { count: format(usage) });
  const included =
    includedUnits === undefined ? '' : `, ${fillText(texts.included, { count: format(includedUnits) })}`;
  const isCapped = usageMinor !== undefined && maximumMinor !== undefined;
  return [
    `${counted}${included}`,
    ...describeCharges(figures, currency, locale),
    ...(isCapped ? [fillText(texts.most, { amount: writeMinor(maximumMinor) })] : []),
    ...(part === 'late' ? least : []),
    ...(billedMinor === undefined ? [] : [fillText(texts.billed, { amount: writeMinor(billedMinor) })]),
    ...(coveredMinor === undefined ? [] : [fillText(texts.covered, { amount: writeMinor(coveredMinor) })]),
  ];
}

function describeCommitment(
  { committedMinor, usedMinor, overageFactor, billedMinor }: CommitmentExplanation,
  currency: string,
  locale: string,
): string[] {
  const { spent, times, billed } = findTexts(locale);
  const format = chooseNumberFormat(locale);
  const write = (amountMinor: string) =>
    writeMoney(format(decimalText(BigInt(amountMinor), currency)), currency);
  return [
    fillText(spent, { used: write(usedMinor), committed: write(committedMinor) }),
    ...(overageFactor === undefined ? [] : [fillText(times, { factor: format(overageFactor) })]),
    ...(billedMinor === undefined ? [] : [fillText(billed, { amount: write(billedMinor) })]),
  ];
}

function describeCharges(figures: UsageLineExplanation, currency: string, locale: string): string[] {
  const { model, unitAmount, packageSize, tiers = [], rates, usage } = figures;
  if (model === 'percentage') return describePercentage(figures, currency, locale);
  if (rates)
    return rates
      .filter(({ quantity }) => quantity !== '0')
      .map((rate) => {
        const price = describeUnitPrice(rate.quantity, rate.unitAmount, currency, locale);
        const names = Object.values(rate.match).map((value) => value ?? '–');
        return names.length > 0 ? `${names.join(', ')}: ${price}` : price;
      });
  if (unitAmount === undefined) return describeTiers(tiers, currency, locale);
  if (model === 'package')
    return [describePackages({ units: usage, packageSize, unitAmount }, currency, locale)];
  return [writeUnitAmount(unitAmount, currency, locale)];
}

function describePercentage(
  { percentage, events = 0, chargedAmount = '0' }: UsageLineExplanation,
  currency: string,
  locale: string,
): string[] {
  if (!percentage) return [];
  const { eventShare, eachEvent } = findTexts(locale);
  const format = chooseNumberFormat(locale);
  const share = fillText(eventShare, {
    percent: `${format(percentage.percent)} %`,
    amount: writeUnitAmount(chargedAmount, currency, locale),
    count: format(String(events)),
  });
  const { fixedPerEvent } = percentage;
  if (fixedPerEvent === undefined) return [share];
  return [share, fillText(eachEvent, { amount: writeUnitAmount(fixedPerEvent, currency, locale) })];
}
