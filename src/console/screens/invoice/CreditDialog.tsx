import { useState } from 'react';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { fromMinor, isPositive, toMinor } from '../../billing/arithmetic.ts';
import { useLineWords } from '../../billing/lineWords.ts';
import { parseAmount } from '../../billing/parseAmount.ts';
import { useAction } from '../../data/action.tsx';
import type { Problem } from '../../data/errors.ts';
import { graphql } from '../../data/graphql.ts';
import { Field, Select, TextArea } from '../../design/Field.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { useFormat, type Amount } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { writeDecimal } from '../../texts/numbers.ts';
import { findRefusal } from '../../texts/problems.ts';
import type { InvoiceDialogProps } from './dialogProps.ts';
import type { InvoiceData } from './query.ts';
import { texts } from './texts.ts';

const CreateCreditNote = graphql(`
  mutation CreateCreditNote($input: CreateCreditNoteInput!) {
    createCreditNote(input: $input) {
      id
      documentNumber
      total {
        decimal
        currency
      }
    }
  }
`);

type Scope = 'amount' | 'lines';

/** Credits an invoice by a credit note: an amount with tax, or parts of its lines. */
export function CreditDialog({ invoice, onClose, onDone }: InvoiceDialogProps) {
  const t = useTexts(texts);
  const format = useFormat();
  const toast = useToast();
  const action = useAction(CreateCreditNote);
  const rest = fromMinor(toMinor(invoice.total) - toMinor(invoice.credited), invoice.total);
  const [kind, setKind] = useState<'credit' | 'refund'>('credit');
  const [scope, setScope] = useState<Scope>('amount');
  const [text, setText] = useState(writeDecimal(rest.decimal));
  const [parts, setParts] = useState<Record<string, string>>({});
  const [words, setWords] = useState({ reason: '', memo: '' });
  const amount = parseAmount(text, rest);
  const lines = readParts(invoice, parts);
  const what = scope === 'amount' ? { amount } : { lines };
  const isReady = scope === 'amount' ? amount !== undefined : lines.length > 0;
  const confirm = async () => {
    const given = Object.fromEntries(Object.entries(words).filter(([, word]) => word));
    const done = await action.run({ input: { invoiceId: invoice.id, kind, ...what, ...given } });
    if (!done?.createCreditNote) return;
    toast(t.creditedToast(done.createCreditNote.documentNumber, format.money(done.createCreditNote.total)));
    onDone();
  };
  const written = scope === 'amount' && amount ? format.money(amount) : '';
  return (
    <ConfirmAction
      title={t.creditTitle(invoice.documentNumber ?? '')}
      label={t.creditText(written)}
      refused={isReady ? undefined : t.amountNeeded}
      action={action}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p className="soft">{t.creditNoteText(format.money(rest))}</p>
      {invoice.status === 'paid' && (
        <Select
          label={t.creditKind}
          value={kind}
          choices={[
            { value: 'credit', label: t.toBalance },
            { value: 'refund', label: t.toSource },
          ]}
          onChange={({ target }) => setKind(target.value as typeof kind)}
        />
      )}
      <Select
        label={t.creditScope}
        value={scope}
        choices={[
          { value: 'amount', label: t.anAmount },
          { value: 'lines', label: t.partsOfLines },
        ]}
        onChange={({ target }) => setScope(target.value as Scope)}
      />
      {scope === 'amount' ? (
        <Field
          label={t.amountIn(rest.currency.toUpperCase())}
          hint={t.withTax}
          inputMode="decimal"
          required
          value={text}
          {...findRefusal(action.problem, 'amount')}
          onChange={({ target }) => setText(target.value)}
        />
      ) : (
        <LineFields invoice={invoice} parts={parts} onChange={setParts} />
      )}
      <Words words={words} problem={action.problem} onChange={setWords} />
    </ConfirmAction>
  );
}

/** The lines with an amount to credit. */
function readParts(
  { lines }: InvoiceData,
  parts: Record<string, string>,
): { lineId: string; amount: Amount }[] {
  return lines.flatMap(({ id, amount: whole }) => {
    const amount = id && parseAmount(parts[id] ?? '', whole);
    return id && amount ? [{ lineId: id, amount }] : [];
  });
}

interface LineFieldsProps {
  invoice: InvoiceData;
  parts: Record<string, string>;
  onChange: (parts: Record<string, string>) => void;
}

function LineFields({ invoice, parts, onChange }: LineFieldsProps) {
  const describe = useLineWords();
  const t = useTexts(texts);
  const format = useFormat();
  const lines = invoice.lines.filter(({ kind, amount }) => kind !== 'balance' && isPositive(amount));
  return lines.map(({ id, kind, description, amount, tax }) => (
    <Field
      key={id}
      label={describe({ kind, description })}
      hint={`${t.upTo(format.money(amount))} ${tax && !tax.included ? t.withoutTax : ''}`}
      inputMode="decimal"
      placeholder={writeDecimal(amount.decimal)}
      value={parts[id] ?? ''}
      onChange={({ target }) => onChange({ ...parts, [id]: target.value })}
    />
  ));
}

interface WordsProps {
  words: { reason: string; memo: string };
  problem: Problem | undefined;
  onChange: (words: { reason: string; memo: string }) => void;
}

function Words({ words, problem, onChange }: WordsProps) {
  const t = useTexts(texts);
  return (
    <>
      <Field
        label={t.reason}
        hint={t.reasonHint}
        value={words.reason}
        maxLength={200}
        {...findRefusal(problem, 'reason')}
        onChange={({ target }) => onChange({ ...words, reason: target.value })}
      />
      <TextArea
        label={t.memo}
        rows={2}
        value={words.memo}
        maxLength={1000}
        {...findRefusal(problem, 'memo')}
        onChange={({ target }) => onChange({ ...words, memo: target.value })}
      />
    </>
  );
}
