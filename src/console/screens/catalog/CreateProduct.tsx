import { useLocation } from 'wouter';
import { CurrencyField } from '../../billing/CurrencyField.tsx';
import { useDefaultCurrency } from '../../billing/currencies.ts';
import { ProductKindField, type ProductKind } from '../../billing/ProductKindField.tsx';
import { emptyPricingPage, PricingPageFields, toPricingPageInput } from '../../billing/PricingPageFields.tsx';
import { useAction } from '../../data/action.tsx';
import type { VariablesOf } from '../../data/graphql.ts';
import { FormDialog } from '../../design/FormDialog.tsx';
import { Checkbox, Field, FieldRow, Select, TextArea } from '../../design/Field.tsx';
import { orNull, useForm, type Form } from '../../design/form.ts';
import { More } from '../../design/More.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { writeDecimal } from '../../texts/numbers.ts';
import { priceTexts } from '../../texts/texts.ts';
import { createValues, toInput as toPriceInput } from '../price/priceForm.ts';
import { texts as termTexts } from '../price/texts.ts';
import { CreateProduct, type GroupRow } from './query.ts';
import { texts } from './texts.ts';

const frequencies = ['Monthly', 'Yearly', 'Weekly', 'Daily'] as const;

/** The choices of a group that are no group of the catalogue. */
const [newGroup, noGroup] = ['new', 'none'];

interface CreateProductProps {
  groups: GroupRow[];
  onClose: () => void;
  /** Called instead of opening the screen of the product. */
  onCreated?: (() => void) | undefined;
}

/** The dialog that creates a product with its first price, at once or not at all. */
export function CreateProductDialog({ groups, onClose, onCreated }: CreateProductProps) {
  const t = useTexts(texts);
  const toast = useToast();
  const [, navigate] = useLocation();
  const { run, busy, problem } = useAction(CreateProduct);
  const initial = {
    ...createValues(useDefaultCurrency()),
    ...emptyPricingPage,
    name: '',
    decimal: '',
    description: '',
    group: findDefaultGroup(groups),
    groupName: t.plans,
    taxCode: '',
    kind: '' as ProductKind | '',
    unpriced: false,
  };
  const form = useForm(initial, problem);
  const { values, bind, check } = form;
  const submit = async () => {
    const done = await run({ input: toInput(values) });
    if (!done?.createProduct) return;
    toast(t.createdToast(values.name));
    if (onCreated) onCreated();
    else navigate(`/catalog/${done.createProduct.id}`);
  };
  return (
    <FormDialog
      title={t.newProduct}
      busy={busy}
      problem={problem}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Field label={t.name} required autoFocus {...bind('name')} />
      {!values.unpriced && <PriceFields {...form} />}
      <More label={t.more} isOpen={problem !== undefined}>
        <TextArea label={t.description} hint={t.descriptionHint} {...bind('description')} />
        <Groups {...form} groups={groups} />
        {!values.unpriced && <FurtherTerms {...form} />}
        <ProductKindField {...bind('kind')} />
        <Field label={t.taxCode} hint={t.taxCodeHint} {...bind('taxCode')} />
        <PricingPageFields bind={bind} check={check} />
        <Checkbox label={t.unpriced} hint={t.unpricedHint} {...check('unpriced')} />
      </More>
    </FormDialog>
  );
}

type Values = ReturnType<typeof createValues> &
  typeof emptyPricingPage &
  Record<'name' | 'description' | 'group' | 'groupName' | 'taxCode', string> & {
    unpriced: boolean;
    kind: ProductKind | '';
  };

/** The only group, or without any a new one: plans of which a customer has one, and between which they change. */
const findDefaultGroup = ([first, ...others]: GroupRow[]): string =>
  first === undefined ? newGroup : others.length === 0 ? first.id : noGroup;

function toInput(values: Values): VariablesOf<typeof CreateProduct>['input'] {
  const { name, description, group, groupName, taxCode, kind, unpriced } = values;
  return {
    name,
    description,
    groupId: group === newGroup || group === noGroup ? null : group,
    newGroup: group === newGroup ? { name: groupName, prorateUpgrades: true } : null,
    taxCode: orNull(taxCode),
    kind: kind === '' ? null : kind,
    prices: unpriced ? [] : [toPriceInput(values)],
    ...toPricingPageInput(values),
  };
}

/** What the product costs: an amount, its currency, and how often it is billed. */
function PriceFields({ bind }: Form<Values>) {
  const t = useTexts(texts);
  const terms = useTexts(termTexts);
  const words = useTexts(priceTexts);
  return (
    <FieldRow>
      <Field
        label={t.amount}
        required
        inputMode="decimal"
        placeholder={writeDecimal('20.00')}
        {...bind('decimal', 'details')}
      />
      <CurrencyField label={t.currency} {...bind('currency', 'details.currency')} />
      <Select
        label={terms.interval}
        choices={frequencies.map((value) => ({ value, label: words.each(words[value]) }))}
        {...bind('frequency')}
      />
    </FieldRow>
  );
}

function FurtherTerms({ bind, check }: Form<Values>) {
  const terms = useTexts(termTexts);
  return (
    <>
      <FieldRow>
        <Field label={terms.every} inputMode="numeric" required {...bind('period')} />
        <Field label={terms.trialDays} inputMode="numeric" {...bind('trialDays')} />
        <Field label={terms.setupFee} inputMode="decimal" {...bind('setupFee')} />
      </FieldRow>
      <Checkbox label={terms.inclusive} {...check('inclusive')} />
    </>
  );
}

function Groups({ groups, values, bind }: Form<Values> & Pick<CreateProductProps, 'groups'>) {
  const t = useTexts(texts);
  return (
    <FieldRow>
      <Select
        label={t.group}
        hint={t.groupHint}
        choices={[
          ...groups.map(({ id, name }) => ({ value: id, label: name })),
          { value: newGroup, label: t.newGroup },
          { value: noGroup, label: t.noGroup },
        ]}
        {...bind('group', 'groupId')}
      />
      {values.group === newGroup && (
        <Field label={t.groupName} hint={t.prorateHint} {...bind('groupName', 'newGroup.name')} />
      )}
    </FieldRow>
  );
}
