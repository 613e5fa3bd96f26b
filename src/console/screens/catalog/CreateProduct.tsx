import { useLocation } from 'wouter';
import { emptyPricingPage, PricingPageFields, toPricingPageInput } from '../../billing/PricingPageFields.tsx';
import { useAction } from '../../data/action.tsx';
import { Button } from '../../design/Button.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import { ProblemNote } from '../../design/Feedback.tsx';
import { Field, Select, TextArea } from '../../design/Field.tsx';
import { orNull, useForm } from '../../design/form.ts';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { CreateProduct, type GroupRow } from './query.ts';
import { texts } from './texts.ts';

/** The dialog that creates a product, and leads to its screen, where its prices are made. */
export function CreateProductDialog({ groups, onClose }: { groups: GroupRow[]; onClose: () => void }) {
  const t = useTexts(texts);
  const toast = useToast();
  const [, navigate] = useLocation();
  const { run, busy, problem } = useAction(CreateProduct);
  const initial = { name: '', description: '', groupId: '', taxCode: '', ...emptyPricingPage };
  const { values, bind, check } = useForm(initial, problem);
  const submit = async () => {
    const { name, description, groupId, taxCode } = values;
    const input = {
      name,
      description,
      groupId: orNull(groupId),
      taxCode: orNull(taxCode),
      ...toPricingPageInput(values),
    };
    const done = await run({ input });
    if (!done?.createProduct) return;
    toast(t.createdToast(name));
    navigate(`/catalog/${done.createProduct.id}`);
  };
  return (
    <Dialog
      title={t.newProduct}
      onClose={onClose}
      onSubmit={() => void submit()}
      actions={
        <>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button type="submit" look="main" busy={busy}>
            {t.newProduct}
          </Button>
        </>
      }
    >
      {problem && <ProblemNote problem={problem} />}
      <Field label={t.name} required autoFocus {...bind('name')} />
      <TextArea label={t.description} hint={t.descriptionHint} {...bind('description')} />
      <Select
        label={t.group}
        hint={t.groupHint}
        choices={[
          { value: '', label: t.noGroup },
          ...groups.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        {...bind('groupId')}
      />
      <Field label={t.taxCode} hint={t.taxCodeHint} {...bind('taxCode')} />
      <PricingPageFields bind={bind} check={check} />
    </Dialog>
  );
}
