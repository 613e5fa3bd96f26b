import type { TypedText } from '../document.ts';

/** What pages read and change. Each field is open to the session of a customer. */

/** An amount. */
export interface Amount {
  decimal: string;
  currency: string;
}

/** A price of a plan. */
export interface PlanPrice {
  id: string;
  details: Amount;
  recurring: { frequency: string; period: number };
  trialDays: number | null;
  model: string | null;
}

/** A product that can be ordered. */
export interface Plan {
  id: string;
  name: string;
  description: string;
  features: string[];
  highlighted: boolean;
  groupId: string | null;
  prices: PlanPrice[];
}

/** A subscription of the customer. */
export interface OwnSubscription {
  id: string;
  productId: string;
  productName: string;
  priceId: string;
  quantity: number | null;
  status: string;
  agreedPrice: Amount;
  nextBillingDate: string | null;
  currentPeriodEnd: string | null;
  cancelAtPeriodEnd: boolean;
  trialEndsAt: string | null;
  product: { id: string; groupId: string | null } | null;
}

/** The customer of the session, and what the session may do. */
export interface Viewer {
  allow: string[];
  customer: {
    id: string;
    email: string;
    firstName: string;
    lastName: string;
    activeSubscriptions: OwnSubscription[];
  };
}

/** What a customer may do with a feature. */
export interface OwnEntitlement {
  feature: { id: string; key: string; name: string; kind: string };
  allowed: boolean;
  limit: string | null;
  used: string | null;
  remaining: string | null;
  value: unknown;
}

/** What a change charges now, and then. */
export interface Preview {
  total: Amount;
  effectiveAt: string;
  lines: { description: string; amount: Amount }[];
  nextInvoice: { date: string; total: Amount } | null;
}

type Text<Result, Variables> = TypedText<Result, Variables>;
const text = <Result, Variables = Record<string, never>>(document: string) =>
  document as Text<Result, Variables>;

const money = '{ decimal currency }';
const customer = `id email firstName lastName activeSubscriptions {
  id productId productName priceId quantity status agreedPrice ${money} nextBillingDate currentPeriodEnd cancelAtPeriodEnd trialEndsAt
  product { id groupId }
}`;

export const viewerDocument = text<{ viewer: Viewer | null }>(
  `query Viewer { viewer { allow customer { ${customer} } } }`,
);

export const changedDocument = `subscription ViewerChanged { viewerChanged { kind viewer { allow customer { ${customer} } } } }`;

export const plansDocument = text<{ products: { nodes: Plan[] } }>(`query Plans {
  products(first: 50, order: ASC) { nodes {
    id name description features highlighted groupId
    prices { id details ${money} recurring { frequency period } trialDays model }
  } }
}`);

export const entitlementsDocument = text<{ entitlements: OwnEntitlement[] }, { customerId: string }>(
  `query Usage($customerId: ID!) { entitlements(customerId: $customerId) {
    feature { id key name kind } allowed limit used remaining value
  } }`,
);

export const previewDocument = text<{ previewSubscriptionChange: Preview }, { id: string; input: Change }>(
  `query ChangePreview($id: ID!, $input: SubscriptionChangeInput!) { previewSubscriptionChange(id: $id, input: $input) {
    total ${money} effectiveAt lines { description amount ${money} } nextInvoice { date total ${money} }
  } }`,
);

/** What a change of a subscription is to be. */
export interface Change {
  priceId?: string;
  quantity?: number;
}

export const changeDocument = text<unknown, { id: string; input: Change & { expectedTotal?: Amount } }>(
  'mutation Change($id: ID!, $input: ChangeSubscriptionInput!) { changeSubscription(id: $id, input: $input) { id } }',
);

export const cancelDocument = text<unknown, { id: string }>(
  'mutation Cancel($id: ID!) { cancelSubscription(id: $id, input: { atPeriodEnd: true }) { id } }',
);

export const uncancelDocument = text<unknown, { id: string }>(
  'mutation Uncancel($id: ID!) { uncancelSubscription(id: $id) { id } }',
);

export const orderDocument = text<
  { createSubscriptionIntent: { paymentUrl: string } },
  { input: Record<string, unknown> }
>(
  'mutation Order($input: CreateSubscriptionIntentInput!) { createSubscriptionIntent(input: $input) { id paymentUrl } }',
);
