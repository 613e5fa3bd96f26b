/** What the service should be: small enough to be seen to be right. */
export interface Model {
  nowMs: number;
  customers: Customer[];
  groups: Group[];
  products: Product[];
  subscriptions: Subscription[];
}

export interface Customer {
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

export interface Product {
  id: string;
  priceId: string;
  name: string;
  group: Group | undefined;
  isDeleted: boolean;
}

export interface Subscription {
  id: string;
  customer: Customer;
  product: Product;
  productName: string;
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

/** Whether two subscriptions of one customer would stand in each other's way. */
export const isOfGroup = (subscription: Subscription, product: Product): boolean =>
  product.group !== undefined && subscription.product.group === product.group;

/** What an end by somebody's will leaves. */
export function cancel(subscription: Subscription): void {
  subscription.status = 'cancelled';
}

/** Time goes by: a day is billed when it begins, and what ends with its period ends. */
export function passTime(model: Model, toMs: number): void {
  model.nowMs = toMs;
  for (const subscription of model.subscriptions) {
    if (subscription.status === 'cancelled' || subscription.wasPaused) continue;
    const isOver = paidUntilMs(subscription) <= toMs;
    if (subscription.endsWithPeriod && isOver) cancel(subscription);
    else if (subscription.status === 'active')
      subscription.days = Math.floor((toMs - subscription.startedMs) / dayMs) + 1;
  }
}
