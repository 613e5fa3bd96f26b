import { Nothing, When } from '../design/Values.tsx';
import { useTexts } from '../texts/language.tsx';
import { texts } from './texts.ts';

interface Billed {
  nextInvoiceAt: string | null;
  status: string;
  pausedAt: string | null;
  cancelAt: string | null;
  cancelledAt: string | null;
}

/** When a subscription is billed next, or why it is not. */
export function NextInvoice({ subscription }: { subscription: Billed }) {
  const { next } = useTexts(texts);
  const { nextInvoiceAt, status, pausedAt, cancelAt, cancelledAt } = subscription;
  if (nextInvoiceAt !== null) {
    return (
      <>
        <When at={nextInvoiceAt} /> {pausedAt !== null && <small className="soft">{next.afterPause}</small>}
      </>
    );
  }
  if (cancelledAt !== null) return <Nothing />;
  if (cancelAt !== null) {
    return (
      <>
        {next.ends} <When at={cancelAt} />
      </>
    );
  }
  if (pausedAt !== null) return <span className="soft">{next.paused}</span>;
  const isTrial = status === 'trialing' || status === 'scheduled';
  return isTrial ? <span className="soft">{next.noMethod}</span> : <Nothing />;
}
