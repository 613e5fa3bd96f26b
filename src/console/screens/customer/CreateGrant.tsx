import {
  noTerms,
  readRollover,
  readScope,
  RolloverFields,
  ScopeFields,
  type TermValues,
} from '../../billing/credits/GrantTerms.tsx';
import { useWriteCredit } from '../../billing/credits/amounts.tsx';
import { useCreditTypes } from '../../billing/credits/queries.ts';
import { termTexts } from '../../billing/credits/texts.ts';
import { CurrencyField } from '../../billing/CurrencyField.tsx';
import { useDefaultCurrency } from '../../billing/currencies.ts';
import { useAction } from '../../data/action.tsx';
import { graphql } from '../../data/graphql.ts';
import { FormDialog } from '../../design/FormDialog.tsx';
import { Field, Select } from '../../design/Field.tsx';
import { orNull, useForm, type Form } from '../../design/form.ts';
import { useToast } from '../../design/Toasts.tsx';
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

interface Values extends TermValues {
  name: string;
  /** Empty for money. */
  creditTypeId: string;
  amount: string;
  costBasis: string;
  category: 'promotional' | 'paid';
  priority: string;
  effectiveAt: string;
  expiresAt: string;
  alertBelow: string;
}

const initial: Values = {
  ...noTerms,
  name: '',
  creditTypeId: '',
  amount: '',
  costBasis: '',
  category: 'promotional',
  priority: '50',
  effectiveAt: '',
  expiresAt: '',
  alertBelow: '',
};

/** The dialog that gives or sells credit with terms. Its button says the amount. */
export function CreateGrant({ customer, onClose, onDone }: CustomerDialogProps) {
  const t = useTexts(texts);
  const toast = useToast();
  const { run, busy, problem } = useAction(CreateCreditGrant);
  const standard = useDefaultCurrency();
  const currency =
    (customer.balance[0] ?? customer.subscriptions?.nodes[0]?.agreedPrice)?.currency ?? standard;
  const form = useForm({ ...initial, currency }, problem);
  const { values } = form;
  const { data } = useCreditTypes();
  const types = data?.creditTypes?.nodes ?? [];
  const creditType = types.find(({ id }) => id === values.creditTypeId) ?? null;
  const write = useWriteCredit();
  const decimal = readDecimal(values.amount);
  const money = creditType ? null : { decimal, currency: values.currency };
  const amount = isDecimal(decimal) ? write({ amount: money, credits: decimal, creditType }) : '…';
  const submit = async () => {
    if (
      !(await run({ input: { customerId: customer.id, ...readGrant(values, data?.tenant?.creditVouchers) } }))
    )
      return;
    toast(t.createdToast(amount));
    onDone();
    onClose();
  };
  return (
    <FormDialog
      title={t.create}
      label={t.createText(amount)}
      busy={busy}
      problem={problem}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <GrantFields form={form} />
    </FormDialog>
  );
}

type GrantValues = Values & { currency: string };

function GrantFields({ form }: { form: Form<GrantValues> }) {
  const t = useTexts(texts);
  const terms = useTexts(termTexts);
  const { data } = useCreditTypes();
  const { values, bind } = form;
  const isMoney = values.creditTypeId === '';
  const isPaid = values.category === 'paid';
  const isBeforeTax = isBefore(values, data?.tenant?.creditVouchers);
  const termForm: Form<TermValues> = form;
  return (
    <>
      <Select
        label={t.kind}
        hint={isBeforeTax ? t.promotionalHint : t.paidHint}
        choices={(['promotional', 'paid'] as const).map((value) => ({ value, label: t[value] }))}
        {...bind('category')}
      />
      <Field label={t.name} hint={t.nameHint} required {...bind('name')} />
      <Select
        label={terms.unit}
        choices={[
          { value: '', label: terms.money },
          ...(data?.creditTypes?.nodes ?? []).map(({ id, name }) => ({ value: id, label: name })),
        ]}
        {...bind('creditTypeId', 'credits.creditTypeId')}
      />
      <Field
        label={t.amount}
        inputMode="decimal"
        required
        {...bind('amount', isMoney ? 'amount' : 'credits.amount')}
      />
      <CurrencyField
        label={t.currency}
        {...bind('currency', isMoney ? 'amount.currency' : 'credits.currency')}
      />
      {isPaid && (
        <Field
          label={terms.costBasis}
          hint={isMoney ? terms.costBasisHint : terms.costBasisNeeded}
          inputMode="decimal"
          required={!isMoney}
          {...bind('costBasis')}
        />
      )}
      {isBeforeTax && <ScopeFields form={termForm} meters={data?.meters?.nodes ?? []} />}
      <Field label={t.priority} hint={t.priorityHint} inputMode="numeric" {...bind('priority')} />
      <Field label={t.begins} hint={t.beginsHint} type="date" {...bind('effectiveAt')} />
      <Field label={t.expires} hint={t.expiresHint} type="date" {...bind('expiresAt')} />
      {values.expiresAt !== '' && <RolloverFields form={termForm} isMoney={isMoney} />}
      <Field
        label={t.alertBelow}
        hint={t.alertBelowHint}
        inputMode="decimal"
        {...bind('alertBelow', isMoney ? 'alertBelow' : 'alertBelowCredits')}
      />
    </>
  );
}

/** Whether the credit lowers bills before their tax, and can be for some charges only. */
const isBefore = ({ category, creditTypeId }: Values, vouchers: string | undefined): boolean =>
  category === 'promotional' || creditTypeId !== '' || vouchers === 'single_purpose';

/** Returns the grant as the schema takes it. */
function readGrant(values: GrantValues, vouchers: string | undefined) {
  const { name, category, creditTypeId, currency, priority, effectiveAt, expiresAt } = values;
  const decimal = readDecimal(values.amount);
  const below = orNull(readDecimal(values.alertBelow));
  return {
    name,
    category,
    ...(creditTypeId === ''
      ? { amount: { decimal, currency }, alertBelow: below === null ? null : { decimal: below, currency } }
      : { credits: { creditTypeId, amount: decimal, currency }, alertBelowCredits: below }),
    costBasis: category === 'paid' ? orNull(readDecimal(values.costBasis)) : null,
    priority: readWhole(priority),
    effectiveAt: orNull(effectiveAt),
    expiresAt: orNull(expiresAt),
    appliesTo: isBefore(values, vouchers) ? readScope(values) : null,
    rollover: expiresAt === '' ? null : readRollover(values, currency, creditTypeId === ''),
  };
}
