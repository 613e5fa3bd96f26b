import { useState } from 'react';
import { useScreenQuery } from '../../data/query.tsx';
import { Loaded } from '../../design/Feedback.tsx';
import { Field } from '../../design/Field.tsx';
import { Section } from '../../design/Page.tsx';
import { Table } from '../../design/Table.tsx';
import { Nothing } from '../../design/Values.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { policyTexts, taxTexts } from './texts.ts';
import { StandardRatesQuery, type Settings } from './query.ts';
import { SettingsForm } from './SettingsForm.tsx';

/** Whether VAT ids are checked before a bill is charged in reverse. */
export function VatIds({ settings: { vatIdCheck }, onSaved }: { settings: Settings; onSaved: () => void }) {
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
          ],
        },
      ]}
      toInput={(values) => ({ vatIdCheck: values.vatIdCheck === '' ? null : values.vatIdCheck })}
      onSaved={onSaved}
    />
  );
}

/** The rates that are built in: of a country, or of all. */
export function StandardRates({ home }: { home: string }) {
  const t = useTexts(taxTexts);
  const format = useFormat();
  const [country, setCountry] = useState(home);
  const isCountry = /^[a-z]{2}$/i.test(country);
  const result = useScreenQuery(StandardRatesQuery, { country: isCountry ? country.toUpperCase() : null });
  return (
    <Section title={t.standardRates}>
      <p className="soft">{t.standardNote}</p>
      <div className="settings-choices">
        <Field
          label={t.country}
          value={country}
          maxLength={2}
          hint={t.countryHint}
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
