import { ProductKindField } from '../../billing/ProductKindField.tsx';
import { PricingPageFields, toPricingPageInput } from '../../billing/PricingPageFields.tsx';
import { texts as billingTexts } from '../../billing/texts.ts';
import { useAction } from '../../data/action.tsx';
import { FormDialog } from '../../design/FormDialog.tsx';
import { Checkbox, Field, Select, TextArea } from '../../design/Field.tsx';
import { orNull, useForm } from '../../design/form.ts';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { UpdateProduct, type ProductData } from './query.ts';
import { texts } from './texts.ts';

interface EditProductProps {
  product: ProductData;
  groups: { id: string; name: string }[];
  onClose: () => void;
}

/** The dialog that changes a product. */
export function EditProduct({ product, groups, onClose }: EditProductProps) {
  const t = useTexts(texts);
  const words = useTexts(billingTexts);
  const toast = useToast();
  const { run, busy, problem } = useAction(UpdateProduct);
  const { name, description, active } = product;
  const initial = {
    name,
    description,
    active,
    groupId: product.group?.id ?? '',
    taxCode: product.taxCode ?? '',
    lookupKey: product.lookupKey ?? '',
    kind: product.kind ?? ('' as const),
    features: product.features.join('\n'),
    highlighted: product.highlighted,
    sortOrder: product.sortOrder === null ? '' : String(product.sortOrder),
  };
  const { values, bind, check } = useForm(initial, problem);
  const submit = async () => {
    const { groupId, taxCode, lookupKey, kind, ...others } = values;
    const input = {
      ...others,
      ...toPricingPageInput(values),
      groupId: orNull(groupId),
      taxCode: orNull(taxCode),
      lookupKey: orNull(lookupKey),
      kind: kind === '' ? null : kind,
    };
    if (!(await run({ id: product.id, input }))) return;
    toast(t.saved);
    onClose();
  };
  return (
    <FormDialog
      title={t.editTitle(name)}
      label={t.save}
      busy={busy}
      problem={problem}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Field label={t.name} required autoFocus {...bind('name')} />
      <TextArea label={t.description} {...bind('description')} />
      <Select
        label={t.group}
        choices={[
          { value: '', label: t.noGroup },
          ...groups.map((group) => ({ value: group.id, label: group.name })),
        ]}
        {...bind('groupId')}
      />
      <ProductKindField {...bind('kind')} />
      <Field label={t.taxCode} hint={t.taxCodeHint} {...bind('taxCode')} />
      <Field label={words.lookupKey} hint={words.lookupKeyHint} maxLength={200} {...bind('lookupKey')} />
      <PricingPageFields bind={bind} check={check} />
      <Checkbox label={t.active} hint={t.activeHint} {...check('active')} />
    </FormDialog>
  );
}
