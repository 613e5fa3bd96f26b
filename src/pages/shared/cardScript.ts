import { createHash } from 'node:crypto';
import { makeOnce } from '../../lib/makeOnce.ts';

/**
 * The script of the card form, as the browser receives it. It loads the provider's script when the card is chosen,
 * and hands the confirmation that this creates to the form. If the provider's script does not load, the form is sent
 * without one, which leads to the provider's own page.
 */
export const cardScript = `'use strict';
(() => {
  const root = document.querySelector('[data-card-form]');
  if (!root) return;
  const { scriptUrl, method, key, locale, options } = JSON.parse(root.dataset.cardForm);
  const form = root.closest('form');
  const confirmation = form.elements.namedItem('confirmation');
  const problem = root.querySelector('[role=alert]');
  const isChosen = () => {
    const chosen = form.elements.namedItem('method');
    return chosen === null || chosen.value === method;
  };
  const say = (text) => {
    problem.textContent = text;
    problem.hidden = text === '';
  };

  let loading;
  const load = () =>
    (loading ??= new Promise((resolve, reject) => {
      const script = document.createElement('script');
      script.src = scriptUrl;
      script.onload = resolve;
      script.onerror = reject;
      document.head.append(script);
    }).then(() => {
      const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
      const stripe = window.Stripe(key, { locale });
      const elements = stripe.elements({ ...options, appearance: { theme: isDark ? 'night' : 'stripe' } });
      elements.create('payment').mount(root.querySelector('[data-fields]'));
      return { stripe, elements };
    }));
  const show = () => {
    root.hidden = !isChosen();
    if (!root.hidden) load().catch(() => (root.hidden = true));
  };

  const confirm = async () => {
    const loaded = await load().catch(() => undefined);
    if (!loaded) return true;
    const { stripe, elements } = loaded;
    const incomplete = await elements.submit();
    const { error, confirmationToken } = incomplete.error
      ? incomplete
      : await stripe.createConfirmationToken({ elements });
    if (error) return say(error.message);
    confirmation.value = confirmationToken.id;
    return true;
  };
  let isBusy = false;
  form.addEventListener('submit', (event) => {
    if (!isChosen() || (event.submitter && event.submitter.name === 'redirect')) return;
    event.preventDefault();
    if (isBusy) return;
    isBusy = true;
    say('');
    // Busy from now on: a second press must not send another confirmation.
    confirm().then((isReady) => (isReady ? form.submit() : (isBusy = false)), () => (isBusy = false));
  });
  form.addEventListener('change', show);
  // A page that the browser kept has a confirmation that was used.
  addEventListener('pageshow', () => {
    confirmation.value = '';
    isBusy = false;
  });
  show();
})();
`;

/** Returns the path of the script. It contains a hash of the content, so browsers may cache the file forever. */
export const getCardScriptPath = makeOnce(() => {
  const hash = createHash('sha256').update(cardScript).digest('hex').slice(0, 16);
  return `/pages/${hash}/card.js`;
});
