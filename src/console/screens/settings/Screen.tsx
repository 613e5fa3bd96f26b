import { Link } from 'wouter';
import { useScreenQuery } from '../../data/query.tsx';
import { Loaded } from '../../design/Feedback.tsx';
import { Page } from '../../design/Page.tsx';
import { useTexts } from '../../texts/language.tsx';
import { Dunning } from './Dunning.tsx';
import { Mail } from './Mail.tsx';
import { MailTexts } from './MailTexts.tsx';
import { NumberSeries } from './NumberSeries.tsx';
import { Operators } from './Operators.tsx';
import { Pages } from './Pages.tsx';
import { Branding, Business } from './parts.tsx';
import { Policies } from './Policies.tsx';
import { Portal } from './Portal.tsx';
import { Providers } from './Providers.tsx';
import { SettingsQuery } from './query.ts';
import { Taxes } from './TaxRates.tsx';
import { TestTenants } from './TestTenants.tsx';
import { texts } from './texts.ts';
import './settings.css';

const parts = {
  business: Business,
  branding: Branding,
  providers: Providers,
  dunning: Dunning,
  portal: Portal,
  policies: Policies,
  pages: Pages,
  taxes: Taxes,
  numbers: NumberSeries,
  mail: Mail,
  texts: MailTexts,
  operators: Operators,
  tests: TestTenants,
};

type PartName = keyof typeof parts;

/** The settings of the tenant, a part at a time. */
export function Screen({ part }: { part?: string }) {
  const t = useTexts(texts);
  const result = useScreenQuery(SettingsQuery, {}, { types: ['TenantEvent'] });
  const current = part && part in parts ? (part as PartName) : 'business';
  const Part = parts[current];
  return (
    <Page title={t.settings} request={{ document: SettingsQuery }}>
      <div className="settings">
        <nav className="settings-parts" aria-label={t.settings}>
          {(Object.keys(parts) as PartName[]).map((name) => (
            <Link key={name} href={`/settings/${name}`} aria-current={name === current ? 'page' : undefined}>
              {t[name]}
            </Link>
          ))}
        </nav>
        <div className="settings-content">
          <Loaded result={result}>
            {({ tenant }) => tenant && <Part key={current} settings={tenant} onSaved={result.refetch} />}
          </Loaded>
        </div>
      </div>
    </Page>
  );
}
