import type { InvoiceData } from './query.ts';

/** What each dialog of an invoice gets. */
export interface InvoiceDialogProps {
  invoice: InvoiceData;
  onClose: () => void;
  /** The invoice has changed. */
  onDone: () => void;
}
