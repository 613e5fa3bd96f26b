import { useState } from 'react';
import { Link } from 'wouter';
import { useRefusal } from '../../app/permissions.ts';
import { useAction } from '../../data/action.tsx';
import { useScreenQuery } from '../../data/query.tsx';
import { Button } from '../../design/Button.tsx';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { Section } from '../../design/Page.tsx';
import { Status, type Tone } from '../../design/Status.tsx';
import { Table } from '../../design/Table.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { Nothing } from '../../design/Values.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { CreditAmount } from './amounts.tsx';
import { AutoTopUpsQuery, RemoveAutoTopUp, type AutoTopUp } from './queries.ts';
import { topUpTexts as texts } from './texts.ts';
import { TopUpDialog } from './TopUpDialog.tsx';

type State = 'ready' | 'waiting' | 'failed' | 'stopped' | 'limitReached';

const tones: Record<State, Tone> = {
  ready: 'good',
  waiting: 'waiting',
  failed: 'bad',
  stopped: 'neutral',
  limitReached: 'late',
};

/** Returns whether the next sale can happen, and what is in its way. */
function findState({ lastInvoice, soldThisMonth, monthlyLimit }: AutoTopUp): State {
  if (lastInvoice?.status === 'open' || lastInvoice?.status === 'uncollectible')
    return lastInvoice.payments.some(({ status }) => status === 'failed') ? 'failed' : 'waiting';
  if (soldThisMonth >= monthlyLimit) return 'limitReached';
  return lastInvoice?.status === 'void' ? 'stopped' : 'ready';
}

/** The automatic top-ups of a customer, with what they have sold and what is in their way; nothing if there are none. */
export function TopUps({ customerId }: { customerId: string }) {
  const t = useTexts(texts);
  const refused = useRefusal('manage_invoices');
  const [changed, setChanged] = useState<AutoTopUp>();
  const [removed, setRemoved] = useState<AutoTopUp>();
  const { data, refetch } = useScreenQuery(
    AutoTopUpsQuery,
    { id: customerId },
    { ids: [customerId], types: ['AutoTopUpEvent'] },
  );
  const topUps = data?.customer?.autoTopUps ?? [];
  if (topUps.length === 0) return null;
  return (
    <Section title={t.topUps}>
      <TopUpTable topUps={topUps} refused={refused} onChange={setChanged} onRemove={setRemoved} />
      {changed && (
        <TopUpDialog
          customerId={customerId}
          topUp={changed}
          onClose={() => setChanged(undefined)}
          onDone={refetch}
        />
      )}
      {removed && <Remove id={removed.id} onClose={() => setRemoved(undefined)} onDone={refetch} />}
    </Section>
  );
}

interface TopUpTableProps {
  topUps: AutoTopUp[];
  refused: string | undefined;
  onChange: (topUp: AutoTopUp) => void;
  onRemove: (topUp: AutoTopUp) => void;
}

function TopUpTable({ topUps, refused, onChange, onRemove }: TopUpTableProps) {
  const t = useTexts(texts);
  const format = useFormat();
  return (
    <Table
      caption={t.topUps}
      rows={topUps}
      rowKey={({ id }) => id}
      columns={[
        { header: t.name, cell: ({ name }) => <span dir="auto">{name}</span> },
        {
          header: t.status,
          cell: (topUp) => <Status tone={tones[findState(topUp)]}>{t[findState(topUp)]}</Status>,
        },
        {
          header: t.last,
          cell: ({ lastInvoice }) =>
            lastInvoice ? (
              <Link href={`/invoices/${lastInvoice.id}`}>{lastInvoice.documentNumber ?? t.invoice}</Link>
            ) : (
              <Nothing />
            ),
        },
        {
          header: t.thisMonth,
          align: 'end',
          cell: ({ soldThisMonth, monthlyLimit }) =>
            t.ofLimit(format.number(soldThisMonth), format.number(monthlyLimit)),
        },
        {
          header: t.threshold,
          align: 'end',
          cell: ({ threshold, creditThreshold, creditType }) => (
            <CreditAmount amount={threshold} credits={creditThreshold} creditType={creditType} />
          ),
        },
        {
          header: t.sold,
          align: 'end',
          cell: ({ amount, credits, creditType }) => <CreditAmount {...{ amount, credits, creditType }} />,
        },
        {
          header: t.actions,
          align: 'end',
          cell: (topUp) => (
            <>
              <Button look="quiet" refused={refused} onClick={() => onChange(topUp)}>
                {t.edit}
              </Button>
              <Button look="quiet" refused={refused} onClick={() => onRemove(topUp)}>
                {t.remove}
              </Button>
            </>
          ),
        },
      ]}
    />
  );
}

interface RemoveProps {
  id: string;
  onClose: () => void;
  onDone: () => void;
}

function Remove({ id, onClose, onDone }: RemoveProps) {
  const t = useTexts(texts);
  const toast = useToast();
  const action = useAction(RemoveAutoTopUp);
  const confirm = async () => {
    if (!(await action.run({ id }))) return;
    toast(t.removedToast);
    onDone();
    onClose();
  };
  return (
    <ConfirmAction
      danger
      title={t.removeTitle}
      label={t.remove}
      action={action}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p>{t.removeText}</p>
    </ConfirmAction>
  );
}
