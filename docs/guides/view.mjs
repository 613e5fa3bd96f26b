// What the pages of the guides to Apollo Client and urql show, without a framework: copy it beside your page.
const put = (id, ...children) => document.getElementById(id).replaceChildren(...children);

function write(tag, text, onClick) {
  const element = document.createElement(tag);
  element.textContent = text;
  if (onClick) element.addEventListener('click', onClick);
  return element;
}

/** Shows a monthly price of each plan, with a button that chooses it. */
export const showPlans = (products, choose) =>
  put(
    'plans',
    ...products.flatMap(({ id, name, prices }) => {
      const price = prices.find(({ recurring }) => recurring.frequency === 'Monthly');
      if (!price) return [];
      const { decimal, currency } = price.details;
      return write('button', `${name}: ${decimal} ${currency} a month`, () =>
        choose({ productId: id, priceId: price.id }),
      );
    }),
  );

/** Shows the subscriptions of the customer, with a button that cancels each. */
export const showAccount = (subscriptions, cancel) =>
  put(
    'account',
    ...subscriptions.flatMap(({ id, productName, status, cancelAtPeriodEnd }) => [
      write('p', `${productName}: ${cancelAtPeriodEnd ? 'ends with the period' : status}`),
      write('button', 'Cancel', () => cancel(id)),
    ]),
  );

/** Shows a question with the button that confirms it. */
export const ask = (text, confirm) =>
  put(
    'question',
    write('p', text),
    write('button', 'Confirm', async () => {
      await confirm();
      put('question');
    }),
  );

/** Shows the form of visitors without a session. */
export const askForEmail = (signUp) => {
  const field = document.createElement('input');
  field.type = 'email';
  field.ariaLabel = 'E-mail';
  put(
    'account',
    field,
    write('button', 'Sign up', () => signUp(field.value)),
  );
};
