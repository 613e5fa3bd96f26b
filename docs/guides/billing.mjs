// What the guides have in common: copy it beside your program.
const { BILLING_URL, API_KEY } = process.env;

/** Sends a GraphQL operation and returns its data; throws the reason of the first error, and what is wrong. */
export async function graphql(query, variables) {
  const response = await fetch(`${BILLING_URL}/graphql`, {
    method: 'POST',
    headers: { 'api-key': API_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = await response.json();
  if (!errors) return data;
  const [{ message, extensions }] = errors;
  const issues = extensions.issues?.map((issue) => `${issue.path} ${issue.message}`);
  throw new Error(`${extensions.reason}: ${issues?.join('; ') ?? message}`);
}

/** Creates a group with two plans, Basic for 10 USD a month and Pro for 30, and returns their ids. */
export async function createPlans() {
  const { createGroup } = await graphql(
    'mutation { createGroup(input: { name: "Plans", prorateUpgrades: true }) { id } }',
  );
  const plans = [];
  for (const [name, amount] of [
    ['Basic', 10],
    ['Pro', 30],
  ]) {
    const { createProduct: product } = await graphql(
      `
        mutation CreatePlan($group: ID!, $name: String!, $amount: Float!) {
          createProduct(
            input: {
              groupId: $group
              name: $name
              description: ""
              prices: [
                {
                  details: { amount: $amount, currency: "usd" }
                  recurring: { frequency: Monthly, period: 1 }
                }
              ]
            }
          ) {
            id
            prices {
              id
            }
          }
        }
      `,
      { group: createGroup.id, name, amount },
    );
    plans.push({ productId: product.id, priceId: product.prices[0].id });
  }
  return { basic: plans[0], pro: plans[1] };
}

/** Creates a customer and returns its id. */
export async function createCustomer() {
  const { createCustomer: customer } = await graphql(
    `
      mutation CreateCustomer($input: CreateCustomerInput!) {
        createCustomer(input: $input) {
          id
        }
      }
    `,
    {
      input: {
        associatedId: `user-${Date.now()}`,
        email: 'alan@example.com',
        firstName: 'Alan',
        lastName: 'Turing',
      },
    },
  );
  return customer.id;
}

/** Creates an intent of the customer for a plan, which nobody has paid yet. */
export async function createIntent(customerId, plan) {
  const { createSubscriptionIntent: intent } = await graphql(
    `
      mutation CreateIntent($input: CreateSubscriptionIntentInput!) {
        createSubscriptionIntent(input: $input) {
          id
          status
          paymentUrl
        }
      }
    `,
    { input: { customerId, ...plan, receiptUrl: 'https://shop.example/thanks' } },
  );
  return intent;
}

/** Pays an intent with a payment method, and returns what became of it. */
export async function pay(intentId, paymentMethod) {
  const { confirmIntent: intent } = await graphql(
    `
      mutation Pay($id: ID!, $paymentMethod: String!) {
        confirmIntent(id: $id, input: { paymentMethod: $paymentMethod }) {
          id
          status
          actionUrl
          subscriptionId
        }
      }
    `,
    { id: intentId, paymentMethod },
  );
  return intent;
}

/** Subscribes the customer to a plan, or changes to it, and returns the subscription's id. */
export async function subscribe(customerId, plan, paymentMethod) {
  const { id } = await createIntent(customerId, plan);
  return (await pay(id, paymentMethod)).subscriptionId;
}

/** Moves the time of the test tenant forward; what falls due on the way is billed. */
export async function advanceTo(to) {
  await graphql('mutation Advance($to: DateTime!) { advanceClock(input: { to: $to }) { clock } }', { to });
}

/** An amount in words: `10 usd`. */
export const money = ({ amount, currency }) => `${amount} ${currency}`;
