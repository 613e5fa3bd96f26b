import { orNull } from '../../design/form.ts';
import { useTexts } from '../../texts/language.tsx';
import { keepSeller } from './keepSeller.ts';
import type { Settings } from './query.ts';
import { SettingsForm } from './SettingsForm.tsx';
import { taxTexts } from './texts.ts';

interface TaxExemptionFormProps {
  settings: Settings;
  onSaved: () => void;
}

/** The exemption under which nothing is taxed; shown once the seller has an address. */
export function TaxExemptionForm({ settings: { seller }, onSaved }: TaxExemptionFormProps) {
  const t = useTexts(taxTexts);
  if (!seller?.address) return null;
  const { taxExemption } = seller;
  return (
    <SettingsForm
      title={t.exemption}
      note={t.exemptionNote}
      initial={{
        kind: taxExemption?.kind ?? ('' as const),
        reference: taxExemption?.reference ?? '',
        text: taxExemption?.text ?? '',
        code: taxExemption?.code ?? '',
      }}
      fields={({ kind }) => [
        {
          name: 'kind',
          label: t.exemptionKind,
          choices: [
            { value: '', label: t.notExempt },
            { value: 'small_business', label: t.small_business },
            { value: 'other', label: t.otherExemption },
          ],
        },
        ...(kind === ''
          ? []
          : [
              { name: 'reference', label: t.reference, hint: t.referenceHint },
              { name: 'text', label: t.exemptionText, hint: t.exemptionTextHint },
              { name: 'code', label: t.exemptionCode, hint: t.exemptionCodeHint },
            ]),
      ]}
      toInput={({ kind, ...words }) => ({
        seller: {
          ...keepSeller(seller),
          taxExemption:
            kind === ''
              ? null
              : {
                  kind,
                  reference: orNull(words.reference),
                  text: orNull(words.text),
                  code: orNull(words.code),
                },
        },
      })}
      onSaved={onSaved}
    />
  );
}
