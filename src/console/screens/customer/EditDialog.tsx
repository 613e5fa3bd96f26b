import { CountryField } from '../../billing/CountryField.tsx';
import { useAction } from '../../data/action.tsx';
import { graphql } from '../../data/graphql.ts';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { Field, FieldRow } from '../../design/Field.tsx';
import { orNull, useForm, type Form } from '../../design/form.ts';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { nameCustomer } from '../../texts/names.ts';
import { detailNames, detailTexts } from './details.ts';
import type { CustomerDialogProps } from './dialogProps.ts';
import { personTexts as texts } from './texts.ts';

export const UpdateCustomer = graphql(`
  mutation UpdateCustomer($id: ID!, $input: UpdateCustomerInput!) {
    updateCustomer(id: $id, input: $input) {
      id
    }
  }
`);

const addressNames = ['line1', 'line2', 'postalCode', 'city', 'region', 'country'] as const;

const mapNames = <Name extends string, T>(names: readonly Name[], read: (name: Name) => T) =>
  Object.fromEntries(names.map((name) => [name, read(name)])) as Record<Name, T>;

/** Changes the name, the address and the further details of a customer. */
export function EditDialog({ customer, onClose, onDone }: CustomerDialogProps) {
  const t = useTexts(texts);
  const toast = useToast();
  const action = useAction(UpdateCustomer);
  const { address } = customer;
  const { values, bind } = useForm(
    {
      email: customer.email,
      firstName: customer.firstName,
      lastName: customer.lastName,
      companyName: customer.companyName ?? '',
      ...mapNames(detailNames, (name) => customer[name] ?? ''),
      ...mapNames(addressNames, (name) => address?.[name] ?? ''),
    },
    action.problem,
  );
  const hasAddress = addressNames.some((name) => values[name].trim());
  const save = async () => {
    const { email, firstName, lastName, companyName, country } = values;
    const lines = mapNames(addressNames, (name) => orNull(values[name]));
    const input = {
      email,
      firstName,
      lastName,
      companyName: orNull(companyName),
      ...mapNames(detailNames, (name) => orNull(values[name])),
      address: hasAddress ? { ...lines, country } : null,
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
      <Field label={t.email} hint={t.emailHint} type="email" required {...bind('email')} />
      <Field label={t.companyName} {...bind('companyName')} />
      <Address bind={bind} isGiven={hasAddress} />
      {detailNames.map((name) => (
        <Field
          key={name}
          label={t[detailTexts[name].label]}
          hint={t[detailTexts[name].hint]}
          {...bind(name)}
        />
      ))}
    </ConfirmAction>
  );
}

type AddressName = (typeof addressNames)[number];

interface AddressProps {
  bind: Form<Record<AddressName, string>>['bind'];
  /** Whether a line of it is filled in: then it needs the country. */
  isGiven: boolean;
}

function Address({ bind, isGiven }: AddressProps) {
  const t = useTexts(texts);
  return (
    <>
      <Field label={t.line1} {...bind('line1')} />
      <Field label={t.line2} {...bind('line2')} />
      <FieldRow>
        <Field label={t.postalCode} {...bind('postalCode')} />
        <Field label={t.city} {...bind('city')} />
      </FieldRow>
      <FieldRow>
        <Field label={t.region} {...bind('region')} />
        <CountryField label={t.country} hint={t.countryHint} required={isGiven} {...bind('country')} />
      </FieldRow>
    </>
  );
}
