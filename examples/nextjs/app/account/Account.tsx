'use client';

import { ManageSubscription, PerennialProvider, PricingTable, Usage } from '@perennial/sdk/react';

const readSession = async () => {
  const response = await fetch('/api/perennial', { method: 'POST' });
  if (!response.ok) throw new Error(`The session was refused: ${response.status}`);
  return response.json();
};

export const Account = ({ billingUrl, siteUrl }: { billingUrl: string; siteUrl: string }) => (
  <PerennialProvider url={billingUrl} session={readSession}>
    <ManageSubscription locale="en-US" />
    <PricingTable locale="en-US" receiptUrl={`${siteUrl}/summaries`} />
    <Usage locale="en-US" />
  </PerennialProvider>
);
