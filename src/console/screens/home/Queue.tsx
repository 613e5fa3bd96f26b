import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useScreenQuery } from '../../data/query.tsx';
import { Loaded, Skeleton } from '../../design/Feedback.tsx';
import { Section } from '../../design/Page.tsx';
import { Status, type Tone } from '../../design/Status.tsx';
import { Money, When } from '../../design/Values.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { nameCustomer } from '../../texts/names.ts';
import { QueueQuery, type QueueData } from './query.ts';
import { texts } from './texts.ts';

/** What needs a person: payments that failed, webhooks that did not arrive, trials that end. */
export function Queue() {
  const t = useTexts(texts);
  const result = useScreenQuery(
    QueueQuery,
    {},
    { types: ['PaymentEvent', 'InvoiceEvent', 'SubscriptionEvent', 'WebhookEvent'] },
  );
  return (
    <Section title={t.todo}>
      <Loaded result={result} skeleton={<Skeleton lines={3} />}>
        {(data) => <Items data={data} />}
      </Loaded>
    </Section>
  );
}

function Items({ data: { paymentsToRecover: payments, deliveries, trials } }: { data: QueueData }) {
  const t = useTexts(texts);
  const total = [payments, deliveries, trials].reduce((sum, list) => sum + (list?.totalCount ?? 0), 0);
  if (total === 0) return <p className="soft">{t.nothingToDo}</p>;
  return (
    <ul className="queue">
      {payments?.nodes.map(({ id, subscription, amount, failedSince, nextTryAt }) => (
        <Item
          key={id}
          tone="bad"
          word={t.failedPayment}
          href={`/subscriptions/${subscription.id}`}
          title={nameCustomer(subscription.customer) ?? subscription.productName}
          end={<Money amount={amount} />}
        >
          {t.since} <When at={failedSince} />
          {nextTryAt ? (
            <>
              , {t.nextTry} <When at={nextTryAt} as="relative" />
            </>
          ) : (
            `, ${t.noMoreTries}`
          )}
        </Item>
      ))}
      <More list={payments} href="/payments" />
      {deliveries?.nodes.map(({ id, type, createdAt, attemptCount }) => (
        <Item key={id} tone="late" word={t.failedWebhook} href={`/deliveries/${id}`} title={type}>
          {t.attempts(String(attemptCount))} <When at={createdAt} as="relative" />
        </Item>
      ))}
      <More list={deliveries} href="/webhooks" />
      {trials?.nodes.map(({ id, productName, customer, trialEndsAt }) => (
        <Item
          key={id}
          tone="waiting"
          word={t.trial}
          href={`/subscriptions/${id}`}
          title={nameCustomer(customer) ?? productName}
        >
          {productName}, {t.ends} <When at={trialEndsAt} as="relative" />
        </Item>
      ))}
      <More list={trials} href="/subscriptions?status=trialing" />
    </ul>
  );
}

interface ItemProps {
  tone: Tone;
  word: string;
  href: string;
  title: string;
  children: ReactNode;
  end?: ReactNode;
}

function Item({ tone, word, href, title, children, end }: ItemProps) {
  return (
    <li>
      <Status tone={tone}>{word}</Status>
      <span className="queue-text">
        <Link href={href}>{title}</Link> <span className="soft">{children}</span>
      </span>
      {end}
    </li>
  );
}

/** A link to the rest of a list. */
function More({
  list,
  href,
}: {
  list: { totalCount: number; nodes: unknown[] } | null | undefined;
  href: string;
}) {
  const t = useTexts(texts);
  const format = useFormat();
  const rest = (list?.totalCount ?? 0) - (list?.nodes.length ?? 0);
  if (rest <= 0) return null;
  return (
    <li>
      <Link href={href}>{t.more(format.number(rest))}</Link>
    </li>
  );
}
