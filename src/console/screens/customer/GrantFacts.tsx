import { termTexts } from '../../billing/credits/texts.ts';
import { useCreditTypes } from '../../billing/credits/queries.ts';
import { Facts } from '../../design/Page.tsx';
import { When } from '../../design/Values.tsx';
import { useWriteCredit } from '../../billing/credits/amounts.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import type { Grant } from './grantQueries.ts';
import { grantTexts as texts } from './texts.ts';

/** The terms of a credit grant. */
export function GrantFacts({ grant }: { grant: Grant }) {
  const t = useTexts(texts);
  const terms = useTexts(termTexts);
  const format = useFormat();
  const scope = useScope(grant);
  const { category, priority, effectiveAt, expiresAt, costBasis, rollover, alertedPercent } = grant;
  const { alertBelow: amount, alertBelowCredits: credits, alertedBelowAt, creditType } = grant;
  const writeCredit = useWriteCredit();
  const write = (decimal: string) => format.number(Number(decimal), { maximumFractionDigits: 12 });
  return (
    <Facts
      facts={[
        [t.kind, t[category]],
        [t.priority, format.number(priority)],
        [t.begins, <When at={effectiveAt} />],
        [t.expires, expiresAt ? <When at={expiresAt} /> : undefined],
        [terms.costBasis, category === 'paid' ? write(costBasis) : undefined],
        [t.alerted, alertedPercent === null ? undefined : format.percent(alertedPercent / 100)],
        [t.alertBelow, amount || credits ? writeCredit({ amount, credits, creditType }) : undefined],
        [t.alertedBelow, alertedBelowAt ? <When at={alertedBelowAt} /> : undefined],
        [terms.lowers, scope],
        [
          terms.rollover,
          rollover
            ? terms.until(
                rollover.maximum
                  ? terms.keptMaximum(format.money(rollover.maximum))
                  : terms.keptPercent(write(rollover.percent ?? '100')),
                format.date(rollover.until),
              )
            : undefined,
        ],
      ]}
    />
  );
}

/** Returns the charges that a grant lowers, by name; undefined for all. */
function useScope({ appliesTo }: Grant): string | undefined {
  const terms = useTexts(termTexts);
  const format = useFormat();
  const meters = useCreditTypes().data?.meters?.nodes ?? [];
  if (!appliesTo) return undefined;
  const names = appliesTo.meterIds.map((id) => meters.find((meter) => meter.id === id)?.name ?? id);
  const prices = appliesTo.priceIds.length > 0 ? [terms.byPrices] : [];
  return format.list([...names, ...prices]);
}
