import { Link, useLocation, useRouter } from 'wouter';
import { graphql } from '../data/graphql.ts';
import { useConnected } from '../data/live.tsx';
import { useScreenQuery } from '../data/query.tsx';
import { useSession, useTenant } from '../data/session.tsx';
import { Button } from '../design/Button.tsx';
import { Icon } from '../design/Icon.tsx';
import { Menu, type MenuEntry } from '../design/Menu.tsx';
import { useFormat } from '../texts/format.ts';
import { languages, useLanguage, useTexts, type Language } from '../texts/language.tsx';
import { useSignOut } from './EntryCard.tsx';
import { texts } from './texts.ts';
import { navPlaces, preloadScreen, type NavPlace } from './screens.tsx';
import { useTheme, type Theme } from './theme.ts';

const groups: NavPlace['group'][] = ['work', 'catalog', 'developers', 'settings'];

/** The navigation: the tenant, the search, the places, the operator. */
export function Sidebar({ onSearch, onHelp }: { onSearch: () => void; onHelp: () => void }) {
  const t = useTexts(texts);
  const { membership } = useSession();
  return (
    <div className="sidebar">
      <TenantSwitch />
      {membership && (
        <>
          <Button className="sidebar-search" icon="search" onClick={onSearch}>
            {t.search} <kbd>⌘K</kbd>
          </Button>
          <nav aria-label={t.navigation}>
            {groups.map((group) => (
              <NavGroup key={group} group={group} />
            ))}
          </nav>
        </>
      )}
      <div className="sidebar-foot">
        <OperatorMenu />
        <Button look="quiet" icon="help" aria-label={t.shortcuts} onClick={onHelp} />
      </div>
    </div>
  );
}

function NavGroup({ group }: { group: NavPlace['group'] }) {
  const t = useTexts(texts);
  const [path] = useLocation();
  const { isTest } = useTenant();
  // The time of a live tenant is the real one.
  const places = navPlaces.filter(
    ({ group: own, folder }) => own === group && (isTest || folder !== 'clock'),
  );
  if (places.length === 0) return null;
  return (
    <div>
      {group === 'developers' && <h2>{t.developers}</h2>}
      <ul>
        {places.map(({ folder, path: target, label, icon }) => (
          <li key={folder}>
            <Link
              href={target}
              aria-current={isWithin(path, target) ? 'page' : undefined}
              onPointerEnter={() => preloadScreen(folder)}
            >
              <Icon name={icon} />
              {t[label] as string}
              {folder === 'approvals' && <WaitingApprovals />}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

const WaitingApprovalsQuery = graphql(`
  query WaitingApprovals {
    actionRequests(status: pending, first: 1) {
      totalCount
    }
  }
`);

/** How many requests for actions wait for a decision. */
function WaitingApprovals() {
  const t = useTexts(texts);
  const format = useFormat();
  const { data } = useScreenQuery(WaitingApprovalsQuery, {}, { types: ['ActionRequestEvent'] });
  const count = data?.actionRequests?.totalCount ?? 0;
  if (count === 0) return null;
  const shown = format.number(count);
  return (
    <small className="soft" aria-label={t.waiting(shown)}>
      {shown}
    </small>
  );
}

const isWithin = (path: string, target: string): boolean =>
  path === target || (target !== '/' && path.startsWith(`${target}/`));

function TenantSwitch() {
  const t = useTexts(texts);
  const { operator, membership } = useSession();
  const [, navigate] = useLocation();
  const list = (isTest: boolean, heading: string): MenuEntry[] => {
    const tenants = operator.memberships.map(({ tenant }) => tenant).filter((each) => each.isTest === isTest);
    if (tenants.length === 0) return [];
    return [
      { heading },
      ...tenants.map(({ alias, name }) => ({
        label: name,
        note: name === alias ? undefined : alias,
        checked: alias === membership?.tenant.alias,
        onSelect: () => navigate(`~/console/t/${alias}`),
      })),
    ];
  };
  return (
    <Menu
      className="sidebar-tenant"
      look="quiet"
      align="start"
      title={t.switchTenant}
      entries={[
        ...list(false, t.liveTenants),
        ...list(true, t.testTenants),
        ...(operator.canCreateTenants
          ? (['line', { label: t.newTenant, onSelect: () => navigate('~/console/new-tenant') }] as const)
          : []),
      ]}
    >
      <span dir="auto">{membership?.tenant.name ?? 'Perennial'}</span>
      <Icon name="down" />
    </Menu>
  );
}

function OperatorMenu() {
  const t = useTexts(texts);
  const { operator } = useSession();
  const { base } = useRouter();
  const [, navigate] = useLocation();
  const { language, setLanguage } = useLanguage();
  const [theme, setTheme] = useTheme();
  const connected = useConnected();
  const signOut = useSignOut();
  const themes: Theme[] = ['system', 'light', 'dark'];
  return (
    <Menu
      look="quiet"
      align="start"
      entries={[
        { label: t.account, note: operator.email, onSelect: () => navigate('~/console/account') },
        'line',
        { heading: t.theme },
        ...themes.map((each) => ({
          label: t[each],
          checked: each === theme,
          stays: true,
          onSelect: () => setTheme(each),
        })),
        'line',
        { heading: t.language },
        ...(Object.keys(languages) as Language[]).map((each) => ({
          label: languages[each],
          checked: each === language,
          stays: true,
          onSelect: () => setLanguage(each),
        })),
        'line',
        { label: t.signOut, icon: 'outward', onSelect: () => void signOut() },
      ]}
    >
      <span dir="auto">{operator.name || operator.email}</span>
      {base.includes('/t/') && !connected && <small className="soft">{t.notLive}</small>}
    </Menu>
  );
}
