import type { CustomerData } from './query.ts';

/** What each dialog of a customer gets. */
export interface CustomerDialogProps {
  customer: CustomerData;
  onClose: () => void;
  /** The customer has changed. */
  onDone: () => void;
}
