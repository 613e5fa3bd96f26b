import { useAction } from '../data/action.tsx';
import { graphql, type FragmentOf } from '../data/graphql.ts';
import { ConfirmAction } from '../design/ConfirmAction.tsx';
import type { Filter } from '../design/filters.tsx';
import { Status, type Tone } from '../design/Status.tsx';
import { useToast } from '../design/Toasts.tsx';
import { Id, When } from '../design/Values.tsx';
import { useTexts } from '../texts/language.tsx';
import { formatNames } from './eInvoiceFormats.ts';
import { texts } from './texts.ts';

export const EInvoiceFields = graphql(`
  fragment EInvoiceFields on EInvoiceDelivery {
    documentId
    status
    format
    at
    attempts
    lastError
    reference
    nextAttemptAt
  }
`);

type Delivery = FragmentOf<typeof EInvoiceFields>;

const statuses = ['queued', 'sent', 'accepted', 'rejected', 'failed'] as const;
const tones: Record<(typeof statuses)[number], Tone> = {
  queued: 'waiting',
  sent: 'good',
  accepted: 'good',
  rejected: 'bad',
  failed: 'bad',
};

/** The filter of lists by how far e-invoices have come. */
export function useEInvoiceFilter(): Filter {
  const { eInvoice: t } = useTexts(texts);
  const choices = statuses.map((value) => ({ value, label: t[value] }));
  return { name: 'eInvoiceStatus', label: t.title, choices };
}

/** What became of the e-invoice of a document, as facts; none without one. */
export function useEInvoiceFacts(delivery: Delivery | null): [string, React.ReactNode][] {
  const { eInvoice: t } = useTexts(texts);
  if (!delivery) return [];
  const { status, format, at, lastError, reference, nextAttemptAt } = delivery;
  return [
    [
      t.title,
      <span>
        <Status tone={tones[status]}>{t[status]}</Status> <When at={at} as="time" />
        <br />
        <small className="soft" dir="ltr">
          {formatNames[format]}
        </small>
      </span>,
    ],
    [t.lastError, lastError ? <bdi>{lastError}</bdi> : undefined],
    [t.reference, reference ? <Id id={reference} /> : undefined],
    [t.next, nextAttemptAt ? <When at={nextAttemptAt} as="time" /> : undefined],
  ];
}

const Send = graphql(
  `
    mutation SendEInvoice($id: ID!) {
      sendEInvoice(id: $id) {
        ...EInvoiceFields
      }
    }
  `,
  [EInvoiceFields],
);

interface SendEInvoiceProps {
  id: string;
  onClose: () => void;
  onDone: () => void;
}

/** Sends the e-invoice of a document to the access point, also again. */
export function SendEInvoice({ id, onClose, onDone }: SendEInvoiceProps) {
  const { eInvoice: t } = useTexts(texts);
  const toast = useToast();
  const action = useAction(Send);
  const send = async () => {
    if (!(await action.run({ id }))) return;
    toast(t.queuedToast);
    onDone();
  };
  return (
    <ConfirmAction
      title={t.title}
      label={t.sendNow}
      action={action}
      onClose={onClose}
      onConfirm={() => void send()}
    >
      <p>{t.sendEInvoiceNote}</p>
    </ConfirmAction>
  );
}
