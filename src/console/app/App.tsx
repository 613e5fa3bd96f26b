import { useCallback, useEffect, useMemo } from 'react';
import { Provider, useQuery } from 'urql';
import { Redirect, Route, Router, Switch, useLocation } from 'wouter';
import { createClient } from '../data/client.ts';
import { OperatorQuery, SessionContext, type Operator, type Session } from '../data/session.tsx';
import { readProblem } from '../data/errors.ts';
import { readStored } from '../data/stored.ts';
import { UnsavedContext, type Unsaved } from '../data/unsaved.ts';
import { ProblemNote } from '../design/Feedback.tsx';
import { ToastProvider } from '../design/Toasts.tsx';
import { LanguageProvider, useTexts } from '../texts/language.tsx';
import { texts } from './texts.ts';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { EntryCard, SignOutButton } from './EntryCard.tsx';
import { NewTenant, SignIn, Welcome } from './places.ts';
import { StepUpProvider } from './StepUp.tsx';
import { AccountApp, TenantApp } from './TenantApp.tsx';
import { useTheme } from './theme.ts';

/** The console. */
export function App({ unsaved }: { unsaved: Unsaved }) {
  useTheme();
  return (
    <LanguageProvider>
      <ToastProvider>
        <UnsavedContext value={unsaved}>
          <Router base="/console" aroundNav={unsaved.aroundNav}>
            <ErrorBoundary>
              <Entry />
            </ErrorBoundary>
          </Router>
        </UnsavedContext>
      </ToastProvider>
    </LanguageProvider>
  );
}

/** Chooses between signing in and the console itself; both use the client without a tenant. */
function Entry() {
  const [, navigate] = useLocation();
  const signedOut = useCallback(() => {
    const here = location.pathname.replace(/^\/console/, '') + location.search;
    if (!here.startsWith('/sign-in'))
      navigate(`/sign-in?next=${encodeURIComponent(here)}`, { replace: true });
  }, [navigate]);
  const client = useMemo(() => createClient(undefined, signedOut), [signedOut]);
  return (
    <Provider value={client}>
      <Switch>
        <Route path="/sign-in">
          <SignIn />
        </Route>
        <Route>
          <SignedIn signedOut={signedOut} />
        </Route>
      </Switch>
    </Provider>
  );
}

function SignedIn({ signedOut }: { signedOut: () => void }) {
  const [{ data, error }, execute] = useQuery({ query: OperatorQuery });
  const refresh = useCallback(() => execute({ requestPolicy: 'network-only' }), [execute]);
  const operator = data?.operator;
  const problem = error && readProblem(error);
  const isOut = data !== undefined && !operator;
  useEffect(() => {
    if (isOut) signedOut();
  }, [isOut, signedOut]);
  const session = useMemo<Session | undefined>(
    () => (operator ? { operator, refresh, signedOut } : undefined),
    [operator, refresh, signedOut],
  );
  if (!session)
    return problem && problem.status !== 401 ? <ProblemNote problem={problem} retry={refresh} /> : null;
  return (
    <SessionContext value={session}>
      <StepUpProvider>
        <Switch>
          <Route path="/t/:tenant" nest>
            {({ tenant }) => <TenantApp key={tenant} alias={tenant} />}
          </Route>
          <Route path="/welcome">
            <Welcome />
          </Route>
          <Route path="/new-tenant">
            <NewTenant />
          </Route>
          <Route path="/account" nest>
            <AccountApp />
          </Route>
          <Route>
            <ToTenant operator={session.operator} />
          </Route>
        </Switch>
      </StepUpProvider>
    </SessionContext>
  );
}

/** Leads an address without a tenant, as a link in a mail may be, to the tenant that was used last. */
function ToTenant({ operator: { memberships, canCreateTenants } }: { operator: Operator }) {
  const t = useTexts(texts);
  const [path] = useLocation();
  const last = readStored('tenant', '');
  const { tenant } = memberships.find((each) => each.tenant.alias === last) ?? memberships[0] ?? {};
  if (!tenant && canCreateTenants) return <Redirect to="/new-tenant" replace />;
  if (!tenant)
    return (
      <EntryCard title={t.noTenant}>
        <p>{t.noTenantText}</p>
        <SignOutButton />
      </EntryCard>
    );
  return <Redirect to={`/t/${tenant.alias}${path === '/' ? '' : path}${location.search}`} replace />;
}
