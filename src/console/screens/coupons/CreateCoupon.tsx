import { useLocation } from 'wouter';
import { CurrencyField } from '../../billing/CurrencyField.tsx';
import { useDefaultCurrency } from '../../billing/currencies.ts';
import { readDecimal, readWhole } from '../../texts/numbers.ts';
import { useProductChoices } from '../../billing/products.ts';
import { useAction } from '../../data/action.tsx';
import type { VariablesOf } from '../../data/graphql.ts';
import { ChipsCombobox } from '../../design/Combobox.tsx';
import { FormDialog } from '../../design/FormDialog.tsx';
import { Note } from '../../design/Feedback.tsx';
import { Field, FieldRow, Select, type Choice } from '../../design/Field.tsx';
import { orNull, useForm, type Form } from '../../design/form.ts';
import { useToast } from '../../design/Toasts.tsx';
import { useCouponWords } from '../../texts/coupons.ts';
import { useTexts } from '../../texts/language.tsx';
import { findRefusal } from '../../texts/problems.ts';
import { CreateCouponMutation } from './query.ts';
import { texts } from './texts.ts';

type CouponInput = VariablesOf<typeof CreateCouponMutation>['input'];

const empty = {
  name: '',
  kind: 'percent' as 'percent' | 'amount',
  off: '',
  currency: '',
  duration: 'once' as CouponInput['duration'],
  months: '3',
  products: [] as Choice[],
  maxRedemptions: '',
  redeemBy: '',
};

const toInput = (values: typeof empty): CouponInput => {
  const { name, kind, currency, duration, months, products, maxRedemptions, redeemBy } = values;
  const off = readDecimal(values.off);
  return {
    name,
    duration,
    ...(kind === 'percent' ? { percentOff: off } : { amountOff: { decimal: off, currency } }),
    ...(duration === 'repeating' && { durationInMonths: readWhole(months) }),
    ...(products.length > 0 && { productIds: products.map(({ value }) => value) }),
    maxRedemptions: readWhole(maxRedemptions),
    redeemBy: orNull(redeemBy),
  };
};

/** The dialog that creates a coupon. A sentence says what it will do. */
export function CreateCoupon({ onClose }: { onClose: () => void }) {
  const t = useTexts(texts);
  const toast = useToast();
  const [, navigate] = useLocation();
  const { run, busy, problem } = useAction(CreateCouponMutation);
  const form = useForm({ ...empty, currency: useDefaultCurrency() }, problem);
  const { values, bind } = form;
  const { find } = useProductChoices();
  const submit = async () => {
    const done = await run({ input: toInput(values) });
    if (!done?.createCoupon) return;
    toast(t.createdToast(values.name));
    navigate(`/coupons/${done.createCoupon.id}`);
  };
  return (
    <FormDialog
      title={t.create}
      busy={busy}
      problem={problem}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Field label={t.name} hint={t.nameHint} required autoFocus maxLength={200} {...bind('name')} />
      <Terms {...form} />
      <ChipsCombobox
        label={t.products}
        placeholder={values.products.length === 0 ? t.allProducts : ''}
        find={find}
        chosen={values.products}
        {...findRefusal(problem, 'productIds')}
        onChange={(products) => form.change({ products })}
      />
      <FieldRow>
        <Field label={t.limit} hint={t.limitHint} inputMode="numeric" {...bind('maxRedemptions')} />
        <Field label={t.redeemBy} type="date" {...bind('redeemBy')} />
      </FieldRow>
      <Summary values={values} />
    </FormDialog>
  );
}

/** How much it takes off, and for how long. */
function Terms({ values, bind }: Form<typeof empty>) {
  const t = useTexts(texts);
  return (
    <>
      <FieldRow>
        <Select
          label={t.kind}
          choices={[
            { value: 'percent', label: t.percent },
            { value: 'amount', label: t.amount },
          ]}
          {...bind('kind')}
        />
        <Field
          label={values.kind === 'percent' ? t.percent : t.amount}
          inputMode="decimal"
          required
          {...bind('off', values.kind === 'percent' ? 'percentOff' : 'amountOff')}
        />
        {values.kind === 'amount' && (
          <CurrencyField label={t.currency} {...bind('currency', 'amountOff.currency')} />
        )}
      </FieldRow>
      <FieldRow>
        <Select
          label={t.duration}
          choices={(['once', 'repeating', 'forever'] as const).map((value) => ({ value, label: t[value] }))}
          {...bind('duration')}
        />
        {values.duration === 'repeating' && (
          <Field label={t.months} inputMode="numeric" required {...bind('months', 'durationInMonths')} />
        )}
      </FieldRow>
    </>
  );
}

/** What the coupon will do, in a sentence, as soon as its figures can be read. */
function Summary({ values }: { values: typeof empty }) {
  const { writeCoupon } = useCouponWords();
  const input = toInput(values);
  const decimal = input.amountOff?.decimal ?? input.percentOff ?? '';
  if (!/^\d{1,15}(\.\d{1,4})?$/.test(decimal) || Number(decimal) === 0) return null;
  return (
    <Note>
      <span role="status">
        {writeCoupon({
          percentOff: input.percentOff ?? null,
          amountOff: input.amountOff ? { decimal, currency: values.currency } : null,
          duration: values.duration,
          durationInMonths: readWhole(values.months),
          products: input.productIds
            ? values.products.map(({ value, label }) => ({ id: value, name: label }))
            : null,
        })}
      </span>
    </Note>
  );
}
