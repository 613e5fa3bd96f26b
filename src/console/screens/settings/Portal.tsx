import { useScreenQuery } from '../../data/query.tsx';
import { Loaded } from '../../design/Feedback.tsx';
import { orNull } from '../../design/form.ts';
import { useTexts } from '../../texts/language.tsx';
import { policyTexts } from './policyTexts.ts';
import { PortalChoicesQuery, type PortalChoices, type Settings } from './query.ts';
import { SettingsForm } from './SettingsForm.tsx';

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
  const result = useScreenQuery(PortalChoicesQuery, {});
  return <Loaded result={result}>{(choices) => <PortalForm {...props} choices={choices} />}</Loaded>;
}

function PortalForm({ settings: { portal }, onSaved, choices }: PartProps & { choices: PortalChoices }) {
  const t = useTexts(policyTexts);
  const { productIds, retentionCouponId, headline, returnUrl, cancellation } = portal;
  const switched = Object.fromEntries(switches.map((name) => [name, portal[name]])) as Record<
    (typeof switches)[number],
    boolean
  >;
  const products = choices.products?.nodes ?? [];
  return (
    <SettingsForm
      title={t.portal}
      initial={{
        ...switched,
        ...Object.fromEntries(products.map(({ id }) => [id, productIds?.includes(id) ?? false])),
        allProducts: productIds === null,
        cancellation,
        retentionCouponId: retentionCouponId ?? '',
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
          name: 'retentionCouponId',
          label: t.retentionCoupon,
          hint: t.retentionHint,
          choices: [
            { value: '', label: t.noCoupon },
            ...listCoupons(choices, retentionCouponId).map(({ id, name }) => ({ value: id, label: name })),
          ],
        },
        { name: 'allProducts', label: t.allProducts, kind: 'check' },
        ...(allProducts
          ? []
          : products.map(({ id, name }) => ({ name: id, label: name, kind: 'check' as const }))),
        { name: 'headline', label: t.headline },
        { name: 'returnUrl', label: t.returnUrl, kind: 'url' },
      ]}
      toInput={(values) => ({
        portal: {
          ...(Object.fromEntries(switches.map((name) => [name, values[name]])) as typeof switched),
          cancellation: values.cancellation,
          headline: orNull(values.headline),
          returnUrl: orNull(values.returnUrl),
          productIds: values.allProducts
            ? null
            : products.map(({ id }) => id).filter((id) => (values as Record<string, unknown>)[id] === true),
          retentionCouponId: orNull(values.retentionCouponId),
        },
      })}
      onSaved={onSaved}
    />
  );
}

/** The coupons that can be chosen, and the chosen one even if it is used up. */
const listCoupons = ({ coupons }: PortalChoices, chosen: string | null | undefined) => {
  const known = coupons?.nodes ?? [];
  const isMissing = chosen && known.every(({ id }) => id !== chosen);
  return isMissing ? [...known, { id: chosen, name: chosen }] : known;
};
