import { useMemo } from 'react';
import { useLocation } from 'wouter';
import { EntryCard, SignOutButton } from '../../app/EntryCard.tsx';
import { CurrencyField } from '../../billing/CurrencyField.tsx';
import { useAction } from '../../data/action.tsx';
import { useSession } from '../../data/session.tsx';
import { Button } from '../../design/Button.tsx';
import { ProblemNote } from '../../design/Feedback.tsx';
import { Field, Select } from '../../design/Field.tsx';
import { orNull, useForm } from '../../design/form.ts';
import { useLanguage, useTexts } from '../../texts/language.tsx';
import { findTimeZone, guessCountry, listCountries, listTimeZones } from './choices.ts';
import { CreateTenant } from './query.ts';
import { texts } from './texts.ts';

/** A tenant for the operator who owns the server: the first one, and further ones. */
export function Screen() {
  const t = useTexts(texts);
  const { language } = useLanguage();
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
  const countries = useMemo(() => [{ value: '', label: '–' }, ...listCountries(language)], [language]);
  const zones = useMemo(listTimeZones, []);
  const rename = (name: string) =>
    change({ name, ...(values.alias === toAlias(values.name) && { alias: toAlias(name) }) });
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
      {problem && <ProblemNote problem={problem} />}
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <Field
          label={t.name}
          required
          autoFocus
          {...bind('name')}
          onChange={({ target }) => rename(target.value)}
        />
        <Field label={t.alias} hint={t.aliasHint} required dir="ltr" {...bind('alias')} />
        <Select label={t.country} hint={t.countryHint} choices={countries} {...bind('country')} />
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
      </form>
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

/** Proposes an alias for a name: lower-case letters without accents, digits and hyphens. */
const toAlias = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replaceAll(/^-+|-+$/g, '');
