import { useState } from 'react';
import { useLocation } from 'wouter';
import { AddOns, type AddOnChoice } from '../../billing/AddOns.tsx';
import { isPositive } from '../../billing/arithmetic.ts';
import type { PreviewData } from '../../billing/fragments.ts';
import { CouponChoice, type CouponToChoose } from '../../billing/CouponChoice.tsx';
import { Preview, usePreview } from '../../billing/Preview.tsx';
import { isAddOn, listPrices, PricesQuery, useFindPrices, type PriceToChoose } from '../../billing/prices.ts';
import { useAction } from '../../data/action.tsx';
import type { Problem } from '../../data/errors.ts';
import type { VariablesOf } from '../../data/graphql.ts';
import { useScreenQuery } from '../../data/query.tsx';
import { useTenant } from '../../data/session.tsx';
import { Combobox } from '../../design/Combobox.tsx';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { Empty } from '../../design/Feedback.tsx';
import { Field, FieldRow, Select } from '../../design/Field.tsx';
import { orNull, useForm } from '../../design/form.ts';
import { useLabel } from '../../design/formScope.ts';
import { readWhole } from '../../texts/numbers.ts';
import { useToast } from '../../design/Toasts.tsx';
import { useFormat } from '../../texts/format.ts';
import { useCan } from '../../data/session.tsx';
import { useTexts } from '../../texts/language.tsx';
import { usePriceWords } from '../../texts/prices.ts';
import { nameCustomer, nameMethod } from '../../texts/names.ts';
import { findRefusal } from '../../texts/problems.ts';
import { LinkDialog } from './LinkDialog.tsx';
import type { CustomerDialogProps } from './dialogProps.ts';
import { OrderSubscription, PayOrder, PreviewOrder } from './selling.ts';
import { sellTexts as texts } from './texts.ts';

type Order = VariablesOf<typeof PreviewOrder>['input'] & { customerId: string };

const initial = { quantity: '', code: '', trialDays: '', startDate: '' };

/** How the first payment is made: by the saved method at once, or by the customer. */
const ways = ['saved', 'link'] as const;
type Way = (typeof ways)[number];

/** Sells a subscription after a preview of the charge: to the saved payment method, or by a link to pay. */
export function SellDialog({ customer, onClose, onDone }: CustomerDialogProps) {
  const t = useTexts(texts);
  const format = useFormat();
  const method = findChargeable(customer);
  const [way, setWay] = useState<Way>(method ? 'saved' : 'link');
  const paidBy = way === 'saved' ? method : undefined;
  const { create, link, action } = useSale({ customer, onClose, onDone }, paidBy?.id);
  const form = useOrder(customer.id, action.problem);
  const { order } = form;
  const preview = usePreview(PreviewOrder, order && { input: order }, (data) => data.previewSubscription, {
    ids: [customer.id],
  });
  const total = preview.preview?.total;
  const sum = total && isPositive(total) ? format.money(total) : undefined;
  const label = paidBy
    ? sum === undefined
      ? t.start
      : t.chargeNow(sum)
    : sum === undefined
      ? t.create
      : t.createFor(sum);
  if (link) return <LinkDialog title={t.payLink} {...link} onClose={onClose} />;
  return (
    <ConfirmAction
      title={t.title(nameCustomer(customer))}
      placement="side"
      label={label}
      refused={order ? (preview.preview ? undefined : t.previewFirst) : t.choosePrice}
      action={action}
      onConfirm={() => order && preview.preview && void create(order, preview.preview)}
      onClose={onClose}
    >
      <OrderFields {...form} problem={action.problem ?? preview.problem} />
      {method && (
        <Select
          label={t.how}
          value={way}
          choices={ways.map((value) => ({
            value,
            label: value === 'saved' ? t.bySaved(nameMethod(method)) : t.byLink,
          }))}
          onChange={({ target }) => setWay(target.value as Way)}
        />
      )}
      {order && <Preview {...preview} />}
    </ConfirmAction>
  );
}

/** Returns the default method of a customer, if it can be charged without them. */
function findChargeable({ defaultPaymentMethod: method }: CustomerDialogProps['customer']) {
  return method && method.provider !== 'manual' && !method.isExpired ? method : undefined;
}

/** Returns the action that makes an order and pays it with a saved method, and the link to pay it otherwise. */
function useSale({ onClose, onDone }: CustomerDialogProps, paymentMethodId: string | undefined) {
  const t = useTexts(texts);
  const format = useFormat();
  const toast = useToast();
  const { alias } = useTenant();
  const [, navigate] = useLocation();
  const order = useAction(OrderSubscription);
  const payment = useAction(PayOrder);
  const [link, setLink] = useState<{ url: string; expiresAt: string; note: string }>();
  const create = async (input: Order, { total, warnings }: PreviewData) => {
    // What a change of the present plan costs falls with each moment.
    const isFixed = warnings.every(({ code }) => code !== 'order_changes_plan');
    const receiptUrl = `${location.origin}/portal/${alias}`;
    const done = await order.run({ input: { ...input, receiptUrl } });
    if (!done?.createSubscriptionIntent) return undefined;
    const { id, paymentUrl, expiresAt } = done.createSubscriptionIntent;
    const paid =
      paymentMethodId === undefined
        ? undefined
        : await payment.run({ id, input: { paymentMethodId, expectedTotal: isFixed ? total : null } });
    onDone();
    const subscriptionId = paid?.confirmIntent?.subscriptionId;
    if (!subscriptionId) {
      const note = paymentMethodId === undefined ? t.payLinkNote : t.notPaidNote;
      // Whoever may order sees the link.
      return setLink({ url: paymentUrl!, expiresAt, note });
    }
    toast(isPositive(total) ? t.startedPaidToast(format.money(total)) : t.startedToast);
    onClose();
    return navigate(`/subscriptions/${subscriptionId}`);
  };
  return { create, link, action: { busy: order.busy || payment.busy, problem: order.problem } };
}

/** The values of the form, and the order that they describe; undefined until a price is chosen. */
function useOrder(customerId: string, problem: Problem | undefined) {
  const { data } = useScreenQuery(PricesQuery, {});
  const form = useForm(initial, problem);
  const [addOns, setAddOns] = useState<AddOnChoice[]>([]);
  const { values } = form;
  const { writePrice } = usePriceWords();
  const [picked, setPicked] = useState<PriceToChoose>();
  const all =
    data?.products?.pageInfo.hasNextPage === false ? listPrices(data.products.nodes, writePrice) : [];
  // The only price needs no choice.
  const chosen = picked ?? (all.length === 1 ? all[0] : undefined);
  const [coupon, setCoupon] = useState<CouponToChoose>();
  const quantity = chosen?.price.model === 'flat' ? null : readWhole(values.quantity);
  const order: Order | undefined = chosen && {
    customerId,
    productId: chosen.product.id,
    priceId: chosen.price.id,
    quantity,
    trialDays: readWhole(values.trialDays),
    startDate: orNull(values.startDate),
    ...(coupon ? { couponId: coupon.value } : { promotionCode: orNull(values.code) }),
    ...(addOns.length > 0 && {
      addOns: addOns.map((addOn) => ({ priceId: addOn.priceId, quantity: readWhole(addOn.quantity) ?? 1 })),
    }),
  };
  const choose = (price: PriceToChoose | undefined) => {
    setPicked(price);
    setAddOns([]);
    form.change({ quantity: '' });
  };
  const isEmpty =
    data?.products?.nodes.every(({ prices }) => prices.length === 0) && !data.products.pageInfo.hasNextPage;
  return { form, chosen, coupon, setCoupon, order, addOns, setAddOns, choose, isEmpty };
}

type OrderFieldsProps = ReturnType<typeof useOrder> & { problem: Problem | undefined };

function OrderFields(props: OrderFieldsProps) {
  const { form, chosen, coupon, setCoupon, addOns, setAddOns, choose, isEmpty, problem } = props;
  const t = useTexts(texts);
  const find = useFindPrices();
  const mayGive = useCan('credit');
  const { bind } = form;
  useLabel('productId', t.price);
  if (isEmpty) return <Empty title={t.nothingToSell}>{t.nothingToSellText}</Empty>;
  const main = chosen && {
    productId: chosen.product.id,
    currency: chosen.price.details.currency,
    recurring: chosen.price.recurring,
  };
  return (
    <>
      <Combobox
        label={t.price}
        autoFocus
        required
        placeholder="–"
        find={find}
        chosen={chosen}
        {...findRefusal(problem, 'priceId')}
        onChange={choose}
      />
      {chosen && chosen.price.model !== 'flat' && (
        <Field
          label={t.quantity}
          inputMode="numeric"
          placeholder={String(chosen.price.minQuantity ?? 1)}
          {...bind('quantity')}
        />
      )}
      {main && (
        <AddOns
          find={find}
          allows={(price) => isAddOn(price, main)}
          addOns={addOns}
          problem={problem}
          onChange={setAddOns}
        />
      )}
      <FieldRow>
        {mayGive && (
          <CouponChoice chosen={coupon} {...findRefusal(problem, 'couponId')} onChange={setCoupon} />
        )}
        {!coupon && <Field label={t.code} {...bind('code')} {...findRefusal(problem, 'promotionCode')} />}
      </FieldRow>
      <FieldRow>
        <Field
          label={t.trialDays}
          hint={t.trialHint}
          inputMode="numeric"
          {...bind('trialDays')}
          {...findRefusal(problem, 'trialDays')}
        />
        <Field
          label={t.startDate}
          hint={t.startHint}
          type="date"
          {...bind('startDate')}
          {...findRefusal(problem, 'startDate')}
        />
      </FieldRow>
    </>
  );
}
