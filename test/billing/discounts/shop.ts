/** Coupons, codes and discounts over GraphQL, and invoices with what was taken off, for the tests of discounts. */
import type { Books } from '../../support/books.ts';

export const ask = (books: Books, document: string, variables: Record<string, unknown> = {}) =>
  books.client.post(document, variables);

/** The value of a mutation, or `reason path` of its error. */
async function attempt(books: Books, field: string, document: string, variables: Record<string, unknown>) {
  const { body } = await ask(books, document, variables);
  if (!body.errors) return body.data[field];
  const { reason, issues } = body.errors[0].extensions ?? {};
  return `${reason} ${issues?.[0]?.path.replace(/^input\./, '') ?? ''}`.trim();
}

const couponFields =
  'id name percentOff amountOff { decimal currency } duration durationInMonths active timesRedeemed';

export const createCoupon = (books: Books, input: object) =>
  attempt(
    books,
    'createCoupon',
    `mutation ($input: CreateCouponInput!) { createCoupon(input: $input) { ${couponFields} } }`,
    { input: { name: 'Sale', duration: 'forever', ...input } },
  );

export const updateCoupon = (books: Books, id: string, input: object) =>
  attempt(
    books,
    'updateCoupon',
    `mutation ($id: ID!, $input: UpdateCouponInput!) { updateCoupon(id: $id, input: $input) { ${couponFields} } }`,
    { id, input },
  );

export const createCode = (books: Books, input: object) =>
  attempt(
    books,
    'createPromotionCode',
    `mutation ($input: CreatePromotionCodeInput!) { createPromotionCode(input: $input) {
      id code active timesRedeemed coupon { id } minimumAmount { decimal }
    } }`,
    { input },
  );

export const updateCode = (books: Books, id: string, input: object) =>
  attempt(
    books,
    'updatePromotionCode',
    `mutation ($id: ID!, $input: UpdatePromotionCodeInput!) {
      updatePromotionCode(id: $id, input: $input) { id active maxRedemptions }
    }`,
    { id, input },
  );

const discountFields =
  'id active startsAt endsAt removedAt subscriptionId coupon { id } promotionCode { code }';

export const apply = (books: Books, of: Record<string, unknown>) =>
  attempt(
    books,
    'applyDiscount',
    `mutation ($subscriptionId: ID, $customerId: ID, $couponId: ID, $promotionCode: String) {
      applyDiscount(
        input: { subscriptionId: $subscriptionId, customerId: $customerId, couponId: $couponId, promotionCode: $promotionCode }
      ) { ${discountFields} }
    }`,
    of,
  );

export const remove = (books: Books, id: string) =>
  attempt(books, 'removeDiscount', `mutation ($id: ID!) { removeDiscount(id: $id) { ${discountFields} } }`, {
    id,
  });

/** The discounts of a subscription and of its customer that still reduce invoices, by their coupons. */
export async function discountsOf(books: Books, id: string) {
  const document = `query ($id: ID!) { subscription(id: $id) {
    discounts { ${discountFields} } customer { discounts { ${discountFields} } }
  } }`;
  const { subscription } = await books.client.graphql(document, { id });
  const ids = (rows: any[]) => rows.map(({ coupon }) => coupon.id);
  return { own: ids(subscription.discounts), customer: ids(subscription.customer.discounts) };
}

export const timesRedeemed = async (books: Books, id: string): Promise<number> =>
  (await books.client.graphql('query ($id: ID!) { coupon(id: $id) { timesRedeemed } }', { id })).coupon
    .timesRedeemed;

/** An intent over GraphQL; the error as `reason path`. */
export const intend = (books: Books, customer: any, price: any, fields: object = {}) => {
  const { tenantAlias: _, ...input } = books.shop.intentInput(customer, price, fields) as any;
  return attempt(
    books,
    'createSubscriptionIntent',
    `mutation ($input: CreateSubscriptionIntentInput!) {
      createSubscriptionIntent(input: $input) { id status promotionCode { code } }
    }`,
    { input },
  );
};

export const confirm = (books: Books, id: string, method = 'sandbox_ok') =>
  attempt(
    books,
    'confirmIntent',
    `mutation ($id: ID!, $method: String!) {
      confirmIntent(id: $id, input: { paymentMethod: $method }) { id status subscriptionId }
    }`,
    { id, method },
  );

/** The invoices of a subscription as `subtotal − discount = total`, the oldest first. */
export async function bills(books: Books, id: string): Promise<string[]> {
  const document = `query ($id: ID!) { invoices(subscriptionId: $id, first: 20, order: ASC) { nodes {
    status subtotal { decimal } discount { decimal } total { decimal }
    lines { kind amount { decimal } discounts { discountId amount { decimal } } }
  } } }`;
  const { invoices } = await books.client.graphql(document, { id });
  return invoices.nodes.map(({ subtotal, discount, total, lines }: any) => {
    const cents = (money: any) => Math.round(Number(money.decimal) * 100);
    const off = lines
      .flatMap((line: any) => line.discounts)
      .reduce((sum: number, each: any) => sum + cents(each.amount), 0);
    if (off !== cents(discount)) throw new Error('The discounts of the lines differ from the discount.');
    return `${Number(subtotal.decimal)} − ${Number(discount.decimal)} = ${Number(total.decimal)}`;
  });
}
