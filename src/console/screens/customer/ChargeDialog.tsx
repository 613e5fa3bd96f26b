import { useState } from 'react';
import { useLocation } from 'wouter';
import { ProductKindField, type ProductKind } from '../../billing/ProductKindField.tsx';
import { isPositive } from '../../billing/arithmetic.ts';
import { CurrencyField } from '../../billing/CurrencyField.tsx';
import { useDefaultCurrency } from '../../billing/currencies.ts';
import { readDecimal, readWhole } from '../../texts/numbers.ts';
import { Preview, usePreview } from '../../billing/Preview.tsx';
import { useAction } from '../../data/action.tsx';
import type { Problem } from '../../data/errors.ts';
import { useScreenQuery } from '../../data/query.tsx';
import { Button } from '../../design/Button.tsx';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { ProblemNote } from '../../design/Feedback.tsx';
import { Field, FieldRow, Select } from '../../design/Field.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { findRefusal, useProblemWords } from '../../texts/problems.ts';
import type { CustomerDialogProps } from './dialogProps.ts';
import { AddItem, CreateInvoice, PreviewCharges, WaysToPayQuery } from './selling.ts';
import { sellTexts as texts } from './texts.ts';
import './lines.css';

interface ChargeValues {
  description: string;
  decimal: string;
  quantity: string;
}

/** The days on which the charges are supplied; empty texts for the day of the invoice. */
interface Supply {
  from: string;
  to: string;
}

const empty: ChargeValues = { description: '', decimal: '', quantity: '1' };
const ways = ['charge', 'manual', 'draft', 'later'] as const;
type Way = (typeof ways)[number];

/** An invoice for the customer to pay, where nobody could. */
const unpayable: Problem = {
  reason: 'payments_not_set_up',
  message: 'payments_not_set_up',
  status: 409,
  issues: [],
};

/** Bills something once: at once by the saved method, by an invoice to be paid, by a draft, or with the next invoice. */
export function ChargeDialog({ customer, onClose, onDone }: CustomerDialogProps) {
  const t = useTexts(texts);
  const format = useFormat();
  const standard = useDefaultCurrency();
  const known = customer.balance[0] ?? customer.subscriptions?.nodes[0]?.agreedPrice;
  const hasMethod = customer.defaultPaymentMethod !== null;
  const [way, setWay] = useState<Way>(hasMethod ? 'charge' : 'manual');
  const [currency, setCurrency] = useState(known?.currency ?? standard);
  const [charges, setCharges] = useState([empty]);
  const [supply, setSupply] = useState<Supply>({ from: '', to: '' });
  const [kind, setKind] = useState<ProductKind | ''>('');
  const items = readItems(charges, currency, { ...supply, kind });
  const words = useProblemWords();
  const isLater = way === 'later';
  const isUnpayable =
    useScreenQuery(WaysToPayQuery, {}).data?.tenant?.canBePaid === false && way === 'manual';
  const preview = usePreview(
    PreviewCharges,
    items && !isLater ? { customerId: customer.id, items } : undefined,
    (data) => data.previewInvoice,
    { ids: [customer.id] },
  );
  const { bill, ...action } = useBill({ customer, onClose, onDone }, way, (added) =>
    setCharges(charges.slice(added)),
  );
  const total = preview.preview?.total;
  const label =
    total && isPositive(total) && way === 'charge' ? t.chargeNow(format.money(total)) : t[`do_${way}`];
  return (
    <ConfirmAction
      title={t.oneOff}
      placement="side"
      label={label}
      refused={
        isUnpayable
          ? words(unpayable).title
          : items
            ? isLater || preview.preview
              ? undefined
              : t.previewFirst
            : t.fillIn
      }
      action={action}
      onConfirm={() => items && void bill(items)}
      onClose={onClose}
    >
      <Select
        label={t.how}
        value={way}
        choices={ways
          .filter((value) => value !== 'charge' || hasMethod)
          .map((value) => ({ value, label: t[value] }))}
        onChange={({ target }) => setWay(target.value as Way)}
      />
      {isUnpayable && <ProblemNote problem={unpayable} />}
      <CurrencyField
        label={t.currency}
        value={currency}
        onChange={({ target }) => setCurrency(target.value)}
      />
      <Charges charges={charges} problem={action.problem} onChange={setCharges} />
      <ProductKindField value={kind} onChange={({ target }) => setKind(target.value as ProductKind | '')} />
      <SupplyFields supply={supply} problem={action.problem ?? preview.problem} onChange={setSupply} />
      {items && !isLater && <Preview {...preview} />}
      {isLater && <p className="soft">{t.laterNote}</p>}
      {way === 'draft' && <p className="soft">{t.draftNote}</p>}
    </ConfirmAction>
  );
}

interface SupplyFieldsProps {
  supply: Supply;
  problem: Problem | undefined;
  onChange: (supply: Supply) => void;
}

function SupplyFields({ supply, problem, onChange }: SupplyFieldsProps) {
  const t = useTexts(texts);
  return (
    <FieldRow>
      <Field
        label={t.suppliedFrom}
        hint={t.suppliedFromHint}
        type="date"
        value={supply.from}
        onChange={({ target }) => onChange({ ...supply, from: target.value })}
        {...findRefusal(problem, supply.to === '' ? 'suppliedAt' : 'servicePeriod.from')}
      />
      <Field
        label={t.suppliedTo}
        hint={t.suppliedToHint}
        type="date"
        value={supply.to}
        onChange={({ target }) => onChange({ ...supply, to: target.value })}
        {...findRefusal(problem, 'servicePeriod.to')}
      />
    </FieldRow>
  );
}

interface Item {
  amount: { decimal: string; currency: string };
  description: string;
  quantity: number;
  suppliedAt?: string;
  servicePeriod?: Supply;
  productKind?: ProductKind;
}

/** Returns the charges; undefined while one of them lacks something. */
function readItems(
  charges: ChargeValues[],
  currency: string,
  { from, to, kind }: Supply & { kind: ProductKind | '' },
): Item[] | undefined {
  if (to !== '' && from === '') return undefined;
  const items = charges.map(({ description, decimal, quantity }) => ({
    amount: { decimal: readDecimal(decimal), currency },
    description: description.trim(),
    quantity: Number(readWhole(quantity)),
    ...(kind !== '' && { productKind: kind }),
    ...(to !== '' ? { servicePeriod: { from, to } } : from !== '' && { suppliedAt: from }),
  }));
  const isComplete = ({ amount, description, quantity }: Item) =>
    /^\d{1,15}(\.\d{1,4})?$/.test(amount.decimal) &&
    Number(amount.decimal) > 0 &&
    description !== '' &&
    Number.isInteger(quantity) &&
    quantity > 0;
  return items.every(isComplete) ? items : undefined;
}

/** Returns the action that bills the charges in the chosen way. `onPart` is called if only the first ones were added. */
function useBill(
  { customer, onClose, onDone }: CustomerDialogProps,
  way: Way,
  onPart: (added: number) => void,
) {
  const t = useTexts(texts);
  const format = useFormat();
  const toast = useToast();
  const [, navigate] = useLocation();
  const invoice = useAction(CreateInvoice);
  const item = useAction(AddItem);
  const bill = async (items: Item[]) => {
    if (way === 'later') {
      for (const [index, each] of items.entries())
        if (!(await item.run({ input: { customerId: customer.id, ...each } }))) return onPart(index);
      toast(t.waitsToast);
      onDone();
      return onClose();
    }
    const draft = way === 'draft';
    const isCharged = draft ? customer.defaultPaymentMethod !== null : way === 'charge';
    const collect = isCharged ? 'automatic' : 'send_invoice';
    const done = await invoice.run({ customerId: customer.id, items, collect, draft });
    if (!done?.createInvoice) return undefined;
    const { status, total } = done.createInvoice;
    const paid = isPositive(total) ? t.chargedToast(format.money(total)) : t.paidToast;
    toast(status === 'paid' ? paid : draft ? t.draftToast : t.openToast);
    return navigate(`/invoices/${done.createInvoice.id}`);
  };
  return { bill, busy: invoice.busy || item.busy, problem: invoice.problem ?? item.problem };
}

interface ChargesProps {
  charges: ChargeValues[];
  problem: Problem | undefined;
  onChange: (charges: ChargeValues[]) => void;
}

const mostCharges = 20;

function Charges({ charges, problem, onChange }: ChargesProps) {
  const t = useTexts(texts);
  return (
    <>
      {charges.map((charge, index) => {
        const bind = (name: keyof ChargeValues) => ({
          value: charge[name],
          onChange: ({ target }: { target: { value: string } }) =>
            onChange(charges.with(index, { ...charge, [name]: target.value })),
        });
        return (
          <fieldset key={index} className="charge">
            <legend className="unseen">{t.line(String(index + 1))}</legend>
            <Field
              label={t.description}
              required
              autoFocus={index === 0}
              maxLength={500}
              {...findRefusal(problem, `items.${index}.description`)}
              {...bind('description')}
            />
            <Field
              label={t.amount}
              required
              inputMode="decimal"
              {...findRefusal(problem, `items.${index}.amount`)}
              {...bind('decimal')}
            />
            <Field
              label={t.quantity}
              required
              inputMode="numeric"
              {...findRefusal(problem, `items.${index}.quantity`)}
              {...bind('quantity')}
            />
            {charges.length > 1 && (
              <Button
                look="quiet"
                icon="close"
                edits
                aria-label={t.removeLine(String(index + 1))}
                onClick={() => onChange(charges.toSpliced(index, 1))}
              />
            )}
          </fieldset>
        );
      })}
      {charges.length < mostCharges && (
        <Button icon="plus" edits onClick={() => onChange([...charges, empty])}>
          {t.addLine}
        </Button>
      )}
    </>
  );
}
