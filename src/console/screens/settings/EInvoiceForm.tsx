import { toIdentifier } from '../../billing/identifier.ts';
import { orNull } from '../../design/form.ts';
import { useTexts } from '../../texts/language.tsx';
import { keepSeller } from './keepSeller.ts';
import type { Settings } from './query.ts';
import { SettingsForm } from './SettingsForm.tsx';
import { texts } from './texts.ts';

interface EInvoiceFormProps {
  settings: Settings;
  onSaved: () => void;
}

/** What national e-invoices name of the seller besides; shown once there is a seller. */
export function EInvoiceForm({ settings: { seller }, onSaved }: EInvoiceFormProps) {
  const t = useTexts(texts);
  if (!seller) return null;
  const { contact, electronicAddress, legalRegistration, paymentNotes } = seller;
  return (
    <SettingsForm
      title={t.eInvoices}
      initial={{
        contactName: contact?.name ?? '',
        contactPhone: contact?.phone ?? '',
        contactEmail: contact?.email ?? '',
        addressScheme: electronicAddress?.scheme ?? '',
        electronicAddress: electronicAddress?.value ?? '',
        registerScheme: legalRegistration?.scheme ?? '',
        registerNumber: legalRegistration?.value ?? '',
        recoveryFee: paymentNotes?.recoveryFee ?? '',
        latePenalties: paymentNotes?.latePenalties ?? '',
        earlyPaymentDiscount: paymentNotes?.earlyPaymentDiscount ?? '',
      }}
      fields={[
        { name: 'contactName', label: t.contactName, hint: t.contactHint, path: 'contact.name' },
        { name: 'contactPhone', label: t.contactPhone, path: 'contact.phone' },
        { name: 'contactEmail', label: t.contactEmail, path: 'contact.email' },
        {
          name: 'addressScheme',
          label: t.addressScheme,
          hint: t.addressSchemeHint,
          path: 'electronicAddress.scheme',
        },
        { name: 'electronicAddress', label: t.electronicAddress, path: 'electronicAddress.value' },
        {
          name: 'registerScheme',
          label: t.registerScheme,
          hint: t.registerSchemeHint,
          path: 'legalRegistration.scheme',
        },
        { name: 'registerNumber', label: t.registerNumber, path: 'legalRegistration.value' },
        { name: 'recoveryFee', label: t.recoveryFee, hint: t.noteHint, path: 'paymentNotes.recoveryFee' },
        {
          name: 'latePenalties',
          label: t.latePenalties,
          hint: t.noteHint,
          path: 'paymentNotes.latePenalties',
        },
        {
          name: 'earlyPaymentDiscount',
          label: t.earlyPaymentDiscount,
          hint: t.noteHint,
          path: 'paymentNotes.earlyPaymentDiscount',
        },
      ]}
      toInput={(values) => ({
        seller: {
          ...keepSeller(seller),
          contact: toContact(values),
          electronicAddress: toIdentifier(values.addressScheme, values.electronicAddress),
          legalRegistration: toIdentifier(values.registerScheme, values.registerNumber),
          paymentNotes: {
            recoveryFee: orNull(values.recoveryFee),
            latePenalties: orNull(values.latePenalties),
            earlyPaymentDiscount: orNull(values.earlyPaymentDiscount),
          },
        },
      })}
      onSaved={onSaved}
    />
  );
}

const toContact = ({
  contactName: name,
  contactPhone: phone,
  contactEmail: email,
}: Record<'contactName' | 'contactPhone' | 'contactEmail', string>) =>
  [name, phone, email].some(orNull) ? { name, phone, email } : null;
