import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { useClock } from '../../data/clock.tsx';
import { dayMs } from '../../data/periods.ts';
import { Icon, type IconName } from '../../design/Icon.tsx';
import { Section } from '../../design/Page.tsx';
import { Money } from '../../design/Values.tsx';
import { useFormat, type Amount } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import type { HomeData } from './query.ts';
import { texts } from './texts.ts';

interface Task {
  href: string;
  icon: IconName;
  tone: 'bad' | 'late' | 'waiting' | 'neutral';
  count: number;
  /** Whether there are more than the page that was counted. */
  isLeast?: boolean;
  title: string;
  note: ReactNode;
  amounts?: Amount[];
}

/** What needs a person: a row for each kind of work, the most urgent first. */
export function Attention({ data }: { data: HomeData }) {
  const t = useTexts(texts);
  const tasks = [...useTasks(data), ...useEInvoiceTasks(data), ...useTaxTasks(data)].filter(
    ({ count }) => count > 0,
  );
  return (
    <Section title={t.attention}>
      {tasks.length === 0 ? (
        <p className="home-clear">
          <Icon name="check" />
          <span>
            <strong>{t.allClear}</strong> <span className="soft">{t.allClearText}</span>
          </span>
        </p>
      ) : (
        <ul className="home-tasks">
          {tasks.map((task) => (
            <li key={task.title}>
              <TaskRow task={task} />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function TaskRow({ task: { href, icon, tone, count, isLeast, title, note, amounts = [] } }: { task: Task }) {
  const format = useFormat();
  return (
    <Link href={href} className={`home-task ${tone}`}>
      <Icon name={icon} />
      <span className="home-task-count">
        {format.number(count)}
        {isLeast && '+'}
      </span>
      <span className="home-task-text">
        <strong>{title}</strong>
        <span className="soft">{note}</span>
      </span>
      <span className="home-task-amounts">
        {sum(amounts).map((amount) => (
          <Money key={amount.currency} amount={amount} />
        ))}
      </span>
      <Icon name="next" />
    </Link>
  );
}

function useTasks(data: HomeData): Task[] {
  const t = useTexts(texts);
  const format = useFormat();
  const now = useClock();
  const since = (days: number) => (row: { createdAt: string }) =>
    Date.parse(row.createdAt) > now - days * dayMs;
  const recover = data.recover?.nodes ?? [];
  const nextTry = recover.flatMap(({ nextTryAt }) => nextTryAt ?? []).toSorted()[0];
  const failed = (data.deliveries?.nodes ?? []).filter(since(7));
  const disabled = (data.webhookEndpoints?.nodes ?? []).filter(
    ({ active, disabledReason }) => !active && disabledReason,
  );
  const trials = (data.trials?.nodes ?? []).filter(
    ({ trialEndsAt }) => trialEndsAt && Date.parse(trialEndsAt) < now + 7 * dayMs,
  );
  const firstEnd = trials.flatMap(({ trialEndsAt }) => trialEndsAt ?? []).toSorted()[0];
  const drafts = data.drafts?.nodes ?? [];
  const bounced = (data.bounced?.nodes ?? []).filter(since(30));
  return [
    {
      href: '/payments',
      icon: 'payments',
      tone: 'bad',
      title: t.recover,
      count: data.recover?.totalCount ?? 0,
      note: nextTry ? t.recoverNext(format.future(nextTry, now)) : t.recoverNever,
      amounts: recover.map(({ amount }) => amount),
    },
    {
      href: '/webhooks',
      icon: 'webhooks',
      tone: 'bad',
      title: t.webhooks,
      count: failed.length || disabled.length,
      isLeast: failed.length === pageSize,
      note: disabled.length > 0 ? t.webhooksDisabled(format.number(disabled.length)) : t.webhooksFailed,
    },
    {
      href: '/subscriptions?status=trialing',
      icon: 'clock',
      tone: 'waiting',
      title: t.trials,
      count: trials.length,
      isLeast: trials.length === pageSize,
      note: firstEnd && t.trialsNext(format.future(firstEnd, now)),
      amounts: trials.map(({ agreedPrice }) => agreedPrice),
    },
    {
      href: '/invoices?status=draft',
      icon: 'invoices',
      tone: 'late',
      title: t.drafts,
      count: data.drafts?.totalCount ?? 0,
      note: t.draftsNote,
      amounts: drafts.map(({ total }) => total),
    },
    {
      href: '/mails?status=bounced',
      icon: 'mail',
      tone: 'late',
      title: t.bounced,
      count: bounced.length,
      isLeast: bounced.length === pageSize,
      note: t.bouncedNote,
    },
  ];
}

/** E-invoices of the last 30 days that did not reach their receivers. */
function useEInvoiceTasks(data: HomeData): Task[] {
  const t = useTexts(texts);
  const now = useClock();
  const describe = (list: { nodes: { createdAt: string }[] } | null) => {
    const { length } = (list?.nodes ?? []).filter(
      ({ createdAt }) => Date.parse(createdAt) > now - 30 * dayMs,
    );
    return { icon: 'invoices', tone: 'bad', count: length, isLeast: length === pageSize } as const;
  };
  const notes = '/invoices?tab=credit-notes&eInvoiceStatus=';
  return [
    {
      href: '/invoices?eInvoiceStatus=rejected',
      title: t.rejected,
      note: t.rejectedNote,
      ...describe(data.rejected),
    },
    {
      href: '/invoices?eInvoiceStatus=failed',
      title: t.unsent,
      note: t.unsentNote,
      ...describe(data.unsent),
    },
    {
      href: `${notes}rejected`,
      title: t.rejectedNotes,
      note: t.rejectedNotesNote,
      ...describe(data.rejectedNotes),
    },
    {
      href: `${notes}failed`,
      title: t.unsentNotes,
      note: t.unsentNote,
      ...describe(data.unsentNotes),
    },
  ];
}

/**
 * Sales in the seller's own country without tax, until there is a rate or none is owed, documents without the tax in the
 * seller's currency, standard rates that nobody has checked for a year, and VAT ids that are not registered.
 */
function useTaxTasks({ tenant, vatIds }: HomeData): Task[] {
  const t = useTexts(texts);
  const unconverted = tenant?.missingExchangeRates ?? [];
  return [
    {
      href: '/settings/taxes',
      icon: 'invoices',
      tone: 'bad',
      title: t.untaxed,
      count: tenant?.untaxedCountry ? 1 : 0,
      note: t.untaxedNote,
    },
    {
      href: '/settings/taxes',
      icon: 'invoices',
      tone: 'bad',
      title: t.unconverted,
      count: unconverted.reduce((total, { documents }) => total + documents, 0),
      note: t.unconvertedNote,
    },
    {
      href: '/settings/taxes',
      icon: 'invoices',
      tone: 'late',
      title: t.oldRates,
      count: tenant?.standardTaxRatesOutdated ? 1 : 0,
      note: t.oldRatesNote,
    },
    {
      href: '/customers?vatIdStatus=invalid',
      icon: 'customers',
      tone: 'late',
      title: t.vatIds,
      count: vatIds?.totalCount ?? 0,
      note: t.vatIdsNote,
    },
  ];
}

/** Of the lists in the query. */
const pageSize = 100;

/** Adds up amounts by currency, without rounding: in units of their last decimal. */
function sum(amounts: Amount[]): Amount[] {
  const sums = new Map<string, { units: bigint; digits: number }>();
  for (const { decimal, currency } of amounts) {
    const digits = decimal.split('.')[1]?.length ?? 0;
    const before = sums.get(currency) ?? { units: 0n, digits };
    const most = Math.max(before.digits, digits);
    const units = BigInt(decimal.replace('.', '')) * 10n ** BigInt(most - digits);
    sums.set(currency, { units: before.units * 10n ** BigInt(most - before.digits) + units, digits: most });
  }
  return [...sums].map(([currency, { units, digits }]) => ({ currency, decimal: writeUnits(units, digits) }));
}

function writeUnits(units: bigint, digits: number): string {
  const text = String(units < 0n ? -units : units).padStart(digits + 1, '0');
  const whole = digits > 0 ? `${text.slice(0, -digits)}.${text.slice(-digits)}` : text;
  return units < 0n ? `-${whole}` : whole;
}
