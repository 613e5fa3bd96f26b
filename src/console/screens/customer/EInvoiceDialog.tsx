import { useQuery } from 'urql';
import { toIdentifier } from '../../billing/identifier.ts';
import { useAction } from '../../data/action.tsx';
import { graphql } from '../../data/graphql.ts';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { Field, FieldRow, Select } from '../../design/Field.tsx';
import {
  eInvoiceFormats as formats,
  formatNames,
  type EInvoiceFormat as Format,
} from '../../billing/eInvoiceFormats.ts';
import { orNull, useForm } from '../../design/form.ts';
import { Note } from '../../design/Feedback.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import type { CustomerDialogProps } from './dialogProps.ts';
import { UpdateCustomer } from './EditDialog.tsx';
import { eInvoiceTexts as texts, personTexts } from './texts.ts';

const ReadinessQuery = graphql(`
  query EInvoiceReadiness($id: ID!, $format: EInvoiceFormat!) {
    customer(id: $id) {
      id
      eInvoiceReadiness(format: $format) {
        missing {
          path
          term
          rule
        }
      }
    }
  }
`);

/** Changes the format of a customer's documents, and where they receive them; tells what is missing for it. */
export function EInvoiceDialog({ customer, onClose, onDone }: CustomerDialogProps) {
  const t = useTexts(texts);
  const { save: saveLabel, saved } = useTexts(personTexts);
  const toast = useToast();
  const action = useAction(UpdateCustomer);
  const { values, bind } = useForm(
    {
      documentFormat: customer.documentFormat ?? '',
      addressScheme: customer.electronicAddress?.scheme ?? '',
      address: customer.electronicAddress?.value ?? '',
      registerScheme: customer.legalRegistration?.scheme ?? '',
      register: customer.legalRegistration?.value ?? '',
    },
    action.problem,
  );
  const save = async () => {
    const input = {
      documentFormat: orNull(values.documentFormat) as Format | null,
      electronicAddress: toIdentifier(values.addressScheme, values.address),
      legalRegistration: toIdentifier(values.registerScheme, values.register),
    };
    if (!(await action.run({ id: customer.id, input }))) return;
    toast(saved);
    onDone();
    onClose();
  };
  return (
    <ConfirmAction
      title={t.eInvoices}
      label={saveLabel}
      action={action}
      onConfirm={() => void save()}
      onClose={onClose}
    >
      <Select
        label={t.format}
        choices={[
          { value: '', label: t.onlyPdf },
          ...formats.map((value) => ({ value, label: formatNames[value] })),
        ]}
        {...bind('documentFormat')}
      />
      <Missing customerId={customer.id} format={values.documentFormat as Format | ''} />
      <FieldRow>
        <Field label={t.addressScheme} hint={t.addressSchemeHint} dir="ltr" {...bind('addressScheme')} />
        <Field label={t.address} dir="ltr" {...bind('address')} />
      </FieldRow>
      <FieldRow>
        <Field label={t.registerScheme} hint={t.registerSchemeHint} dir="ltr" {...bind('registerScheme')} />
        <Field label={t.register} dir="ltr" {...bind('register')} />
      </FieldRow>
    </ConfirmAction>
  );
}

/** The fields that a format still needs, of what is saved now. */
function Missing({ customerId, format }: { customerId: string; format: Format | '' }) {
  const t = useTexts(texts);
  const [{ data }] = useQuery({
    query: ReadinessQuery,
    variables: { id: customerId, format: format || 'ubl' },
    pause: format === '',
    requestPolicy: 'network-only',
  });
  const missing = data?.customer?.eInvoiceReadiness?.missing ?? [];
  if (format === '' || missing.length === 0) return null;
  return (
    <Note tone="late">
      <p>{t.missing}</p>
      <ul>
        {missing.map(({ path, term, rule }) => (
          <li key={`${path} ${term}`}>
            {t.fields[path as keyof typeof t.fields] ?? path}{' '}
            <code dir="ltr">{[term, rule].filter(Boolean).join(', ')}</code>
          </li>
        ))}
      </ul>
    </Note>
  );
}
