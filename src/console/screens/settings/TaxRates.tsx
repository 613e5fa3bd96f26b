import { useState } from 'react';
import { useRefusal } from '../../app/permissions.ts';
import { CountryField } from '../../billing/CountryField.tsx';
import { useAction } from '../../data/action.tsx';
import { useScreenQuery } from '../../data/query.tsx';
import { Button } from '../../design/Button.tsx';
import { FormDialog } from '../../design/FormDialog.tsx';
import { Loaded, Note, ProblemNote } from '../../design/Feedback.tsx';
import { Field, Select } from '../../design/Field.tsx';
import { orNull, useForm } from '../../design/form.ts';
import { Section } from '../../design/Page.tsx';
import { Table } from '../../design/Table.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { When, Nothing } from '../../design/Values.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { readDecimal } from '../../texts/numbers.ts';
import { ArchiveTaxRate, CreateTaxRate, TaxRatesQuery, type Settings, StandardRatesQuery } from './query.ts';
import { texts, taxTexts, policyTexts } from './texts.ts';
import { HomeCurrency } from './currency/HomeCurrency.tsx';
import { PlaceOfSupply } from './PlaceOfSupply.tsx';
import { SettingsForm } from './SettingsForm.tsx';
import { TaxExemptionForm } from './TaxExemptionForm.tsx';

/** Which taxes are charged: the exemption of the seller, the check of VAT ids, the tenant's own rates, and the standard rates. */
export function Taxes(props: { settings: Settings; onSaved: () => void }) {
  const t = useTexts(taxTexts);
  const format = useFormat();
  const { untaxedCountry } = props.settings;
  return (
    <>
      {untaxedCountry && <Note tone="bad">{t.untaxed(format.country(untaxedCountry))}</Note>}
      <TaxExemptionForm {...props} />
      {props.settings.seller?.address && <PlaceOfSupply {...props} />}
      <VatIds {...props} />
      {props.settings.seller?.address && <HomeCurrency {...props} />}
      <TaxRates onChanged={props.onSaved} />
      <StandardRates settings={props.settings} />
    </>
  );
}

/** The tenant's own tax rates; the standard rates of the European Union are built in. */
function TaxRates({ onChanged }: { onChanged: () => void }) {
  const t = useTexts(texts);
  const format = useFormat();
  const toast = useToast();
  const refusal = useRefusal('manage_catalog');
  const result = useScreenQuery(TaxRatesQuery, {}, { types: ['TaxRateEvent'] });
  const [creating, setCreating] = useState(false);
  const archive = useAction(ArchiveTaxRate);
  const add = (
    <Button icon="plus" refused={refusal} onClick={() => setCreating(true)}>
      {t.newTaxRate}
    </Button>
  );
  const refetch = () => {
    result.refetch();
    onChanged();
  };
  const end = async (id: string) => {
    if (!(await archive.run({ id }))) return;
    toast(t.archivedToast);
    refetch();
  };
  return (
    <Section title={t.taxes} actions={add}>
      {archive.problem && <ProblemNote problem={archive.problem} />}
      <Loaded result={result}>
        {({ taxRates }) => (
          <Table
            caption={t.taxes}
            rows={taxRates?.nodes.filter(({ archivedAt }) => !archivedAt) ?? []}
            rowKey={({ id }) => id}
            empty={t.noTaxRates}
            columns={[
              { header: t.country, cell: ({ country }) => format.country(country) },
              {
                header: t.appliesTo,
                cell: ({ name, region, postalCode, taxCode }) =>
                  [name, region, postalCode, taxCode].filter(Boolean).join(' · ') || t.everything,
              },
              { header: t.since, cell: ({ effectiveFrom }) => <When at={effectiveFrom} /> },
              {
                header: t.percent,
                align: 'end',
                cell: ({ percent }) =>
                  format.number(Number(percent) / 100, { style: 'percent', maximumFractionDigits: 4 }),
              },
              {
                header: t.actions,
                align: 'end',
                cell: ({ id }) => (
                  <Button look="quiet" refused={refusal} busy={archive.busy} onClick={() => void end(id)}>
                    {t.archive}
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Loaded>
      {creating && <NewTaxRate onClose={() => setCreating(false)} onDone={refetch} />}
    </Section>
  );
}

const categories = ['S', 'Z', 'E', 'AE', 'K', 'G', 'O'] as const;
type Category = (typeof categories)[number];
const emptyRate = { country: '', percent: '', region: '', postalCode: '', taxCode: '', name: '', since: '' };

function NewTaxRate({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const t = useTexts(texts);
  const toast = useToast();
  const { run, busy, problem } = useAction(CreateTaxRate);
  const own = useTexts(taxTexts);
  const initial = { ...emptyRate, category: 'S' as Category };
  const { values, bind } = useForm(initial, problem);
  const submit = async () => {
    const { country, percent, category, region, postalCode, taxCode, name, since } = values;
    const places = { region: orNull(region), postalCode: orNull(postalCode) };
    const effectiveFrom = since ? `${since}T00:00:00Z` : null;
    const terms = { percent: readDecimal(percent), category, effectiveFrom };
    const input = { country, ...terms, ...places, taxCode: orNull(taxCode), name: orNull(name) };
    if (!(await run({ input }))) return;
    toast(t.saved);
    onDone();
    onClose();
  };
  return (
    <FormDialog
      title={t.newTaxRate}
      busy={busy}
      problem={problem}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <CountryField label={t.country} required autoFocus {...bind('country')} />
      <Field label={t.percent} inputMode="decimal" required {...bind('percent')} />
      <Select
        label={own.category}
        choices={categories.map((value) => ({ value, label: own[value] }))}
        {...bind('category')}
      />
      <Field
        label={own.effectiveFrom}
        hint={own.effectiveHint}
        type="date"
        {...bind('since', 'effectiveFrom')}
      />
      <Field label={t.region} {...bind('region')} />
      <Field label={t.postalCode} hint={t.postcodeHint} {...bind('postalCode')} />
      <Field label={t.taxCode} {...bind('taxCode')} />
      <Field label={t.rateName} {...bind('name')} />
    </FormDialog>
  );
}

/** Whether VAT ids are checked before a bill is charged in reverse. */
function VatIds({ settings: { vatIdCheck }, onSaved }: { settings: Settings; onSaved: () => void }) {
  const t = useTexts(policyTexts);
  const own = useTexts(taxTexts);
  return (
    <SettingsForm
      title={t.vatIdCheck}
      note={own.vatIdNote}
      initial={{ vatIdCheck: vatIdCheck ?? ('' as const) }}
      fields={[
        {
          name: 'vatIdCheck',
          label: t.vatIdCheck,
          choices: [
            { value: '', label: t.noCheck },
            { value: 'rate', label: t.checkRate },
            { value: 'draft', label: t.checkDraft },
            { value: 'accept', label: t.checkAccept },
          ],
        },
      ]}
      toInput={(values) => ({ vatIdCheck: values.vatIdCheck === '' ? null : values.vatIdCheck })}
      onSaved={onSaved}
    />
  );
}

/** The standard rates of a country, or of all, and until when they were checked. */
function StandardRates({ settings }: { settings: Settings }) {
  const t = useTexts(taxTexts);
  const format = useFormat();
  const { seller, standardTaxRatesCheckedUntil: checkedUntil, standardTaxRatesOutdated: isOld } = settings;
  const [country, setCountry] = useState<string>(seller?.address?.country ?? '');
  const result = useScreenQuery(StandardRatesQuery, { country: orNull(country) });
  return (
    <Section title={t.standardRates}>
      <p className="soft">
        {t.standardNote} {t.checkedUntil(format.date(`${checkedUntil}T12:00:00Z`))}
      </p>
      {isOld && <Note tone="late">{t.outdated('perennial vat-rates')}</Note>}
      <div className="settings-choices">
        <CountryField
          label={t.country}
          none={t.allCountries}
          value={country}
          onChange={({ target }) => setCountry(target.value)}
        />
      </div>
      <Loaded result={result}>
        {({ standardTaxRates }) => (
          <Table
            caption={t.standardRates}
            rows={standardTaxRates ?? []}
            rowKey={(rate) => `${rate.country} ${rate.territory} ${rate.effectiveFrom}`}
            empty={t.noStandard}
            columns={[
              { header: t.country, cell: (rate) => format.country(rate.country) },
              { header: t.territory, cell: ({ territory }) => territory ?? <Nothing /> },
              { header: t.since, cell: ({ effectiveFrom }) => effectiveFrom ?? <Nothing /> },
              {
                header: t.percent,
                align: 'end',
                cell: ({ percent }) =>
                  percent === null || percent === undefined
                    ? t.outOfScope
                    : format.number(Number(percent) / 100, { style: 'percent', maximumFractionDigits: 4 }),
              },
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}
