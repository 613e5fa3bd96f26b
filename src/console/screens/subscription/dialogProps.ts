import type { ForecastData, SubscriptionData } from './query.ts';

/** What each dialog of a subscription gets. */
export interface SubscriptionDialogProps {
  subscription: SubscriptionData;
  /** The invoices that are expected, as billing computes them. */
  forecast: ForecastData[];
  onClose: () => void;
  /** The subscription has changed. */
  onDone: () => void;
}
