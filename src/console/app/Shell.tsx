import { lazy, Suspense, useEffect, useRef, useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useClock } from '../data/clock.tsx';
import { useSession } from '../data/session.tsx';
import { Button } from '../design/Button.tsx';
import { Skeleton } from '../design/Feedback.tsx';
import { useFormat } from '../texts/format.ts';
import { useTexts } from '../texts/language.tsx';
import { texts } from './texts.ts';
import { ErrorBoundary } from './ErrorBoundary.tsx';
import { ShortcutHelp } from './ShortcutHelp.tsx';
import { useShortcuts } from './shortcuts.tsx';
import { Sidebar } from './Sidebar.tsx';
import './Shell.css';

const loadCommandMenu = () => import('./CommandMenu.tsx');
const CommandMenu = lazy(async () => ({ default: (await loadCommandMenu()).CommandMenu }));

/** The frame of every screen: the sidebar, the band of test tenants, the command menu, and the keys. */
export function Shell({ children }: { children: ReactNode }) {
  const t = useTexts(texts);
  const [open, setOpen] = useState<'commands' | 'help' | 'sidebar'>();
  const close = () => setOpen(undefined);
  const [path] = useLocation();
  useEffect(() => {
    // Who presses ⌘K types on at once: keys that come before the menu would be lost. A failure shows when it is opened.
    loadCommandMenu().catch(() => undefined);
  }, []);
  const main = useRef<HTMLElement>(null);
  useShortcuts({
    'mod+k': () => setOpen('commands'),
    '?': () => setOpen('help'),
    Escape: () => setOpen((now) => (now === 'sidebar' ? undefined : now)),
  });
  useEffect(() => {
    setOpen((now) => (now === 'sidebar' ? undefined : now));
    main.current?.scrollTo(0, 0);
  }, [path]);
  return (
    <div className={open === 'sidebar' ? 'shell opened' : 'shell'}>
      <a className="skip" href="#main">
        {t.skip}
      </a>
      <header className="topbar">
        <Button
          look="quiet"
          icon="menu"
          aria-label={t.menu}
          aria-expanded={open === 'sidebar'}
          onClick={() => setOpen(open === 'sidebar' ? undefined : 'sidebar')}
        />
        <strong>Perennial</strong>
        <Button look="quiet" icon="search" aria-label={t.search} onClick={() => setOpen('commands')} />
      </header>
      <Sidebar onSearch={() => setOpen('commands')} onHelp={() => setOpen('help')} />
      <button type="button" className="sidebar-cover" tabIndex={-1} aria-hidden="true" onClick={close} />
      <main id="main" ref={main} tabIndex={-1}>
        <TestBand />
        <ErrorBoundary key={path}>
          <Suspense fallback={<Waiting />}>{children}</Suspense>
        </ErrorBoundary>
      </main>
      <Suspense fallback={null}>{open === 'commands' && <CommandMenu onClose={close} />}</Suspense>
      {open === 'help' && <ShortcutHelp onClose={close} />}
    </div>
  );
}

const waitMs = 200;

/** Nothing at first: most screens arrive before a skeleton would help. */
function Waiting() {
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), waitMs);
    return () => clearTimeout(timer);
  }, []);
  return <div className="page">{late && <Skeleton lines={8} />}</div>;
}

/** Says on every screen of a test tenant that no money moves, and what its clock shows. */
function TestBand() {
  const t = useTexts(texts);
  const format = useFormat();
  const { membership } = useSession();
  const now = useClock();
  if (!membership?.tenant.isTest) return null;
  return (
    <div className="test-band">
      <strong>{t.test}</strong> <span>{t.testBand}</span>{' '}
      <span>{t.clockAt(format.dateTime(new Date(now).toISOString()))}</span>
    </div>
  );
}
