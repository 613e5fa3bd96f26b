import type { ComponentProps } from 'react';
import { Select } from '../design/Field.tsx';
import { useTexts } from '../texts/language.tsx';
import { texts } from './texts.ts';

const productKinds = ['electronic_service', 'service', 'service_on_site', 'goods'] as const;
export type ProductKind = (typeof productKinds)[number];

/** What a product is; one that nobody has chosen is taxed as an electronic service. */
export function ProductKindField(props: Omit<ComponentProps<typeof Select>, 'label' | 'hint' | 'choices'>) {
  const t = useTexts(texts);
  const choices = [{ value: '', label: '–' }, ...productKinds.map((value) => ({ value, label: t[value] }))];
  return <Select label={t.productKind} hint={t.productKindHint} choices={choices} {...props} />;
}
