import { readPercents } from '../../billing/features/values.ts';
import { readWhole } from '../../texts/numbers.ts';
import { useTexts } from '../../texts/language.tsx';
import { policyTexts } from './texts.ts';
import type { Settings } from './query.ts';
import { SettingsForm } from './SettingsForm.tsx';

interface PartProps {
  settings: Settings;
  onSaved: () => void;
}

const changes = ['planUpgrade', 'planDowngrade', 'increase', 'decrease'] as const;
const billings = ['charge_now', 'next_invoice', 'period_end', 'reset', 'none'] as const;

/** How changes and trials are billed, and when invoices are final. */
export function Policies({ settings, onSaved }: PartProps) {
  const t = useTexts(policyTexts);
  const { changePolicy, trialEndWithoutMethod, invoiceGraceHours, paymentTermsDays } = settings;
  const { documentRetentionYears, usageRetentionDays, usageAlertPercents } = settings;
  const choices = billings.map((value) => ({ value, label: t[value] }));
  return (
    <SettingsForm
      title={t.policies}
      initial={{
        ...changePolicy,
        planUpgrade: changePolicy.planUpgrade ?? ('' as const),
        trialEndWithoutMethod,
        invoiceGraceHours: String(invoiceGraceHours),
        paymentTermsDays: String(paymentTermsDays),
        documentRetentionYears: String(documentRetentionYears),
        usageRetentionDays: String(usageRetentionDays ?? ''),
        usageAlertPercents: usageAlertPercents.join(', '),
      }}
      fields={[
        ...changes.map((name) => ({
          name,
          label: t[name],
          choices: name === 'planUpgrade' ? [{ value: '', label: t.byGroup }, ...choices] : choices,
        })),
        {
          name: 'trialEndWithoutMethod',
          label: t.trialEndWithoutMethod,
          choices: (['cancel', 'pause'] as const).map((value) => ({ value, label: t[value] })),
        },
        { name: 'invoiceGraceHours', label: t.invoiceGraceHours, hint: t.graceHint, kind: 'number' },
        { name: 'paymentTermsDays', label: t.paymentTermsDays, kind: 'number' },
        {
          name: 'documentRetentionYears',
          label: t.documentRetentionYears,
          hint: t.documentRetentionHint,
          kind: 'number',
        },
        {
          name: 'usageRetentionDays',
          label: t.usageRetentionDays,
          hint: t.usageRetentionHint,
          kind: 'number',
        },
        { name: 'usageAlertPercents', label: t.usageAlertPercents, hint: t.usageAlertHint },
      ]}
      toInput={({ planUpgrade, planDowngrade, increase, decrease, ...values }) => ({
        changePolicy: {
          planUpgrade: planUpgrade === '' ? null : planUpgrade,
          planDowngrade,
          increase,
          decrease,
        },
        trialEndWithoutMethod: values.trialEndWithoutMethod,
        invoiceGraceHours: readWhole(values.invoiceGraceHours),
        paymentTermsDays: readWhole(values.paymentTermsDays),
        documentRetentionYears: readWhole(values.documentRetentionYears),
        usageRetentionDays: readWhole(values.usageRetentionDays),
        usageAlertPercents: readPercents(values.usageAlertPercents),
      })}
      onSaved={onSaved}
    />
  );
}
