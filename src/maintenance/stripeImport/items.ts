import { toInterval } from '../../billing/pricing/invoiceLines.ts';
import { isSameInterval } from '../../billing/pricing/schedule.ts';
import { agreeToPrice } from '../../billing/subscriptions/changes/agreement.ts';
import {
  buildAddOn,
  checkTerms,
  mostAddOns,
  type Terms,
} from '../../billing/subscriptions/changes/addOns.ts';
import type { KnownPrice } from './catalog.ts';
import { skipRecord } from './importReport.ts';
import type { StripeItem, StripeSubscription } from './records.ts';

/** An item of a subscription at Stripe, with its imported price. */
interface KnownItem extends StripeItem {
  known: KnownPrice;
}

/** The main item of a subscription and its add-ons. */
export interface KnownItems {
  main: KnownItem;
  addOns: KnownItem[];
}

/**
 * Finds the imported prices of a subscription's items. The main item is the first with a flat price in Stripe's order,
 * or the first if none is flat. Skips the subscription if a price was not imported.
 */
export function findItems({ items }: StripeSubscription, prices: Map<string, KnownPrice>): KnownItems {
  const found = items.map((item) => ({
    ...item,
    known: prices.get(item.price) ?? skipRecord(`its price ${item.price} is not here`),
  }));
  const main =
    found.find(({ known }) => known.price.pricing === null) ?? found[0] ?? skipRecord('it has no items');
  return { main, addOns: found.filter((item) => item !== main) };
}

/** Skips a subscription whose items cannot be those of one subscription here. */
export function refuseUnfitItems({ main, addOns }: KnownItems): void {
  const all = [main, ...addOns];
  const wrong = all.find(({ quantity }) => quantity < 1);
  if (wrong) skipRecord(`it is for ${wrong.quantity} of its price`);
  const refuseItems = (why: string) => skipRecord(`it has ${why}`, ['items']);
  if (addOns.length > mostAddOns) refuseItems(`more than ${mostAddOns + 1} items`);
  const first = main.known.price;
  if (addOns.some(({ known }) => known.price.currency !== first.currency))
    refuseItems('items in several currencies');
  if (addOns.some(({ known }) => !isSameInterval(toInterval(known.price), toInterval(first))))
    refuseItems('items with different intervals');
  // Prices of Stripe with the same terms are one price here.
  if (new Set(all.map(({ known }) => known.price.id)).size < all.length)
    refuseItems('two items of one price');
}

/** Returns the terms that a subscriber agreed to at Stripe. Error: `validation_failed` for an amount that is too large. */
export function agreeToItems({ main, addOns }: KnownItems, startedAt: string): Terms {
  const agreement = agreeToPrice(main.known.product, main.known.price, main.quantity, undefined);
  const built = addOns.map(({ known, quantity, addedAt }, index) =>
    buildAddOn(
      known.product,
      known.price,
      { quantity, addedAt: addedAt || startedAt },
      `items.${index + 1}.quantity`,
    ),
  );
  return checkTerms(
    { ...agreement, addOns: built.length > 0 ? built : null },
    (index) => `items.${index + 1}`,
  );
}
