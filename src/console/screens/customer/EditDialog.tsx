import { useAction } from '../../data/action.tsx';
import { graphql } from '../../data/graphql.ts';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { Field, FieldRow } from '../../design/Field.tsx';
import { orNull, useForm } from '../../design/form.ts';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { nameCustomer } from '../../texts/names.ts';
import type { CustomerDialogProps } from './dialogProps.ts';
import { personTexts as texts } from './texts.ts';

export const UpdateCustomer = graphql(`
  mutation UpdateCustomer($id: ID!, $input: UpdateCustomerInput!) {
    updateCustomer(id: $id, input: $input) {
      id
    }
  }
`);

/** Changes the name, the address and the language of a customer. */
export function EditDialog({ customer, onClose, onDone }: CustomerDialogProps) {
  const t = useTexts(texts);
  const toast = useToast();
  const action = useAction(UpdateCustomer);
  const { address } = customer;
  const { values, bind } = useForm(
    {
      firstName: customer.firstName,
      lastName: customer.lastName,
      companyName: customer.companyName ?? '',
      locale: customer.locale ?? '',
      line1: address?.line1 ?? '',
      line2: address?.line2 ?? '',
      postalCode: address?.postalCode ?? '',
      city: address?.city ?? '',
      region: address?.region ?? '',
      country: address?.country ?? '',
    },
    action.problem,
  );
  const save = async () => {
    const { firstName, lastName, companyName, locale, ...place } = values;
    const isGiven = Object.values(place).some((text) => text.trim());
    const lines = Object.fromEntries(Object.entries(place).map(([name, text]) => [name, orNull(text)]));
    const input = {
      firstName,
      lastName,
      companyName: orNull(companyName),
      locale: orNull(locale),
      address: isGiven ? { ...lines, country: place.country.trim().toUpperCase() } : null,
    };
    if (!(await action.run({ id: customer.id, input }))) return;
    toast(t.saved);
    onDone();
    onClose();
  };
  return (
    <ConfirmAction
      title={t.editTitle(nameCustomer(customer))}
      placement="side"
      label={t.save}
      action={action}
      onConfirm={() => void save()}
      onClose={onClose}
    >
      <FieldRow>
        <Field label={t.firstName} required autoFocus {...bind('firstName')} />
        <Field label={t.lastName} required {...bind('lastName')} />
      </FieldRow>
      <Field label={t.companyName} {...bind('companyName')} />
      <Field label={t.line1} {...bind('line1')} />
      <Field label={t.line2} {...bind('line2')} />
      <FieldRow>
        <Field label={t.postalCode} {...bind('postalCode')} />
        <Field label={t.city} {...bind('city')} />
      </FieldRow>
      <FieldRow>
        <Field label={t.region} {...bind('region')} />
        <Field label={t.country} hint={t.countryHint} maxLength={2} {...bind('country')} />
      </FieldRow>
      <Field label={t.locale} hint={t.localeHint} {...bind('locale')} />
    </ConfirmAction>
  );
}
