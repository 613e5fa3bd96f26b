import { Fragment, useId, useState, type ReactNode } from 'react';
import { Icon } from '../design/Icon.tsx';
import { Money } from '../design/Values.tsx';
import '../design/Table.css';
import { useFormat, type Format } from '../texts/format.ts';
import { getDirection, useLanguage, useTexts } from '../texts/language.tsx';
import { explainLine, type Step } from './arithmetic.ts';
import type { LineData } from './fragments.ts';
import './LineTable.css';
import { useLineWords } from './lineWords.ts';
import { texts } from './texts.ts';

interface LineTableProps {
  caption: string;
  lines: LineData[];
  /** Rows of sums: a name and an amount. */
  children?: ReactNode;
}

/** The lines of an invoice or of a preview. Each opens the arithmetic behind its amount. */
export function LineTable({ caption, lines, children }: LineTableProps) {
  const t = useTexts(texts);
  return (
    <div className="table-frame" tabIndex={0} role="region" aria-label={caption}>
      <table className="table line-table">
        <caption className="unseen">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{t.description}</th>
            <th scope="col" className="end">
              {t.amount}
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line, index) => (
            <LineRows key={index} line={line} />
          ))}
        </tbody>
        {children && <tfoot>{children}</tfoot>}
      </table>
    </div>
  );
}

/** A sum below the lines. */
export function SumRow({
  name,
  strong,
  children,
}: {
  name: ReactNode;
  strong?: boolean;
  children: ReactNode;
}) {
  return (
    <tr className={strong ? 'line-sum strong' : 'line-sum'}>
      <th scope="row">{name}</th>
      <td className="end">{children}</td>
    </tr>
  );
}

function LineRows({ line }: { line: LineData }) {
  const t = useTexts(texts);
  const format = useFormat();
  const id = useId();
  const describe = useLineWords();
  const { language } = useLanguage();
  const [open, setOpen] = useState(false);
  return (
    <>
      <tr>
        <td>
          <button
            type="button"
            className="line-button"
            aria-expanded={open}
            aria-controls={open ? id : undefined}
            title={t.why}
            onClick={() => setOpen(!open)}
          >
            <Icon name={open ? 'down' : 'next'} />
            <span dir={getDirection(language) === 'rtl' ? undefined : 'auto'}>{describe(line)}</span>
          </button>
          {line.kind === 'item' && line.quantity > 1 && (
            <small className="soft line-period">{describeStep(explainLine(line)[0]!, t, format)}</small>
          )}
          {hasPeriod(line) && (
            <small className="soft line-period">{format.days(line.periodStart, line.periodEnd)}</small>
          )}
        </td>
        <td className="end">
          <Money amount={line.amount} />
        </td>
      </tr>
      {open && (
        <tr id={id}>
          <td colSpan={2} className="line-why">
            <Steps line={line} />
          </td>
        </tr>
      )}
    </>
  );
}

const withoutPeriod = new Set(['balance', 'setup_fee']);
const hasPeriod = ({ kind, periodStart, periodEnd }: LineData): boolean =>
  !withoutPeriod.has(kind) && periodStart !== periodEnd;

function Steps({ line }: { line: LineData }) {
  const t = useTexts(texts);
  const format = useFormat();
  const steps = explainLine(line);
  const isShare = steps.some(({ kind }) => kind === 'share');
  return (
    <div className="line-steps">
      <h3>{t.why}</h3>
      <dl>
        {steps.map((step, index) => (
          <Fragment key={index}>
            <dt className={isSum(step) ? 'strong' : undefined}>{describeStep(step, t, format)}</dt>
            <dd className={isSum(step) ? 'strong' : undefined}>
              <Money amount={step.amount} />
            </dd>
          </Fragment>
        ))}
      </dl>
      {line.tax?.reason && <p className="soft">{t[line.tax.reason]}</p>}
      {isShare && <p className="soft">{t.roundingNote}</p>}
      {line.kind === 'balance' && <p className="soft">{t.balanceNote}</p>}
    </div>
  );
}

const isSum = ({ kind }: Step): boolean => kind === 'amount' || kind === 'total';

/** Puts one step of the arithmetic into words and figures. */
function describeStep(step: Step, t: (typeof texts)['en'], format: Format): string {
  const count = (value: number | string) => format.number(Number(value));
  switch (step.kind) {
    case 'balance':
      return step.amount.decimal.startsWith('-') ? t.fromBalance : t.toBalance;
    case 'units':
      return t.units(count(step.count), format.money(step.price));
    case 'packages':
      return t.packages(count(step.count), count(step.packages), count(step.size), format.money(step.price));
    case 'used':
      return t.used(count(step.count));
    case 'usedLate':
      return t.usedLate(count(step.count));
    case 'commitment':
      return t.commitment(format.money(step.used), format.money(step.committed));
    case 'overage':
      return t.overage(format.money(step.used), format.money(step.committed), count(step.factor));
    case 'tier': {
      const range =
        step.to === null ? t.tierFrom(count(step.from)) : t.tier(count(step.from), count(step.to));
      const flat = step.flat ? ` + ${format.money(step.flat)}` : '';
      return `${range}: ${count(step.count)} × ${format.money(step.price)}${flat}`;
    }
    case 'share':
      return t.share(count(step.days), count(step.ofDays));
    case 'notGivenBack':
      return t.notGivenBack(format.money(step.rest), format.money(step.paid));
    case 'tax':
      return t.tax(format.percent(Number(step.percent) / 100));
    case 'taxIncluded':
      return t.taxIncluded(format.percent(Number(step.percent) / 100));
    case 'amount':
      return t.lineAmount;
    default:
      return t[step.kind];
  }
}
