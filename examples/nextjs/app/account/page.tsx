import { redirect } from 'next/navigation';
import { billing } from '@/lib/billing';
import { readSetting } from '@/lib/settings';
import { requireUser } from '@/lib/user';
import { Account } from './Account';

/** Opens the portal, where invoices and payment methods are. */
async function openPortal() {
  'use server';
  const { customerId } = await requireUser();
  const { url } = await billing().portalSessions.create({
    customerId,
    returnUrl: `${readSetting('SITE_URL')}/account`,
  });
  redirect(url);
}

export default async function AccountPage() {
  await requireUser();
  return (
    <>
      <h1>Account</h1>
      <Account billingUrl={readSetting('BILLING_URL')} siteUrl={readSetting('SITE_URL')} />
      <form action={openPortal}>
        <button type="submit">Invoices and payment methods</button>
      </form>
    </>
  );
}
