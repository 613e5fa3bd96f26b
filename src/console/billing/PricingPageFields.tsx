import { Checkbox, Field, TextArea } from '../design/Field.tsx';
import { orNull, useForm } from '../design/form.ts';
import { readWhole } from '../texts/numbers.ts';
import { useTexts } from '../texts/language.tsx';
import { texts } from './texts.ts';

/** What pricing pages show of a product, as the fields of its dialogs hold it. */
export interface PricingPageValues {
  /** A line each. */
  features: string;
  highlighted: boolean;
  sortOrder: string;
}

export const emptyPricingPage: PricingPageValues = { features: '', highlighted: false, sortOrder: '' };

/** Returns the input for the values of the fields. */
export const toPricingPageInput = ({ features, highlighted, sortOrder }: PricingPageValues) => ({
  features: features.split('\n').flatMap((line) => orNull(line) ?? []),
  highlighted,
  sortOrder: readWhole(sortOrder),
});

type Form = Pick<ReturnType<typeof useForm<PricingPageValues>>, 'bind' | 'check'>;

/** The fields of what pricing pages show of a product. */
export function PricingPageFields({ bind, check }: Form) {
  const t = useTexts(texts);
  return (
    <>
      <TextArea label={t.features} hint={t.featuresHint} {...bind('features')} />
      <Field label={t.sortOrder} hint={t.sortOrderHint} inputMode="numeric" {...bind('sortOrder')} />
      <Checkbox label={t.highlighted} {...check('highlighted')} />
    </>
  );
}
