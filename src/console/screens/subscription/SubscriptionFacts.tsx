import { sumAmounts } from '../../billing/arithmetic.ts';
import { NextInvoice } from '../../billing/NextInvoice.tsx';
import { MetadataFacts, OrderMetadata } from '../../billing/Metadata.tsx';
import { Facts, Figure } from '../../design/Page.tsx';
import { Id, Money, When } from '../../design/Values.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import type { SubscriptionData } from './query.ts';
import { writeInterval } from './interval.ts';
import { texts } from './texts.ts';

/** The column beside a subscription: its price, its dates, what it is charged to, and whether it grants access. */
export function SubscriptionFacts({ subscription }: { subscription: SubscriptionData }) {
  const t = useTexts(texts);
  const format = useFormat();
  const { items, access, paymentMethod: method, currentPeriodStart, currentPeriodEnd } = subscription;
  const recurring = items[0]?.price?.recurring;
  const words = t as unknown as Record<string, string>;
  // Of access that is denied, it is when it ended.
  const until = access.granted && access.until ? ` ${t.untilDate(format.date(access.until))}` : '';
  const { spendAlerts, spendAlerted: sent } = subscription;
  const sentText = sent ? ` (${t.alertSent(format.money(sent))})` : '';
  const alerts =
    spendAlerts.length > 0 ? format.list(spendAlerts.map((amount) => format.money(amount))) + sentText : '';
  return (
    <>
      <Figure name={t.price} note={recurring && writeInterval(recurring, t, format)}>
        <Money amount={sumAmounts(items.map(({ agreedPrice }) => agreedPrice))} />
      </Figure>
      <Facts
        facts={[
          [t.access, `${access.granted ? t.granted : t.denied}${until}`],
          [t.nextInvoice, <NextInvoice subscription={subscription} />],
          [
            t.currentPeriod,
            currentPeriodStart && currentPeriodEnd
              ? format.days(currentPeriodStart, currentPeriodEnd)
              : undefined,
          ],
          [t.trialEnd, subscription.trialEndsAt ? <When at={subscription.trialEndsAt} /> : undefined],
          [
            t.paymentMethod,
            method
              ? [method.brand ?? method.type ?? method.provider, method.last4 && `•••• ${method.last4}`]
                  .concat(method.isExpired ? t.expired : [])
                  .filter(Boolean)
                  .join(' ')
              : undefined,
          ],
          [t.reason, subscription.cancellationReason ? words[subscription.cancellationReason] : undefined],
          [t.comment, subscription.cancellationComment ?? undefined],
          [t.alerts, alerts.length > 0 ? alerts : undefined],
          [t.billed, format.number(subscription.billedCount)],
          [t.created, <When at={subscription.createdAt} />],
          [t.id, <Id id={subscription.id} />],
        ]}
      />
      <MetadataFacts of="subscription" record={subscription} />
      <OrderMetadata intentId={subscription.paymentIntentId} />
    </>
  );
}
