import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { Provider } from 'urql';
import { Link, Route, Switch } from 'wouter';
import { ClockContext, readMachineClock } from '../data/clock.tsx';
import { createClient } from '../data/client.ts';
import { graphql } from '../data/graphql.ts';
import { LiveProvider } from '../data/live.tsx';
import { useScreenQuery } from '../data/query.tsx';
import { SessionContext, useSession } from '../data/session.tsx';
import { writeStored } from '../data/stored.ts';
import { ZoneContext } from '../data/zone.ts';
import { Page } from '../design/Page.tsx';
import { useTexts } from '../texts/language.tsx';
import { texts } from './texts.ts';
import { Account } from './places.ts';
import { Shell } from './Shell.tsx';
import { screens } from './screens.tsx';

/** The console of one tenant: its own client and cache, its events, its time. */
export function TenantApp({ alias }: { alias: string }) {
  const t = useTexts(texts);
  const session = useSession();
  const membership = session.operator.memberships.find(({ tenant }) => tenant.alias === alias);
  const { signedOut } = session;
  const client = useMemo(() => createClient(alias, signedOut), [alias, signedOut]);
  const own = useMemo(() => ({ ...session, membership }), [session, membership]);
  useEffect(() => {
    if (membership) writeStored('tenant', alias);
  }, [alias, membership]);
  if (!membership) {
    return (
      <Shell>
        <Page title={t.wrongTenant}>
          <Link href="~/console/">{t.toHome}</Link>
        </Page>
      </Shell>
    );
  }
  return (
    <Provider value={client}>
      <SessionContext value={own}>
        <ZoneContext value={membership.tenant.timeZone}>
          <LiveProvider>
            <TenantClock>
              <Shell>
                <Screens />
              </Shell>
            </TenantClock>
          </LiveProvider>
        </ZoneContext>
      </SessionContext>
    </Provider>
  );
}

/** The operator's own account, which belongs to no tenant. */
export function AccountApp() {
  return (
    <Shell>
      <Account />
    </Shell>
  );
}

function Screens() {
  const t = useTexts(texts);
  return (
    <Switch>
      {screens.map(({ path, Component }) => (
        <Route key={path} path={path}>
          {(params) => <Component {...params} key={JSON.stringify(params)} />}
        </Route>
      ))}
      <Route>
        <Page title={t.notFound} subtitle={t.notFoundText}>
          <Link href="/">{t.toHome}</Link>
        </Page>
      </Route>
    </Switch>
  );
}

const ClockQuery = graphql(`
  query TenantClock {
    tenant {
      alias
      clock
      ownsClock
    }
  }
`);

const tickMs = 30_000;

/** Gives the screens the tenant's time: that of its own clock if it has one, else that of this machine. */
function TenantClock({ children }: { children: ReactNode }) {
  const { data } = useScreenQuery(ClockQuery, {}, { types: ['ClockEvent', 'TenantEvent'] });
  const [now, setNow] = useState(() => readMachineClock());
  useEffect(() => {
    const timer = setInterval(() => setNow(readMachineClock()), tickMs);
    return () => clearInterval(timer);
  }, []);
  const { clock, ownsClock } = data?.tenant ?? {};
  return <ClockContext value={ownsClock && clock ? Date.parse(clock) : now}>{children}</ClockContext>;
}
