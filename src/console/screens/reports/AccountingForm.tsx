import { useRefusal } from '../../app/permissions.ts';
import { useAction } from '../../data/action.tsx';
import { Button } from '../../design/Button.tsx';
import { Field, FieldRow, Select } from '../../design/Field.tsx';
import { useForm } from '../../design/form.ts';
import { PageForm } from '../../design/PageForm.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { SetAccounting, type Accounting } from './accountingQuery.ts';
import { accountingTexts } from './texts.ts';

const charts = ['skr03', 'skr04', 'own'] as const;

const readNumber = (text: string): number | null => (text.trim() === '' ? null : Number(text));

/** How sales are booked. Accounts for single treatments are set by the API, and kept. */
export function AccountingForm({ accounting }: { accounting: Accounting }) {
  const t = useTexts(accountingTexts);
  const toast = useToast();
  const refusal = useRefusal('manage_settings');
  const { run, busy, problem } = useAction(SetAccounting);
  const { values, bind } = useForm(
    {
      chart: accounting.chart,
      consultantNumber: String(accounting.consultantNumber ?? ''),
      clientNumber: String(accounting.clientNumber ?? ''),
      fiscalYearStart: accounting.fiscalYearStart,
      accountLength: String(accounting.accountLength),
      debtorAccount: accounting.debtorAccount,
      debtorMetadataKey: accounting.debtorMetadataKey ?? '',
      moneyAccount: accounting.moneyAccount,
    },
    problem,
  );
  const submit = async () => {
    // The defaults follow the chart and the length unless they were changed.
    const keep = (name: 'debtorAccount' | 'moneyAccount') =>
      values[name] === '' || values[name] === accounting[name] ? null : values[name];
    const input = {
      ...values,
      consultantNumber: readNumber(values.consultantNumber),
      clientNumber: readNumber(values.clientNumber),
      accountLength: readNumber(values.accountLength),
      debtorMetadataKey: values.debtorMetadataKey.trim() || null,
      debtorAccount: values.debtorAccount || null,
      moneyAccount: values.chart === accounting.chart ? values.moneyAccount || null : keep('moneyAccount'),
      revenueAccounts: accounting.revenueAccounts,
    };
    if (values.accountLength !== String(accounting.accountLength))
      input.debtorAccount = keep('debtorAccount');
    if (await run({ input })) toast(t.saved);
  };
  return (
    <PageForm
      className="settings-form stack"
      problem={problem}
      onSubmit={() => refusal === undefined && submit()}
    >
      <p className="soft">{t.bookedNote}</p>
      <Select
        label={t.chart}
        choices={charts.map((each) => ({ value: each, label: t[each] }))}
        {...bind('chart')}
      />
      <FieldRow>
        <Field label={t.consultantNumber} inputMode="numeric" {...bind('consultantNumber')} />
        <Field label={t.clientNumber} inputMode="numeric" {...bind('clientNumber')} />
      </FieldRow>
      <FieldRow>
        <Field label={t.fiscalYearStart} placeholder="01-01" {...bind('fiscalYearStart')} />
        <Field label={t.accountLength} inputMode="numeric" {...bind('accountLength')} />
      </FieldRow>
      <FieldRow>
        <Field label={t.debtorAccount} {...bind('debtorAccount')} />
        <Field label={t.debtorMetadataKey} hint={t.debtorMetadataHint} {...bind('debtorMetadataKey')} />
      </FieldRow>
      <Field label={t.moneyAccount} {...bind('moneyAccount')} />
      <div>
        <Button type="submit" look="main" busy={busy} refused={refusal}>
          {t.save}
        </Button>
      </div>
    </PageForm>
  );
}
