import type { SubscriptionData } from './query.ts';

/** What each dialog of a subscription gets. */
export interface SubscriptionDialogProps {
  subscription: SubscriptionData;
  onClose: () => void;
  /** The subscription has changed. */
  onDone: () => void;
}
