import { useState } from 'react';
import { useFindCoupons } from '../../billing/CouponChoice.tsx';
import { useProductChoices } from '../../billing/products.ts';
import { useScreenQuery } from '../../data/query.tsx';
import { ChipsCombobox, Combobox } from '../../design/Combobox.tsx';
import { Loaded } from '../../design/Feedback.tsx';
import type { Choice } from '../../design/Field.tsx';
import { orNull } from '../../design/form.ts';
import { useTexts } from '../../texts/language.tsx';
import { policyTexts } from './texts.ts';
import { PortalChoicesQuery, type PortalChoices, type Settings } from './query.ts';
import { SettingsForm, type RenderProps } from './SettingsForm.tsx';

interface PartProps {
  settings: Settings;
  onSaved: () => void;
}

const switches = [
  'enabled',
  'signInByCode',
  'invoices',
  'balance',
  'paymentMethods',
  'details',
  'planChange',
  'quantityChange',
  'addOns',
  'pause',
  'promotionCodes',
  'cancellationReasons',
] as const;

/** What customers can do themselves. */
export function Portal(props: PartProps) {
  const { productIds, retentionCouponId } = props.settings.portal;
  // The names that are chosen later are known.
  const [chosen] = useState({
    productIds: productIds ?? [],
    couponIds: retentionCouponId ? [retentionCouponId] : [],
  });
  const result = useScreenQuery(PortalChoicesQuery, chosen);
  return <Loaded result={result}>{(choices) => <PortalForm {...props} choices={choices} />}</Loaded>;
}

function PortalForm({ settings: { portal }, onSaved, choices }: PartProps & { choices: PortalChoices }) {
  const t = useTexts(policyTexts);
  const { productIds, retentionCouponId, headline, returnUrl, cancellation } = portal;
  const switched = Object.fromEntries(switches.map((name) => [name, portal[name]])) as Record<
    (typeof switches)[number],
    boolean
  >;
  return (
    <SettingsForm
      title={t.portal}
      initial={{
        ...switched,
        allProducts: productIds === null,
        cancellation,
        products: listChosen(productIds ?? [], choices.products),
        retentionCoupon: listChosen(retentionCouponId ? [retentionCouponId] : [], choices.coupons),
        headline: headline ?? '',
        returnUrl: returnUrl ?? '',
      }}
      fields={({ allProducts }) => [
        ...switches.map((name) => ({ name, label: t[name], kind: 'check' as const })),
        {
          name: 'cancellation',
          label: t.cancellation,
          choices: (['period_end', 'now', 'both', 'off'] as const).map((value) => ({
            value,
            label: t[value],
          })),
        },
        {
          name: 'retentionCoupon',
          label: t.retentionCoupon,
          path: 'portal.retentionCouponId',
          render: (props) => <RetentionCoupon {...props} />,
        },
        { name: 'allProducts', label: t.allProducts, kind: 'check' },
        ...(allProducts
          ? []
          : [
              {
                name: 'products',
                label: t.plans,
                path: 'portal.productIds',
                render: (props: RenderProps) => <Plans {...props} />,
              },
            ]),
        { name: 'headline', label: t.headline },
        { name: 'returnUrl', label: t.returnUrl, kind: 'url' },
      ]}
      toInput={(values) => ({
        portal: {
          ...(Object.fromEntries(switches.map((name) => [name, values[name]])) as typeof switched),
          cancellation: values.cancellation,
          headline: orNull(values.headline),
          returnUrl: orNull(values.returnUrl),
          productIds: values.allProducts ? null : values.products.map(({ value }) => value),
          retentionCouponId: values.retentionCoupon[0]?.value ?? null,
        },
      })}
      onSaved={onSaved}
    />
  );
}

function Plans({ value, ...field }: RenderProps) {
  const { plans } = useTexts(policyTexts);
  const { find } = useProductChoices({ active: true });
  return <ChipsCombobox label={plans} find={find} chosen={value as Choice[]} {...field} />;
}

function RetentionCoupon({ value, problem, path, onChange }: RenderProps) {
  const t = useTexts(policyTexts);
  return (
    <Combobox<Choice>
      label={t.retentionCoupon}
      hint={t.retentionHint}
      none={t.noCoupon}
      find={useFindCoupons()}
      chosen={(value as Choice[])[0]}
      problem={problem}
      path={path}
      onChange={(coupon) => onChange(coupon ? [coupon] : [])}
    />
  );
}

type Named = { id: string; name?: string } | null;

/** The chosen records with their names; by the id if a record is deleted. */
const listChosen = (ids: readonly string[], found: readonly Named[] | null | undefined): Choice[] =>
  ids.map((id) => {
    const record = found?.find((each) => each?.id === id);
    return { value: id, label: record?.name ?? id };
  });
