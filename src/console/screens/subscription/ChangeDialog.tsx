import { useState } from 'react';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { AddOns, type AddOnChoice } from '../../billing/AddOns.tsx';
import { isPositive } from '../../billing/arithmetic.ts';
import { PreviewFields } from '../../billing/fragments.ts';
import { Preview, usePreview } from '../../billing/Preview.tsx';
import {
  type PriceChoice,
  isAddOn,
  listPrices,
  ProductToChoose,
  useFindPrices,
  type PriceToChoose,
} from '../../billing/prices.ts';
import { useAction } from '../../data/action.tsx';
import { graphql, type VariablesOf, type FragmentOf } from '../../data/graphql.ts';
import { Combobox } from '../../design/Combobox.tsx';
import { Field, Select } from '../../design/Field.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { useFormat } from '../../texts/format.ts';
import { useCan } from '../../data/session.tsx';
import { useTexts } from '../../texts/language.tsx';
import { readWhole } from '../../texts/numbers.ts';
import { nameMethod } from '../../texts/names.ts';
import { findRefusal } from '../../texts/problems.ts';
import type { SubscriptionDialogProps } from './dialogProps.ts';
import { texts } from './texts.ts';
import { useLoad, useScreenQuery } from '../../data/query.tsx';
import type { FindChoices } from '../../design/choices.ts';
import { usePriceWords } from '../../texts/prices.ts';
import type { SubscriptionData } from './query.ts';
import { useOutcome } from './useOutcome.ts';

const Change = graphql(`
  mutation ChangeSubscription($id: ID!, $input: ChangeSubscriptionInput!) {
    changeSubscription(id: $id, input: $input) {
      id
      status
      nextInvoiceAt
    }
  }
`);

const PreviewQuery = graphql(
  `
    query PreviewSubscriptionChange($id: ID!, $input: SubscriptionChangeInput!) {
      previewSubscriptionChange(id: $id, input: $input) {
        ...PreviewFields
      }
    }
  `,
  [PreviewFields],
);

type ChangeInput = VariablesOf<typeof Change>['input'];
const billings = ['charge_now', 'next_invoice', 'period_end', 'none', 'reset'] as const;

/** Changes the plan, the quantity and the add-ons, and shows before what it costs. */
export function ChangeDialog(props: SubscriptionDialogProps) {
  const { subscription, onClose, onDone } = props;
  const t = useTexts(texts);
  const format = useFormat();
  const toast = useToast();
  const action = useAction(Change);
  const form = useChangeForm(subscription);
  const { input } = form;
  const preview = usePreview(
    PreviewQuery,
    { id: subscription.id, input },
    (data) => data.previewSubscriptionChange,
    { ids: [subscription.id] },
  );
  const found = preview.preview;
  const { paymentMethod: method } = subscription;
  const label = !found
    ? t.change
    : isPositive(found.total) && method
      ? t.chargeNow(format.money(found.total))
      : input.billing === 'period_end'
        ? t.changeOn(format.date(found.effectiveAt))
        : t.changeNow;
  const sayOutcome = useOutcome(props);
  const confirm = async () => {
    if (!input || !(await action.run({ id: subscription.id, input }))) return;
    toast(await sayOutcome(input.billing === 'period_end' ? t.saved : t.changeDone));
    onDone();
  };
  const isChange = Object.keys(input).some((key) => key !== 'billing');
  return (
    <ConfirmAction
      title={t.change}
      label={label}
      refused={isChange ? (found ? undefined : t.previewFirst) : t.nothingChanged}
      action={action}
      onConfirm={() => void confirm()}
      onClose={onClose}
    >
      <ChangeFields {...form} problem={action.problem ?? preview.problem} />
      {isChange && <Preview {...preview} />}
      {isChange && found && isPositive(found.total) && (
        <p className="soft">{method ? t.chargedTo(nameMethod(method)) : t.nothingToCharge}</p>
      )}
    </ConfirmAction>
  );
}

/** The values of the form, and the change that they describe. */
function useChangeForm(subscription: SubscriptionDialogProps['subscription']) {
  const { items, priceId: currentPriceId, quantity: currentQuantity } = subscription;
  const current: AddOnChoice[] = items
    .filter(({ isMain }) => !isMain)
    .map(({ priceId, quantity, productName }) => ({ priceId, quantity: String(quantity), productName }));
  const choices = usePlanChoices(subscription);
  const [picked, setPicked] = useState<PriceChoice>();
  const chosen = picked ?? choices.current;
  const priceId = chosen.value;
  const [quantity, setQuantity] = useState(String(currentQuantity));
  const [addOns, setAddOns] = useState(current);
  const [billing, setBilling] = useState('');
  const isFlat = chosen.model === 'flat';
  const number = isFlat ? 1 : (readWhole(quantity) ?? 0);
  const input: ChangeInput = {
    ...(priceId !== currentPriceId && { priceId }),
    ...((number !== currentQuantity || priceId !== currentPriceId) && { quantity: number }),
    ...(JSON.stringify(addOns) !== JSON.stringify(current) && {
      addOns: addOns.map((addOn) => ({
        priceId: addOn.priceId,
        quantity: readWhole(addOn.quantity) ?? 1,
      })),
    }),
    ...(billing && { billing: billing as (typeof billings)[number] }),
  };
  return {
    choices,
    chosen,
    setPicked,
    quantity,
    setQuantity,
    isFlat,
    addOns,
    setAddOns,
    billing,
    setBilling,
    input,
  };
}

type ChangeFieldsProps = ReturnType<typeof useChangeForm> & {
  problem: ReturnType<typeof useAction>['problem'];
};

function ChangeFields(props: ChangeFieldsProps) {
  const { choices, chosen, setPicked, quantity, setQuantity, isFlat, addOns, setAddOns } = props;
  const t = useTexts(texts);
  const mayGive = useCan('credit');
  return (
    <>
      <Combobox
        label={t.plan}
        required
        {...findRefusal(props.problem, 'priceId')}
        find={choices.findPlans}
        chosen={chosen}
        onChange={setPicked}
      />
      {!isFlat && (
        <Field
          label={t.quantity}
          inputMode="numeric"
          required
          value={quantity}
          {...findRefusal(props.problem, 'quantity')}
          onChange={({ target }) => setQuantity(target.value)}
        />
      )}
      <AddOns
        find={choices.findAddOns}
        allows={choices.allowsAddOn}
        addOns={addOns}
        problem={props.problem}
        onChange={setAddOns}
      />
      <Select
        label={t.billing}
        value={props.billing}
        choices={[
          { value: '', label: t.byPolicy },
          ...billings
            .filter((value) => mayGive || value !== 'none')
            .map((value) => ({ value, label: t[`billing_${value}`] })),
        ]}
        onChange={({ target }) => props.setBilling(target.value)}
      />
    </>
  );
}

const OwnPricesQuery = graphql(
  `
    query OwnPrices($id: ID!) {
      subscription(id: $id) {
        id
        product {
          ...ProductToChoose
        }
      }
    }
  `,
  [ProductToChoose],
);

type Product = FragmentOf<typeof ProductToChoose>;

interface PlanChoices {
  /** The plan of today. */
  current: PriceChoice;
  /** Finds plans: prices of the group, or of the product if it has none. */
  findPlans: FindChoices<PriceChoice>;
  findAddOns: FindChoices<PriceToChoose>;
  allowsAddOn: (price: PriceToChoose) => boolean;
}

/** Returns the prices to which a subscription can change, and those that can be added. */
function usePlanChoices(subscription: SubscriptionData): PlanChoices {
  const { id, productId, productName, priceId, product, agreedPrice, items } = subscription;
  const { currency } = agreedPrice;
  const groupId = product?.groupId ?? null;
  const main = items.find(({ isMain }) => isMain)?.price;
  const { writePrice } = usePriceWords();
  const { data } = useScreenQuery(OwnPricesQuery, { id });
  const load = useLoad();
  const list = (own: Product | null | undefined) => (own ? listPrices([own], writePrice) : []);
  const current: PriceChoice = list(data?.subscription?.product).find(({ value }) => value === priceId) ?? {
    value: priceId,
    label: productName,
    model: main?.model ?? 'flat',
  };
  const findInGroup = useFindPrices(groupId);
  const findAddOns = useFindPrices();
  const isInCurrency = ({ price }: PriceToChoose) => price.details.currency === currency;
  const findPlans: FindChoices<PriceChoice> = async (text) => {
    if (groupId) {
      const { choices, hasMore } = await findInGroup(text);
      return { choices: choices.filter(isInCurrency), hasMore };
    }
    const own = (await load(OwnPricesQuery, { id })).subscription?.product;
    const prices = own?.active ? list(own).filter(isInCurrency) : [current];
    const isFound = ({ label }: PriceChoice) => label.toLowerCase().includes(text.toLowerCase());
    return { choices: prices.filter(isFound), hasMore: false };
  };
  const allowsAddOn = (price: PriceToChoose) =>
    isAddOn(price, { productId, groupId, currency, recurring: main?.recurring });
  return { current, findPlans, findAddOns, allowsAddOn };
}
