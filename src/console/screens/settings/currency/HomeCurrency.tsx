import { useState } from 'react';
import { useRefusal } from '../../../app/permissions.ts';
import { CurrencyField } from '../../../billing/CurrencyField.tsx';
import { useCurrencies } from '../../../billing/currencies.ts';
import { useAction } from '../../../data/action.tsx';
import { useScreenQuery } from '../../../data/query.tsx';
import { Button } from '../../../design/Button.tsx';
import { FormDialog } from '../../../design/FormDialog.tsx';
import { Loaded, Note } from '../../../design/Feedback.tsx';
import { Field } from '../../../design/Field.tsx';
import { orNull, useForm } from '../../../design/form.ts';
import { Section } from '../../../design/Page.tsx';
import { Table } from '../../../design/Table.tsx';
import { useToast } from '../../../design/Toasts.tsx';
import { useFormat } from '../../../texts/format.ts';
import { useTexts } from '../../../texts/language.tsx';
import { readDecimal } from '../../../texts/numbers.ts';
import { ExchangeRatesQuery, SetExchangeRate, type Settings } from '../query.ts';
import { SettingsForm } from '../SettingsForm.tsx';
import { texts } from '../texts.ts';
import { texts as currencyTexts } from './texts.ts';

interface HomeCurrencyProps {
  settings: Settings;
  onSaved: () => void;
}

/** The currency in which the seller owes tax, and the rates that convert taxes into it. */
export function HomeCurrency({ settings, onSaved }: HomeCurrencyProps) {
  const t = useTexts(currencyTexts);
  const { taxCurrency, homeCurrency } = settings;
  const standard = taxCurrency ? t.ofCountry : t.ofCountryIs(homeCurrency?.toUpperCase() ?? t.none);
  const currencies = useCurrencies(taxCurrency ?? '');
  return (
    <>
      <SettingsForm
        title={t.title}
        note={t.note}
        initial={{ taxCurrency: taxCurrency ?? '' }}
        fields={[
          {
            name: 'taxCurrency',
            label: t.currency,
            hint: t.currencyHint,
            choices: [{ value: '', label: standard }, ...currencies.filter(({ value }) => value !== '')],
          },
        ]}
        toInput={(values) => ({ taxCurrency: orNull(values.taxCurrency) })}
        onSaved={onSaved}
      />
      <ExchangeRates settings={settings} onSaved={onSaved} />
    </>
  );
}

/** The rates of the last days, those that documents lack, and a form for one more. */
function ExchangeRates({ settings: { missingExchangeRates, homeCurrency }, onSaved }: HomeCurrencyProps) {
  const t = useTexts(currencyTexts);
  const format = useFormat();
  const refusal = useRefusal('manage_settings');
  const result = useScreenQuery(ExchangeRatesQuery, {}, { types: ['TenantEvent'] });
  const [adding, setAdding] = useState(false);
  const done = () => {
    result.refetch();
    onSaved();
  };
  const writeDay = (day: string) => format.date(`${day}T12:00:00Z`);
  const add = (
    <Button icon="plus" refused={refusal} onClick={() => setAdding(true)}>
      {t.add}
    </Button>
  );
  return (
    <Section title={t.rates} actions={add}>
      <p className="soft">{t.ratesNote}</p>
      {missingExchangeRates.map(({ day, currency, taxCurrency, documents }) => (
        <Note key={`${day} ${currency} ${taxCurrency}`} tone="bad">
          {t.missing(
            format.number(documents),
            writeDay(day),
            currency.toUpperCase(),
            taxCurrency.toUpperCase(),
          )}
        </Note>
      ))}
      <Loaded result={result}>
        {({ exchangeRates }) => (
          <Table
            caption={t.rates}
            rows={exchangeRates ?? []}
            rowKey={({ day, source }) => `${day} ${source}`}
            empty={t.noRates}
            columns={[
              { header: t.day, cell: ({ day }) => writeDay(day) },
              { header: t.source, cell: ({ source }) => t[source] },
              {
                header: t.oneEuro,
                cell: ({ rates }) =>
                  chooseShown(rates, homeCurrency)
                    .map(
                      ({ currency, rate }) =>
                        `${format.number(Number(rate), { maximumFractionDigits: 12 })} ${currency.toUpperCase()}`,
                    )
                    .join(' · '),
              },
            ]}
          />
        )}
      </Loaded>
      {adding && <NewRate missing={missingExchangeRates[0]} onClose={() => setAdding(false)} onDone={done} />}
    </Section>
  );
}

/** The currencies of a day that are shown: the seller's, and those that are traded most. */
const traded = ['usd', 'gbp', 'chf', 'jpy'];
const mostShown = 6;

function chooseShown<Rate extends { currency: string }>(
  rates: readonly Rate[],
  home: string | null | undefined,
): Rate[] {
  const place = ({ currency }: Rate) =>
    currency === home ? -1 : traded.includes(currency) ? traded.indexOf(currency) : traded.length;
  return rates.toSorted((one, other) => place(one) - place(other)).slice(0, mostShown);
}

interface NewRateProps {
  /** A rate that documents lack. */
  missing: Settings['missingExchangeRates'][number] | undefined;
  onClose: () => void;
  onDone: () => void;
}

function NewRate({ missing, onClose, onDone }: NewRateProps) {
  const t = useTexts(currencyTexts);
  const common = useTexts(texts);
  const toast = useToast();
  const { run, busy, problem } = useAction(SetExchangeRate);
  const needed = missing?.currency === 'eur' ? missing.taxCurrency : missing?.currency;
  const { values, bind } = useForm({ currency: needed ?? 'usd', day: missing?.day ?? '', rate: '' }, problem);
  const submit = async () => {
    const { currency, day, rate } = values;
    if (!(await run({ input: { currency, day, rate: readDecimal(rate) } }))) return;
    toast(common.saved);
    onDone();
    onClose();
  };
  return (
    <FormDialog
      title={t.add}
      label={common.save}
      busy={busy}
      problem={problem}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <CurrencyField label={t.ratedCurrency} {...bind('currency')} />
      <Field label={t.day} type="date" required {...bind('day')} />
      <Field label={t.oneEuro} hint={t.rateHint} inputMode="decimal" required {...bind('rate')} />
    </FormDialog>
  );
}
