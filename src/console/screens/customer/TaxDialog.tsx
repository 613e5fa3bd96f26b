import { useState } from 'react';
import { useAction } from '../../data/action.tsx';
import { Button } from '../../design/Button.tsx';
import { ConfirmAction } from '../../design/ConfirmAction.tsx';
import { Checkbox, Field, Select } from '../../design/Field.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { findRefusal } from '../../texts/problems.ts';
import type { CustomerDialogProps } from './dialogProps.ts';
import { UpdateCustomer } from './EditDialog.tsx';
import { personTexts as texts } from './texts.ts';
import './lines.css';

const types = ['eu_vat', 'gb_vat', 'ch_vat', 'no_vat', 'us_ein', 'other'] as const;
type TaxId = { type: (typeof types)[number]; value: string };

const mostTaxIds = 5;

/** Changes the tax ids of a customer, and whether they pay tax. */
export function TaxDialog({ customer, onClose, onDone }: CustomerDialogProps) {
  const t = useTexts(texts);
  const toast = useToast();
  const action = useAction(UpdateCustomer);
  const [taxExempt, setTaxExempt] = useState(customer.taxExempt);
  const [taxIds, setTaxIds] = useState<TaxId[]>(customer.taxIds.map(({ type, value }) => ({ type, value })));
  const save = async () => {
    const input = { taxExempt, taxIds: taxIds.filter(({ value }) => value.trim()) };
    if (!(await action.run({ id: customer.id, input }))) return;
    toast(t.saved);
    onDone();
    onClose();
  };
  return (
    <ConfirmAction
      title={t.tax}
      label={t.save}
      action={action}
      onConfirm={() => void save()}
      onClose={onClose}
    >
      {taxIds.map((taxId, index) => (
        <fieldset key={index} className="tax-id">
          <legend className="unseen">{t.taxId(String(index + 1))}</legend>
          <Select
            label={t.taxIdType}
            value={taxId.type}
            choices={types.map((value) => ({ value, label: t[value] }))}
            onChange={({ target }) =>
              setTaxIds(taxIds.with(index, { ...taxId, type: target.value as TaxId['type'] }))
            }
          />
          <Field
            label={t.taxIdValue}
            dir="ltr"
            value={taxId.value}
            {...findRefusal(action.problem, `taxIds.${index}.value`)}
            onChange={({ target }) => setTaxIds(taxIds.with(index, { ...taxId, value: target.value }))}
          />
          <Button
            look="quiet"
            icon="close"
            edits
            aria-label={t.removeTaxId(taxId.value)}
            onClick={() => setTaxIds(taxIds.toSpliced(index, 1))}
          />
        </fieldset>
      ))}
      {taxIds.length < mostTaxIds && (
        <Button icon="plus" edits onClick={() => setTaxIds([...taxIds, { type: 'eu_vat', value: '' }])}>
          {t.addTaxId}
        </Button>
      )}
      <Checkbox
        label={t.taxExempt}
        hint={t.taxExemptHint}
        checked={taxExempt}
        onChange={({ target }) => setTaxExempt(target.checked)}
      />
    </ConfirmAction>
  );
}
