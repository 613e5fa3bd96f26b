import { orNull } from '../../design/form.ts';
import { useTexts } from '../../texts/language.tsx';
import { chargingNames, nameProvider } from './accounts.ts';
import { providerTexts } from './texts.ts';
import type { Settings } from './query.ts';
import { SettingsForm } from './SettingsForm.tsx';

interface PartProps {
  settings: Settings;
  onSaved: () => void;
}

const choices = [...chargingNames, 'manual'] as const;
type Choice = (typeof choices)[number];

/** What payers may choose. */
export function PaymentMethods({ settings: { paymentProviders }, onSaved }: PartProps) {
  const t = useTexts(providerTexts);
  const isOffered = (name: string) => paymentProviders.some((each) => each === name);
  const initial = Object.fromEntries(choices.map((name) => [name, isOffered(name)])) as Record<
    Choice,
    boolean
  >;
  return (
    <SettingsForm
      title={t.offered}
      initial={initial}
      fields={choices.map((name) => ({ name, label: nameProvider(name, t), kind: 'check' }))}
      toInput={(values) => {
        const chosen = choices.filter((name) => values[name]);
        // All: also those that are set up later.
        return { paymentProviders: chosen.length === choices.length ? null : chosen };
      }}
      note={t.offeredNote}
      onSaved={onSaved}
    />
  );
}

/** Where payers transfer money to. */
export function BankAccount({ settings: { bankAccount }, onSaved }: PartProps) {
  const t = useTexts(providerTexts);
  return (
    <SettingsForm
      title={t.bankAccount}
      initial={{
        accountHolder: bankAccount?.accountHolder ?? '',
        iban: bankAccount?.iban ?? '',
        bic: bankAccount?.bic ?? '',
        bankName: bankAccount?.bankName ?? '',
        accountNumber: bankAccount?.accountNumber ?? '',
        instructions: bankAccount?.instructions ?? '',
      }}
      fields={(values) => [
        {
          name: 'accountHolder',
          label: t.accountHolder,
          hint: t.accountHolderHint,
          required: Object.values(values).some((value) => orNull(value)),
        },
        { name: 'iban', label: 'IBAN' },
        { name: 'bic', label: 'BIC' },
        { name: 'bankName', label: t.bankName },
        { name: 'accountNumber', label: t.accountNumber, hint: t.accountNumberHint },
        { name: 'instructions', label: t.instructions, kind: 'area' },
      ]}
      toInput={({ accountHolder, ...values }) => ({
        bankAccount: Object.values({ accountHolder, ...values }).some((value) => orNull(value))
          ? {
              accountHolder,
              iban: orNull(values.iban),
              bic: orNull(values.bic),
              bankName: orNull(values.bankName),
              accountNumber: orNull(values.accountNumber),
              instructions: orNull(values.instructions),
            }
          : null,
      })}
      onSaved={onSaved}
    />
  );
}
