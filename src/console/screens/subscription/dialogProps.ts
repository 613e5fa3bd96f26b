import type { BillData, ForecastData, SubscriptionData } from './query.ts';

/** What each dialog of a subscription gets. */
export interface SubscriptionDialogProps {
  subscription: SubscriptionData;
  /** The latest invoices. */
  invoices: BillData[];
  /** The invoices that are expected, as billing computes them. */
  forecast: ForecastData[];
  onClose: () => void;
  /** The subscription has changed. */
  onDone: () => void;
}
