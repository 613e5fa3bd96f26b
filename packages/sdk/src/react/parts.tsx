import { useId, useState } from 'react';
import type { ReactNode } from 'react';
import { Money } from '../money.ts';
import type { Amount, OwnEntitlement, OwnSubscription, Plan, PlanPrice, Viewer } from './documents.ts';
import { useActions, useChangePreview, usePlans, useUsage, useViewer } from './hooks.tsx';

/** The texts of the parts; each can be replaced. */
export const texts = {
  plans: 'Plans',
  subscriptions: 'Subscriptions',
  usage: 'Usage',
  loading: 'Loading …',
  failed: 'This could not be done. Try again.',
  choose: (plan: string) => `Choose ${plan}`,
  present: 'Your plan',
  price: (amount: string, period: number, frequency: string) =>
    period === 1
      ? `${amount} per ${units[frequency]?.[0] ?? frequency}`
      : `${amount} every ${period} ${units[frequency]?.[1] ?? frequency}`,
  trial: (days: number) => `${days} days free`,
  total: (amount: string) => `You pay ${amount} now.`,
  next: (amount: string, date: string) => `Then ${amount} on ${date}.`,
  confirm: 'Confirm',
  back: 'Back',
  cancel: (plan: string) => `Cancel ${plan}`,
  uncancel: (plan: string) => `Keep ${plan}`,
  cancelQuestion: (plan: string, date: string) => `${plan} will end on ${date}.`,
  ends: (date: string) => `Ends on ${date}`,
  renews: (date: string) => `Renews on ${date}`,
  noSubscription: 'You have no subscription.',
  noUsage: 'Your plan has no limits.',
  used: (used: string, limit: string) => `${used} of ${limit} used`,
  allowed: 'Included',
  notAllowed: 'Not included',
};

const units: Record<string, [string, string]> = {
  Daily: ['day', 'days'],
  Weekly: ['week', 'weeks'],
  Monthly: ['month', 'months'],
  Yearly: ['year', 'years'],
};

/** Texts of the adopter's own, and the language of amounts and dates. */
export interface PartProps {
  texts?: Partial<typeof texts>;
  locale?: string;
}

const useTexts = ({ texts: own, locale }: PartProps) => ({
  ...texts,
  ...own,
  money: (amount: Amount) => Money.format(amount, locale),
  // The same on the server and in the page, wherever both are.
  date: (instant: string) =>
    new Date(instant).toLocaleDateString(locale, { dateStyle: 'long', timeZone: 'UTC' }),
});

type Texts = ReturnType<typeof useTexts>;

const Problem = ({ error, text }: { error: Error | undefined; text: Texts }) =>
  error ? (
    <p role="alert" data-perennial="error">
      {error.message || text.failed}
    </p>
  ) : null;

const Loading = ({ text }: { text: Texts }) => (
  <p role="status" data-perennial="loading">
    {text.loading}
  </p>
);

/** The properties of the table of plans. */
export interface PricingTableProps extends PartProps {
  /** Where a payer goes after the payment. */
  receiptUrl: string;
  /** Where a payer goes who does not pay. Default: the page. */
  returnUrl?: string;
  /** Which prices are shown, such as those of a month. */
  filter?: (price: PlanPrice, plan: Plan) => boolean;
  /** Opens the payment page. Default: in the place of this page. */
  open?: (paymentUrl: string) => void;
}

/** Shows the plans with their prices. A choice orders a plan, or changes to it after a preview. */
export function PricingTable(props: PricingTableProps): ReactNode {
  const text = useTexts(props);
  const plans = usePlans();
  const viewer = useViewer();
  const heading = useId();
  const [choice, setChoice] = useState<{ subscription: OwnSubscription; price: PlanPrice }>();
  if (!plans.data) return plans.error ? <Problem error={plans.error} text={text} /> : <Loading text={text} />;
  return (
    <section aria-labelledby={heading} data-perennial="pricing-table">
      <h2 id={heading}>{text.plans}</h2>
      {/* A list without marks of its own, which some browsers would not announce otherwise. */}
      <ul role="list">
        {plans.data.map((plan) => (
          <PlanItem
            key={plan.id}
            plan={plan}
            viewer={viewer.data ?? undefined}
            text={text}
            props={props}
            onChange={(subscription, price) => setChoice({ subscription, price })}
          />
        ))}
      </ul>
      {choice && (
        <Confirmation
          key={choice.price.id}
          subscription={choice.subscription}
          price={choice.price}
          text={text}
          onEnd={() => setChoice(undefined)}
        />
      )}
    </section>
  );
}

interface PlanItemProps {
  plan: Plan;
  viewer: Viewer | undefined;
  text: Texts;
  props: PricingTableProps;
  onChange: (subscription: OwnSubscription, price: PlanPrice) => void;
}

function PlanItem({ plan, viewer, text, props, onChange }: PlanItemProps) {
  const { order } = useActions();
  const { run, error, isBusy } = useAction();
  const own = viewer?.customer.activeSubscriptions.find(
    ({ product, productId }) =>
      productId === plan.id || (plan.groupId !== null && product?.groupId === plan.groupId),
  );
  const {
    filter = () => true,
    receiptUrl,
    returnUrl,
    open = (url: string) => window.location.assign(url),
  } = props;
  const choose = (price: PlanPrice) => {
    if (own) return onChange(own, price);
    run(async () =>
      open(await order(plan, price, { receiptUrl, returnUrl: returnUrl ?? window.location.href })),
    );
  };
  return (
    <li data-perennial="plan" data-highlighted={plan.highlighted || undefined}>
      <h3>{plan.name}</h3>
      {plan.description && <p>{plan.description}</p>}
      {plan.features.length > 0 && (
        <ul>
          {plan.features.map((feature) => (
            <li key={feature}>{feature}</li>
          ))}
        </ul>
      )}
      {plan.prices
        .filter((price) => filter(price, plan))
        .map((price) => {
          const { frequency, period } = price.recurring;
          const written = text.price(text.money(price.details), period, frequency);
          return (
            <div key={price.id} data-perennial="price">
              <p>{written}</p>
              {price.trialDays !== null && <p>{text.trial(price.trialDays)}</p>}
              {own?.priceId === price.id ? (
                <p data-perennial="present">{text.present}</p>
              ) : (
                <button
                  type="button"
                  disabled={!viewer || isBusy}
                  aria-label={`${text.choose(plan.name)}, ${written}`}
                  onClick={() => choose(price)}
                >
                  {text.choose(plan.name)}
                </button>
              )}
            </div>
          );
        })}
      <Problem error={error} text={text} />
    </li>
  );
}

interface ConfirmationProps {
  subscription: OwnSubscription;
  price: PlanPrice;
  text: Texts;
  onEnd: () => void;
}

/** Shows what a change costs, with the buttons that confirm it and leave it. */
function Confirmation({ subscription, price, text, onEnd }: ConfirmationProps) {
  const { data, error, isLoading, confirm } = useChangePreview(subscription.id, { priceId: price.id });
  const { run, error: failure, isBusy } = useAction();
  return (
    <div role="group" aria-label={text.confirm} data-perennial="confirmation">
      {isLoading && <Loading text={text} />}
      <div aria-live="polite">
        {data && <p>{text.total(text.money(data.total))}</p>}
        {data?.nextInvoice && (
          <p>{text.next(text.money(data.nextInvoice.total), text.date(data.nextInvoice.date))}</p>
        )}
      </div>
      <Problem error={failure ?? error} text={text} />
      <button type="button" disabled={!data || isBusy} onClick={() => run(async () => confirm().then(onEnd))}>
        {text.confirm}
      </button>
      <button type="button" onClick={onEnd}>
        {text.back}
      </button>
    </div>
  );
}

/** Runs an action at a time, and keeps its error. */
function useAction() {
  const [state, setState] = useState<{ error?: Error; isBusy: boolean }>({ isBusy: false });
  const run = (action: () => Promise<void>) => {
    setState({ isBusy: true });
    action().then(
      () => setState({ isBusy: false }),
      (error: Error) => setState({ error, isBusy: false }),
    );
  };
  return { ...state, run };
}

/** Shows the subscriptions of the customer, with what each is and a way to end it. */
export function ManageSubscription(props: PartProps): ReactNode {
  const text = useTexts(props);
  const { data, error } = useViewer();
  const heading = useId();
  if (!data) return error ? <Problem error={error} text={text} /> : <Loading text={text} />;
  const { activeSubscriptions } = data.customer;
  return (
    <section aria-labelledby={heading} data-perennial="manage-subscription">
      <h2 id={heading}>{text.subscriptions}</h2>
      {activeSubscriptions.length === 0 && <p>{text.noSubscription}</p>}
      {activeSubscriptions.length > 0 && (
        <ul role="list">
          {activeSubscriptions.map((subscription) => (
            <SubscriptionItem
              key={subscription.id}
              subscription={subscription}
              mayCancel={data.allow.includes('cancel_subscription')}
              text={text}
            />
          ))}
        </ul>
      )}
    </section>
  );
}

interface SubscriptionItemProps {
  subscription: OwnSubscription;
  mayCancel: boolean;
  text: Texts;
}

function SubscriptionItem({ subscription, mayCancel, text }: SubscriptionItemProps) {
  const { id, productName, agreedPrice, cancelAtPeriodEnd, currentPeriodEnd, nextBillingDate } = subscription;
  const { cancel, uncancel } = useActions();
  const { run, error, isBusy } = useAction();
  const [isAsking, setAsking] = useState(false);
  const end = currentPeriodEnd ?? nextBillingDate;
  return (
    <li data-perennial="subscription">
      <h3>{productName}</h3>
      <p>{text.money(agreedPrice)}</p>
      <p aria-live="polite">
        {cancelAtPeriodEnd && end && text.ends(text.date(end))}
        {!cancelAtPeriodEnd && nextBillingDate && text.renews(text.date(nextBillingDate))}
      </p>
      <Problem error={error} text={text} />
      {mayCancel && cancelAtPeriodEnd && (
        <button type="button" disabled={isBusy} onClick={() => run(() => uncancel(id))}>
          {text.uncancel(productName)}
        </button>
      )}
      {mayCancel && !cancelAtPeriodEnd && !isAsking && (
        <button type="button" onClick={() => setAsking(true)}>
          {text.cancel(productName)}
        </button>
      )}
      {isAsking && !cancelAtPeriodEnd && (
        <div role="group" aria-label={text.cancel(productName)}>
          <p>{text.cancelQuestion(productName, end ? text.date(end) : '')}</p>
          <button
            type="button"
            disabled={isBusy}
            onClick={() => run(() => cancel(id).then(() => setAsking(false)))}
          >
            {text.confirm}
          </button>
          <button type="button" onClick={() => setAsking(false)}>
            {text.back}
          </button>
        </div>
      )}
    </li>
  );
}

/** Shows what the customer has used of each limit, and which features they have. */
export function Usage(props: PartProps): ReactNode {
  const text = useTexts(props);
  const { data, error } = useUsage();
  const heading = useId();
  if (!data) return error ? <Problem error={error} text={text} /> : <Loading text={text} />;
  return (
    <section aria-labelledby={heading} data-perennial="usage">
      <h2 id={heading}>{text.usage}</h2>
      {data.length === 0 && <p>{text.noUsage}</p>}
      {data.length > 0 && (
        <dl>
          {data.map((entitlement) => (
            <div key={entitlement.feature.id}>
              <dt>{entitlement.feature.name}</dt>
              <dd>
                <Amounts entitlement={entitlement} text={text} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

function Amounts({
  entitlement: { feature, limit, used, allowed },
  text,
}: {
  entitlement: OwnEntitlement;
  text: Texts;
}) {
  if (limit === null || used === null) return <>{allowed ? text.allowed : text.notAllowed}</>;
  const written = text.used(used, limit);
  return (
    <>
      <meter aria-label={feature.name} min={0} max={Number(limit)} value={Number(used)} />
      <span>{written}</span>
    </>
  );
}
