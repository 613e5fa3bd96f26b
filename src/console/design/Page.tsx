import { useEffect, type ReactNode } from 'react';
import { Link } from 'wouter';
import { type ScreenRequest, formatCurl, formatGraphql } from './request.ts';
import { useTexts } from '../texts/language.tsx';
import { Menu } from './Menu.tsx';
import { texts } from './texts.ts';
import { useToast } from './Toasts.tsx';
import './Page.css';

interface PageProps {
  title: string;
  /** Beside the title: a status. */
  badge?: ReactNode;
  /** Where the record belongs: a link back to its list. */
  parent?: { href: string; title: string };
  /** Below the title: what it is, in a line. */
  subtitle?: ReactNode;
  actions?: ReactNode;
  /** What "Copy as GraphQL" copies. */
  request?: ScreenRequest;
  /** `text` up to 1,200 px, `full` as wide as the window, `list` also as high, for a table that scrolls. */
  layout?: 'text' | 'full' | 'list';
  children: ReactNode;
}

/** A screen: its title, its actions, and its content. */
export function Page(props: PageProps) {
  const { title, badge, parent, subtitle, actions, request, layout = 'text', children } = props;
  useEffect(() => {
    document.title = `${title} – Perennial`;
  }, [title]);
  return (
    <div className={`page ${layout}`}>
      <header className="page-head">
        <div className="page-titles">
          {parent && (
            <Link href={parent.href} className="page-parent">
              {parent.title}
            </Link>
          )}
          <div className="row">
            <h1 tabIndex={-1} dir="auto">
              {title}
            </h1>
            {badge}
          </div>
          {subtitle && <p className="soft">{subtitle}</p>}
        </div>
        <div className="row">
          {actions}
          {request && <ApiMenu request={request} />}
        </div>
      </header>
      {children}
    </div>
  );
}

interface ColumnsProps {
  children: ReactNode;
  facts: ReactNode;
  /** Where the column goes on narrow screens. */
  narrow?: 'before' | 'after';
}

/** The content beside a column of facts. */
export function Columns({ children, facts, narrow = 'before' }: ColumnsProps) {
  return (
    <div className={`columns ${narrow}`}>
      <div className="columns-main">{children}</div>
      <aside className="columns-facts">{facts}</aside>
    </div>
  );
}

/** A part of a screen with a heading. */
export function Section({
  title,
  actions,
  children,
}: {
  title: string;
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="section">
      <header className="section-head">
        <h2>{title}</h2>
        {actions}
      </header>
      {children}
    </section>
  );
}

/** Names and values: pairs with an undefined value are left out. */
export function Facts({ facts }: { facts: [name: string, value: ReactNode][] }) {
  return (
    <dl className="facts">
      {facts
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** A figure with its name, for the top of a screen. */
export function Figure({ name, children, note }: { name: string; children: ReactNode; note?: ReactNode }) {
  return (
    <div className="figure">
      <span className="soft">{name}</span>
      <strong>{children}</strong>
      {note && <small className="soft">{note}</small>}
    </div>
  );
}

/** The request of a screen, to copy: the console shows how the API does the same. */
function ApiMenu({ request }: { request: ScreenRequest }) {
  const t = useTexts(texts);
  const toast = useToast();
  const copy = async (text: string) => {
    await navigator.clipboard.writeText(text);
    toast(t.copied);
  };
  return (
    <Menu
      look="quiet"
      icon="developers"
      aria-label={t.api}
      title={t.copyGraphql}
      entries={[
        { label: t.copyGraphql, icon: 'copy', onSelect: () => void copy(formatGraphql(request)) },
        { label: t.copyCurl, icon: 'copy', onSelect: () => void copy(formatCurl(request, location.origin)) },
      ]}
    />
  );
}
