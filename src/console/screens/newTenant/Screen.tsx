import { useMemo } from 'react';
import { useLocation } from 'wouter';
import { EntryCard, SignOutButton } from '../../app/EntryCard.tsx';
import { CountryField } from '../../billing/CountryField.tsx';
import { CurrencyField } from '../../billing/CurrencyField.tsx';
import { useAction } from '../../data/action.tsx';
import { useSession } from '../../data/session.tsx';
import { Button } from '../../design/Button.tsx';
import { Field, Select } from '../../design/Field.tsx';
import { orNull, useForm } from '../../design/form.ts';
import { PageForm } from '../../design/PageForm.tsx';
import { useTexts } from '../../texts/language.tsx';
import { rename } from '../../texts/names.ts';
import { findTimeZone, guessCountry, listTimeZones } from './choices.ts';
import { CreateTenant } from './query.ts';
import { texts } from './texts.ts';

/** A tenant for the operator who owns the server: the first one, and further ones. */
export function Screen() {
  const t = useTexts(texts);
  const [, navigate] = useLocation();
  const { operator, refresh } = useSession();
  const { run, busy, problem } = useAction(CreateTenant);
  const initial = {
    name: '',
    alias: '',
    country: guessCountry(),
    currency: findTimeZone().startsWith('Europe/') ? 'eur' : 'usd',
    timeZone: findTimeZone(),
    mode: 'test',
  };
  const { values, bind, change } = useForm(initial, problem);
  const zones = useMemo(listTimeZones, []);
  const create = async () => {
    const { mode, country, ...others } = values;
    const done = await run({ input: { ...others, country: orNull(country), isTest: mode === 'test' } });
    if (!done?.createTenant) return;
    refresh();
    navigate(`/t/${done.createTenant.tenant.alias}`);
  };
  return (
    <EntryCard title={t.title}>
      <p>{t.text}</p>
      <PageForm problem={problem} onSubmit={() => create()}>
        <Field
          label={t.name}
          required
          autoFocus
          {...bind('name')}
          onChange={({ target }) => change(rename(values, target.value))}
        />
        <Field label={t.alias} hint={t.aliasHint} required dir="ltr" {...bind('alias')} />
        <CountryField label={t.country} hint={t.countryHint} {...bind('country')} />
        <CurrencyField label={t.currency} {...bind('currency')} />
        <Select label={t.timezone} dir="ltr" choices={zones} {...bind('timeZone')} />
        <Select
          label={t.mode}
          choices={(['test', 'live'] as const).map((value) => ({ value, label: t[value] }))}
          {...bind('mode')}
        />
        <Button type="submit" look="main" busy={busy}>
          {t.create}
        </Button>
      </PageForm>
      <div className="row">
        {operator.memberships.length > 0 && (
          <Button look="quiet" onClick={() => navigate('/')}>
            {t.back}
          </Button>
        )}
        <SignOutButton />
      </div>
    </EntryCard>
  );
}
