import { useState } from 'react';
import { Link } from 'wouter';
import { useRefusal } from '../app/permissions.ts';
import { useAction } from '../data/action.tsx';
import { graphql } from '../data/graphql.ts';
import { Button } from '../design/Button.tsx';
import { ConfirmAction } from '../design/ConfirmAction.tsx';
import { Section } from '../design/Page.tsx';
import { Table } from '../design/Table.tsx';
import { useToast } from '../design/Toasts.tsx';
import { Nothing, When } from '../design/Values.tsx';
import { useCouponWords } from '../texts/coupons.ts';
import { useTexts } from '../texts/language.tsx';
import type { DiscountData } from './fragments.ts';
import { texts } from './texts.ts';

const RemoveDiscount = graphql(`
  mutation RemoveDiscount($id: ID!) {
    removeDiscount(id: $id) {
      id
      active
    }
  }
`);

interface DiscountsProps {
  discounts: DiscountData[];
  onDone: () => void;
}

/** The discounts of a subscription or a customer. */
export function Discounts({ discounts, onDone }: DiscountsProps) {
  const t = useTexts(texts);
  const refused = useRefusal('credit');
  const { writeCoupon } = useCouponWords();
  const [removed, setRemoved] = useState<DiscountData>();
  if (discounts.length === 0) return null;
  return (
    <Section title={t.discounts}>
      <Table
        caption={t.discounts}
        rows={discounts}
        rowKey={({ id }) => id}
        columns={[
          {
            header: t.coupon,
            cell: ({ coupon }) => <Link href={`/coupons/${coupon.id}`}>{coupon.name}</Link>,
          },
          { header: t.off, cell: ({ coupon }) => writeCoupon(coupon) },
          {
            header: t.code,
            cell: ({ promotionCode }) =>
              promotionCode ? <code dir="ltr">{promotionCode.code}</code> : <Nothing />,
          },
          { header: t.until, cell: ({ endsAt }) => <When at={endsAt} /> },
          {
            header: t.actions,
            align: 'end',
            cell: (discount) => (
              <Button look="quiet" refused={refused} onClick={() => setRemoved(discount)}>
                {t.remove}
              </Button>
            ),
          },
        ]}
      />
      {removed && <Remove discount={removed} onClose={() => setRemoved(undefined)} onDone={onDone} />}
    </Section>
  );
}

interface RemoveProps {
  discount: DiscountData;
  onClose: () => void;
  onDone: () => void;
}

function Remove({ discount: { id, coupon }, onClose, onDone }: RemoveProps) {
  const t = useTexts(texts);
  const toast = useToast();
  const action = useAction(RemoveDiscount);
  const remove = async () => {
    if (!(await action.run({ id }))) return;
    toast(t.saved);
    onClose();
    onDone();
  };
  return (
    <ConfirmAction
      danger
      title={t.removeTitle(coupon.name)}
      label={t.remove}
      action={action}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      <p>{t.removeNote}</p>
    </ConfirmAction>
  );
}
