import { useDefaultCurrency } from '../currencies.ts';
import { CurrencyField } from '../CurrencyField.tsx';
import { useAction } from '../../data/action.tsx';
import { FormDialog } from '../../design/FormDialog.tsx';
import { Note } from '../../design/Feedback.tsx';
import { Field, Select } from '../../design/Field.tsx';
import { orNull, useForm, type Form } from '../../design/form.ts';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { readDecimal, readWhole, writeDecimal } from '../../texts/numbers.ts';
import { PeriodFields, readPeriod, type PeriodValues } from './PeriodFields.tsx';
import { SetAutoTopUp, useCreditTypes, type AutoTopUp } from './queries.ts';
import { periodTexts, termTexts, topUpTexts as texts } from './texts.ts';

interface TopUpValues extends PeriodValues {
  name: string;
  creditTypeId: string;
  currency: string;
  threshold: string;
  amount: string;
  costBasis: string;
  monthlyLimit: string;
  expires: 'never' | 'after';
}

interface TopUpDialogProps {
  customerId: string;
  /** The one that is changed; undefined for a new one. */
  topUp?: AutoTopUp;
  onClose: () => void;
  onDone: () => void;
}

/** The dialog that sets when credit is sold to a customer without anybody's doing. */
export function TopUpDialog({ customerId, topUp, onClose, onDone }: TopUpDialogProps) {
  const t = useTexts(texts);
  const toast = useToast();
  const { run, busy, problem } = useAction(SetAutoTopUp);
  const form = useForm(toValues(topUp, useDefaultCurrency()), problem);
  const submit = async () => {
    if (!(await run({ input: { customerId, ...readTopUp(form.values) } }))) return;
    toast(t.savedToast);
    onDone();
    onClose();
  };
  return (
    <FormDialog
      title={t.create}
      label={t.save}
      busy={busy}
      problem={problem}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Note>{t.note}</Note>
      <TopUpFields form={form} />
    </FormDialog>
  );
}

function TopUpFields({ form }: { form: Form<TopUpValues> }) {
  const t = useTexts(texts);
  const terms = useTexts(termTexts);
  const { kept } = useTexts(periodTexts);
  const { values, bind } = form;
  const types = useCreditTypes().data?.creditTypes?.nodes ?? [];
  const isMoney = values.creditTypeId === '';
  const [threshold, amount] = isMoney ? ['threshold', 'amount'] : ['credits.threshold', 'credits.amount'];
  return (
    <>
      <Field label={t.name} hint={t.nameHint} required {...bind('name')} />
      <Select
        label={terms.unit}
        choices={[
          { value: '', label: terms.money },
          ...types.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        {...bind('creditTypeId', 'credits.creditTypeId')}
      />
      <CurrencyField label={t.currency} {...bind('currency', 'amount.currency')} />
      <Field label={t.threshold} inputMode="decimal" required {...bind('threshold', threshold)} />
      <Field label={t.sold} inputMode="decimal" required {...bind('amount', amount)} />
      <Field
        label={terms.costBasis}
        hint={isMoney ? terms.costBasisHint : terms.costBasisNeeded}
        inputMode="decimal"
        required={!isMoney}
        {...bind('costBasis')}
      />
      <Field label={t.limit} hint={t.limitHint} inputMode="numeric" required {...bind('monthlyLimit')} />
      <Select
        label={t.expires}
        choices={(['never', 'after'] as const).map((value) => ({ value, label: t[value] }))}
        {...bind('expires')}
      />
      {values.expires === 'after' && <PeriodFields form={form} label={kept} path="expiresAfter" />}
    </>
  );
}

const toValues = (topUp: AutoTopUp | undefined, currency: string): TopUpValues => ({
  name: topUp?.name ?? '',
  creditTypeId: topUp?.creditType?.id ?? '',
  currency: topUp?.currency ?? currency,
  threshold: writeDecimal(topUp?.threshold?.decimal ?? topUp?.creditThreshold ?? ''),
  amount: writeDecimal(topUp?.amount?.decimal ?? topUp?.credits ?? ''),
  costBasis: writeDecimal(topUp?.costBasis ?? ''),
  monthlyLimit: String(topUp?.monthlyLimit ?? 1),
  expires: topUp?.expiresAfter ? 'after' : 'never',
  period: String(topUp?.expiresAfter?.period ?? 12),
  frequency: topUp?.expiresAfter?.frequency ?? 'Monthly',
});

/** Returns the top-up as the schema takes it. */
function readTopUp(values: TopUpValues) {
  const { name, creditTypeId, currency } = values;
  const [threshold, amount] = [readDecimal(values.threshold), readDecimal(values.amount)];
  const sale =
    creditTypeId === ''
      ? { threshold: { decimal: threshold, currency }, amount: { decimal: amount, currency } }
      : { credits: { creditTypeId, threshold, amount, currency } };
  return {
    name,
    ...sale,
    costBasis: orNull(readDecimal(values.costBasis)),
    monthlyLimit: readWhole(values.monthlyLimit) ?? 0,
    expiresAfter: values.expires === 'after' ? readPeriod(values) : null,
  };
}
