import { redirect } from 'next/navigation';
import { Money } from '@perennial/sdk';
import { billing } from '@/lib/billing';
import { readText } from '@/lib/form';
import { readSetting } from '@/lib/settings';
import { requireUser } from '@/lib/user';

export const dynamic = 'force-dynamic';

/** Orders a plan, and leads to its payment page. */
async function buy(form: FormData) {
  'use server';
  const { customerId } = await requireUser();
  const intent = await billing().intents.create({
    customerId,
    productId: readText(form, 'productId'),
    priceId: readText(form, 'priceId'),
    receiptUrl: `${readSetting('SITE_URL')}/summaries`,
    returnUrl: readSetting('SITE_URL'),
  });
  // Only a key that cannot write does not get the address.
  redirect(intent.paymentUrl!);
}

export default async function Pricing() {
  const products = await billing().products.list({ active: true }).first(10);
  return (
    <>
      <h1>Long texts, in short</h1>
      <ul className="plans">
        {products.map((product) =>
          product.prices.map((price) => (
            <li key={price.id}>
              <h2>{product.name}</h2>
              <p>{product.description}</p>
              <p>
                {Money.format(price.details, 'en-US')} {price.recurring.frequency.toLowerCase()}
              </p>
              <form action={buy}>
                <input type="hidden" name="productId" value={product.id} />
                <input type="hidden" name="priceId" value={price.id} />
                <button type="submit">Choose {product.name}</button>
              </form>
            </li>
          )),
        )}
      </ul>
    </>
  );
}
