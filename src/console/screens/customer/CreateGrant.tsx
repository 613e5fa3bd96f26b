import { CurrencyField } from '../../billing/CurrencyField.tsx';
import { useDefaultCurrency } from '../../billing/currencies.ts';
import { useAction } from '../../data/action.tsx';
import { graphql } from '../../data/graphql.ts';
import { Button } from '../../design/Button.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import { ProblemNote } from '../../design/Feedback.tsx';
import { Field, Select } from '../../design/Field.tsx';
import { orNull, useForm } from '../../design/form.ts';
import { useToast } from '../../design/Toasts.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { isDecimal, readDecimal, readWhole } from '../../texts/numbers.ts';
import type { CustomerDialogProps } from './dialogProps.ts';
import { grantTexts as texts } from './texts.ts';

const CreateCreditGrant = graphql(`
  mutation CreateCreditGrant($input: CreateCreditGrantInput!) {
    createCreditGrant(input: $input) {
      id
    }
  }
`);

interface Values {
  name: string;
  amount: string;
  category: 'promotional' | 'paid';
  priority: string;
  effectiveAt: string;
  expiresAt: string;
}

const initial: Values = {
  name: '',
  amount: '',
  category: 'promotional',
  priority: '50',
  effectiveAt: '',
  expiresAt: '',
};

/** The dialog that gives or sells credit with terms. Its button says the amount. */
export function CreateGrant({ customer, onClose, onDone }: CustomerDialogProps) {
  const t = useTexts(texts);
  const format = useFormat();
  const toast = useToast();
  const { run, busy, problem } = useAction(CreateCreditGrant);
  const standard = useDefaultCurrency();
  const currency =
    (customer.balance[0] ?? customer.subscriptions?.nodes[0]?.agreedPrice)?.currency ?? standard;
  const { values, bind } = useForm({ ...initial, currency }, problem);
  const money = { decimal: readDecimal(values.amount), currency: values.currency };
  const amount = isDecimal(money.decimal) ? format.money(money) : '…';
  const submit = async () => {
    const input = {
      customerId: customer.id,
      name: values.name,
      amount: money,
      category: values.category,
      priority: readWhole(values.priority),
      effectiveAt: orNull(values.effectiveAt),
      expiresAt: orNull(values.expiresAt),
    };
    if (!(await run({ input }))) return;
    toast(t.createdToast(amount));
    onDone();
    onClose();
  };
  return (
    <Dialog
      title={t.create}
      onClose={onClose}
      onSubmit={() => void submit()}
      actions={
        <>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button type="submit" look="main" busy={busy}>
            {t.createText(amount)}
          </Button>
        </>
      }
    >
      {problem && <ProblemNote problem={problem} />}
      <Select
        label={t.kind}
        hint={t[`${values.category}Hint`]}
        choices={[
          { value: 'promotional', label: t.promotional },
          { value: 'paid', label: t.paid },
        ]}
        {...bind('category')}
      />
      <Field label={t.name} hint={t.nameHint} required {...bind('name')} />
      <Field label={t.amount} inputMode="decimal" required {...bind('amount')} />
      <CurrencyField label={t.currency} {...bind('currency', 'amount.currency')} />
      <Field label={t.priority} hint={t.priorityHint} inputMode="numeric" {...bind('priority')} />
      <Field label={t.begins} hint={t.beginsHint} type="date" {...bind('effectiveAt')} />
      <Field label={t.expires} hint={t.expiresHint} type="date" {...bind('expiresAt')} />
    </Dialog>
  );
}
