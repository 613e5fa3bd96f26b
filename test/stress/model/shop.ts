/** A model of the service, small enough to review completely. */
export interface Model {
  nowMs: number;
  customers: Customer[];
  groups: Group[];
  products: Product[];
  subscriptions: Subscription[];
}

interface Customer {
  id: string;
  associatedId: string;
  firstName: string;
  isDeleted: boolean;
}

export interface Group {
  id: string;
  name: string;
  isDeleted: boolean;
}

/** The two daily prices of a product. */
export type Amount = 3 | 5;

export interface Product {
  id: string;
  /** By their daily price. */
  prices: Record<Amount, string>;
  name: string;
  group: Group | undefined;
  isDeleted: boolean;
}

export interface Subscription {
  id: string;
  customer: Customer;
  product: Product;
  productName: string;
  amount: Amount;
  /** The scheduled price from the next period, if any. */
  nextAmount?: Amount;
  /** The name of the product when the change was scheduled. */
  nextName?: string;
  startedMs: number;
  /** How many days are paid. */
  days: number;
  status: 'active' | 'paused' | 'cancelled';
  endsWithPeriod: boolean;
  /** After a pause the days are no longer counted from the start: its periods are not followed. */
  wasPaused: boolean;
}

const dayMs = 86_400_000;

/** Where the day ends that is paid last. */
export const paidUntilMs = ({ startedMs, days }: Subscription): number => startedMs + days * dayMs;

/** Whether two subscriptions of one customer would conflict. */
export const isOfGroup = (subscription: Subscription, product: Product): boolean =>
  product.group !== undefined && subscription.product.group === product.group;

/** Changes the price: at once where it is higher, from the next day on where it is lower; the present one stays. */
export function changeAmount(subscription: Subscription, amount: Amount, nowMs: number): void {
  delete subscription.nextAmount;
  if (amount < subscription.amount) subscription.nextAmount = amount;
  if (amount <= subscription.amount) return;
  subscription.amount = amount;
  // A group does not prorate unless it is told to: a new day begins, and is paid whole. Outside of any, it goes on.
  if (!subscription.product.group) return;
  subscription.days += 1;
  subscription.startedMs = nowMs + dayMs - subscription.days * dayMs;
}

/** Whether a customer would have two subscriptions of a group, were the product moved to it. */
export const wouldClash = ({ subscriptions }: Model, product: Product, group: Group): boolean => {
  const running = subscriptions.filter(({ status }) => status !== 'cancelled');
  const holders = running.filter((each) => each.product === product).map(({ customer }) => customer);
  return running.some(
    (each) => each.product !== product && each.product.group === group && holders.includes(each.customer),
  );
};

/** The state after a requested end. */
export function cancel(subscription: Subscription): void {
  subscription.status = 'cancelled';
}

/** Advances the time: a day is billed at its start, and subscriptions that end with their period end. */
export function passTime(model: Model, toMs: number): void {
  model.nowMs = toMs;
  for (const subscription of model.subscriptions) {
    if (subscription.status === 'cancelled' || subscription.wasPaused) continue;
    const isOver = paidUntilMs(subscription) <= toMs;
    if (subscription.endsWithPeriod && isOver) cancel(subscription);
    else if (subscription.status === 'active') {
      if (isOver && subscription.nextAmount) {
        subscription.amount = subscription.nextAmount;
        subscription.productName = subscription.nextName!;
        delete subscription.nextAmount;
      }
      subscription.days = Math.floor((toMs - subscription.startedMs) / dayMs) + 1;
    }
  }
}
