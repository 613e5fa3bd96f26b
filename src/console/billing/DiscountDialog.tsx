import { useState } from 'react';
import { useAction } from '../data/action.tsx';
import { graphql } from '../data/graphql.ts';
import { ConfirmAction } from '../design/ConfirmAction.tsx';
import { Field } from '../design/Field.tsx';
import { useToast } from '../design/Toasts.tsx';
import { useTexts } from '../texts/language.tsx';
import { findRefusal } from '../texts/problems.ts';
import { CouponChoice, type CouponToChoose } from './CouponChoice.tsx';
import { texts } from './texts.ts';

const ApplyDiscount = graphql(`
  mutation ApplyDiscount($subscriptionId: ID, $customerId: ID, $couponId: ID, $promotionCode: String) {
    applyDiscount(
      input: {
        subscriptionId: $subscriptionId
        customerId: $customerId
        couponId: $couponId
        promotionCode: $promotionCode
      }
    ) {
      id
    }
  }
`);

interface DiscountDialogProps {
  /** The subscription or the customer whose invoices it reduces. */
  holder: { subscriptionId: string } | { customerId: string };
  onClose: () => void;
  onDone: () => void;
}

/** Applies a coupon, or a promotion code, to the next invoices. */
export function DiscountDialog({ holder, onClose, onDone }: DiscountDialogProps) {
  const t = useTexts(texts);
  const toast = useToast();
  const action = useAction(ApplyDiscount);
  const [chosen, setChosen] = useState<CouponToChoose>();
  const [code, setCode] = useState('');
  const name = chosen?.coupon.name ?? code.trim();
  const confirm = async () => {
    const applied = chosen ? { couponId: chosen.value } : { promotionCode: code.trim() };
    if (!(await action.run({ ...holder, ...applied }))) return;
    toast(t.saved);
    onDone();
  };
  return (
    <ConfirmAction
      title={t.applyDiscount}
      label={t.applyText(name)}
      refused={name === '' ? t.chooseDiscount : undefined}
      action={action}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p className="soft">{t.discountNote}</p>
      <CouponChoice chosen={chosen} onChange={setChosen} />
      {!chosen && (
        <Field
          label={t.code}
          value={code}
          {...findRefusal(action.problem, 'promotionCode')}
          onChange={({ target }) => setCode(target.value)}
        />
      )}
    </ConfirmAction>
  );
}
