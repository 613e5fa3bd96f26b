import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Money, Nothing } from '../../design/Values.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import type { Day, FiguresData } from './query.ts';
import { texts } from './texts.ts';

interface TileProps {
  name: string;
  href: string;
  value: ReactNode;
  /** The change against the 30 days before. */
  change: ReactNode;
  /** How much it has risen; negative if it has fallen, undefined while nothing is known. */
  rise: number | undefined;
  /** Whether it is bad if it rises. */
  isLoss?: boolean;
  /** One value for each day, drawn as a line. */
  values: number[];
}

/** The four figures, each against the 30 days before, with a line of its last 30 days. */
export function Figures({ data }: { data: FiguresData | undefined }) {
  const t = useTexts(texts);
  const format = useFormat();
  const [now, before] = [data?.days?.total, data?.before?.total];
  const points = data?.days?.points ?? [];
  const read = (pick: (day: Day) => string | number | null) => points.map((day) => Number(pick(day) ?? 0));
  const rate = (share: string | null | undefined) => (share ? format.percent(Number(share)) : <Nothing />);
  return (
    <div className="home-figures" aria-busy={!data}>
      <Tile
        name={t.mrr}
        href="/reports"
        value={now && <Money amount={now.mrrEnd} />}
        change={now && <Change from={Number(now.mrrStart.decimal)} to={Number(now.mrrEnd.decimal)} />}
        rise={now && Number(now.mrrEnd.decimal) - Number(now.mrrStart.decimal)}
        values={read(({ mrrEnd }) => mrrEnd.decimal)}
      />
      <Tile
        name={t.netRevenue}
        href="/reports?tab=revenue"
        value={now && <Money amount={now.netRevenue} />}
        change={
          now &&
          before && <Change from={Number(before.netRevenue.decimal)} to={Number(now.netRevenue.decimal)} />
        }
        rise={now && before && Number(now.netRevenue.decimal) - Number(before.netRevenue.decimal)}
        values={addUp(read(({ netRevenue }) => netRevenue.decimal))}
      />
      <Tile
        name={t.activeCustomers}
        href="/reports?tab=retention"
        value={now && format.number(now.activeCustomers)}
        change={now && before && <Change from={before.activeCustomers} to={now.activeCustomers} />}
        rise={now && before && now.activeCustomers - before.activeCustomers}
        values={read(({ activeCustomers }) => activeCustomers)}
      />
      <Tile
        name={t.churn}
        href="/reports?tab=retention"
        value={now && rate(now.customerChurnRate)}
        change={
          now && before?.customerChurnRate && t.churnBefore(format.percent(Number(before.customerChurnRate)))
        }
        rise={now && before && Number(now.customerChurnRate ?? 0) - Number(before.customerChurnRate ?? 0)}
        isLoss
        values={addUp(read(({ customerChurnRate }) => customerChurnRate))}
      />
    </div>
  );
}

/** A figure whose colour says whether it became better or worse, as the words beside it do. */
function Tile({ name, href, value, change, rise = 0, isLoss = false, values }: TileProps) {
  const tone = rise === 0 ? '' : rise > 0 === isLoss ? 'bad' : 'good';
  return (
    <Link href={href} className={`home-figure ${tone}`}>
      <span className="soft">{name}</span>
      <strong>{value}</strong>
      <small>{change || <>&nbsp;</>}</small>
      <Sparkline values={values} />
    </Link>
  );
}

/** How much more or less it is than before, in percent. */
function Change({ from, to }: { from: number; to: number }) {
  const t = useTexts(texts);
  const format = useFormat();
  if (from === to) return <>{t.unchanged}</>;
  if (from <= 0) return <>{t.noneBefore}</>;
  const share = (to - from) / from;
  return (
    <>
      <b>
        <span aria-hidden="true">{share > 0 ? '▲' : '▼'}</span>{' '}
        {share > 0 ? t.more(format.percent(share)) : t.less(format.percent(-share))}
      </b>{' '}
      {t.thanBefore}
    </>
  );
}

const [width, height] = [120, 28];

/** A line without axes: it shows the shape, the figure beside it is exact. */
function Sparkline({ values }: { values: number[] }) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const points = values.map((value, index) => {
    const x = (index / Math.max(1, values.length - 1)) * width;
    const y = high === low ? height / 2 : height - 2 - ((value - low) / (high - low)) * (height - 4);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  return (
    <svg
      className="home-spark"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {points.length > 1 && (
        <>
          <polygon points={`0,${height} ${points.join(' ')} ${width},${height}`} />
          <polyline points={points.join(' ')} vectorEffect="non-scaling-stroke" />
        </>
      )}
    </svg>
  );
}

/** The sums up to each value. */
function addUp(values: number[]): number[] {
  let total = 0;
  return values.map((value) => (total += value));
}
