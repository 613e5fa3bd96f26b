import { useState } from 'react';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { useAction } from '../../data/action.tsx';
import { graphql } from '../../data/graphql.ts';
import { useScreenQuery } from '../../data/query.tsx';
import { Field, Select } from '../../design/Field.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { findFieldProblem } from '../../texts/problems.ts';
import type { SubscriptionDialogProps } from './dialogProps.ts';
import { texts } from './texts.ts';

const CouponsQuery = graphql(`
  query CouponsToApply {
    coupons(first: 100, active: true) {
      nodes {
        id
        name
        percentOff
        amountOff {
          decimal
          currency
        }
      }
    }
  }
`);

const ApplyDiscount = graphql(`
  mutation ApplyDiscount($subscriptionId: ID!, $couponId: ID, $promotionCode: String) {
    applyDiscount(subscriptionId: $subscriptionId, couponId: $couponId, promotionCode: $promotionCode) {
      id
    }
  }
`);

/** Applies a coupon, or a promotion code, to the next invoices. */
export function DiscountDialog({ subscription, onClose, onDone }: SubscriptionDialogProps) {
  const t = useTexts(texts);
  const format = useFormat();
  const toast = useToast();
  const action = useAction(ApplyDiscount);
  const { data } = useScreenQuery(CouponsQuery, {});
  const [couponId, setCouponId] = useState('');
  const [code, setCode] = useState('');
  const coupons = data?.coupons?.nodes ?? [];
  const chosen = coupons.find(({ id }) => id === couponId);
  const nothing = couponId === '' && code.trim() === '';
  const confirm = async () => {
    const what = couponId ? { couponId } : { promotionCode: code.trim() };
    if (!(await action.run({ subscriptionId: subscription.id, ...what }))) return;
    toast(t.saved);
    onDone();
  };
  return (
    <ConfirmAction
      title={t.applyDiscount}
      label={t.applyText(chosen?.name ?? code.trim())}
      refused={nothing ? t.chooseDiscount : undefined}
      action={action}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <p className="soft">{t.discountNote}</p>
      <Select
        label={t.coupon}
        value={couponId}
        choices={[
          { value: '', label: '–' },
          ...coupons.map(({ id, name, percentOff, amountOff }) => {
            const off = percentOff ? format.percent(Number(percentOff) / 100) : format.money(amountOff!);
            return { value: id, label: `${name} (${off})` };
          }),
        ]}
        onChange={({ target }) => setCouponId(target.value)}
      />
      {couponId === '' && (
        <Field
          label={t.code}
          value={code}
          problem={findFieldProblem(action.problem, 'promotionCode')}
          onChange={({ target }) => setCode(target.value)}
        />
      )}
    </ConfirmAction>
  );
}
