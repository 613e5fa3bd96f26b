import { readDecimal, readWhole } from '../../texts/numbers.ts';
import { CurrencyField } from '../../billing/CurrencyField.tsx';
import { useDefaultCurrency } from '../../billing/currencies.ts';
import { useAction } from '../../data/action.tsx';
import type { VariablesOf } from '../../data/graphql.ts';
import { FormDialog } from '../../design/FormDialog.tsx';
import { Note } from '../../design/Feedback.tsx';
import { Checkbox, Field, FieldRow } from '../../design/Field.tsx';
import { orNull, useForm } from '../../design/form.ts';
import { useToast } from '../../design/Toasts.tsx';
import { useCouponWords } from '../../texts/coupons.ts';
import { useTexts } from '../../texts/language.tsx';
import { CreateCodeMutation, type CouponData } from './query.ts';
import { texts } from './texts.ts';

interface CreateCodeProps {
  coupon: CouponData;
  onClose: () => void;
  onDone: () => void;
}

const initial = {
  code: '',
  firstPurchaseOnly: false,
  minimum: '',
  maxRedemptions: '',
  expiresAt: '',
};

/** The dialog that creates a promotion code. A sentence says what it will give, and to whom. */
export function CreateCode({ coupon, onClose, onDone }: CreateCodeProps) {
  const t = useTexts(texts);
  const toast = useToast();
  const { writeCode } = useCouponWords();
  const { run, busy, problem } = useAction(CreateCodeMutation);
  const standard = useDefaultCurrency();
  const { values, bind, check } = useForm(
    { ...initial, currency: coupon.amountOff?.currency ?? standard },
    problem,
  );
  const decimal = readDecimal(values.minimum);
  const minimumAmount = decimal ? { decimal, currency: values.currency } : null;
  const input: VariablesOf<typeof CreateCodeMutation>['input'] = {
    couponId: coupon.id,
    code: values.code.trim(),
    firstPurchaseOnly: values.firstPurchaseOnly,
    minimumAmount,
    maxRedemptions: readWhole(values.maxRedemptions),
    expiresAt: orNull(values.expiresAt),
  };
  const isReady = decimal === '' || /^\d{1,15}(\.\d{1,4})?$/.test(decimal);
  const submit = async () => {
    const done = await run({ input });
    if (!done?.createPromotionCode) return;
    toast(t.codeCreated(done.createPromotionCode.code));
    onDone();
    onClose();
  };
  return (
    <FormDialog
      title={t.createCode}
      busy={busy}
      problem={problem}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Field label={t.code} hint={t.codeHint} required autoFocus dir="ltr" maxLength={64} {...bind('code')} />
      <Checkbox label={t.newOnly} hint={t.newOnlyHint} {...check('firstPurchaseOnly')} />
      <FieldRow>
        <Field
          label={t.minimum}
          hint={t.minimumHint}
          inputMode="decimal"
          {...bind('minimum', 'minimumAmount')}
        />
        {decimal && <CurrencyField label={t.currency} {...bind('currency', 'minimumAmount.currency')} />}
      </FieldRow>
      <FieldRow>
        <Field label={t.limit} hint={t.limitHint} inputMode="numeric" {...bind('maxRedemptions')} />
        <Field label={t.expires} type="date" {...bind('expiresAt')} />
      </FieldRow>
      {isReady && (
        <Note>
          <span role="status">
            {writeCode(coupon, { firstPurchaseOnly: values.firstPurchaseOnly, minimumAmount })}
          </span>
        </Note>
      )}
    </FormDialog>
  );
}
