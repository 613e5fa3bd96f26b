import { useRefusal } from '../../app/permissions.ts';
import { useSaveLines, type SaveLines } from '../../data/csv.ts';
import { useScreenQuery } from '../../data/query.tsx';
import { useUrlValue } from '../../data/url.ts';
import { Button } from '../../design/Button.tsx';
import { Empty, Loaded } from '../../design/Feedback.tsx';
import { Select } from '../../design/Field.tsx';
import { Section } from '../../design/Page.tsx';
import { Money } from '../../design/Values.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { CohortsQuery, type Cohort } from './query.ts';
import { useSettings } from './settings.ts';
import { texts } from './texts.ts';

type Age = Cohort['ages'][number];

/** How many customers, or how much of their MRR, stayed: by the month in which they came and the months since. */
export function Cohorts({ currency }: { currency: string }) {
  const t = useTexts(texts);
  const refusal = useRefusal('export_data');
  const saveLines = useSaveLines();
  const { variables } = useSettings();
  const { from, until, definition } = variables;
  const result = useScreenQuery(
    CohortsQuery,
    { currency, from, until, definition },
    { types: ['SubscriptionEvent'] },
  );
  const [of, setOf] = useUrlValue('of');
  const readShare = ({ customerRetention, mrrRetention }: Age) =>
    of === 'mrr' ? mrrRetention : customerRetention;
  return (
    <Loaded result={result}>
      {(data) => {
        const cohorts = (data.cohorts ?? []).filter(({ customers }) => customers > 0);
        return (
          <Section
            title={t.cohortsTitle}
            actions={
              <div className="row">
                <Select
                  compact
                  label={t.cohortsOf}
                  value={of}
                  choices={[
                    { value: '', label: t.ofCustomers },
                    { value: 'mrr', label: t.ofMrr },
                  ]}
                  onChange={({ target }) => setOf(target.value)}
                />
                <Button
                  look="quiet"
                  icon="download"
                  refused={refusal}
                  onClick={() => saveCohorts(saveLines, `cohorts-${currency}`, t.month, cohorts, readShare)}
                >
                  {t.csv}
                </Button>
              </div>
            }
          >
            {cohorts.length > 0 ? (
              <HeatMap cohorts={cohorts} readShare={readShare} />
            ) : (
              <Empty title={t.noCohorts} />
            )}
          </Section>
        );
      }}
    </Loaded>
  );
}

interface HeatMapProps {
  cohorts: Cohort[];
  readShare: (age: Age) => string | null;
}

/** A table whose cells are the darker, the more stayed. */
function HeatMap({ cohorts, readShare }: HeatMapProps) {
  const t = useTexts(texts);
  const format = useFormat();
  const ages = Math.max(...cohorts.map(({ ages: all }) => all.length));
  return (
    <div className="heat-frame" tabIndex={0} role="region" aria-label={t.cohortsTitle}>
      <table className="heat">
        <caption className="unseen">{t.cohortsTitle}</caption>
        <thead>
          <tr>
            <th scope="col">{t.month}</th>
            <th scope="col" className="end">
              {t.customers}
            </th>
            <th scope="col" className="end">
              {t.mrr}
            </th>
            {Array.from({ length: ages }, (_, age) => (
              <th key={age} scope="col" className="heat-age">
                <span className="unseen">{t.monthsLater(format.number(age))}</span>
                <span aria-hidden="true">{format.number(age)}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {cohorts.map(({ month, customers, mrr, ages: all }) => (
            <tr key={month}>
              <th scope="row">{format.month(month)}</th>
              <td className="end">{format.number(customers)}</td>
              <td className="end">
                <Money amount={mrr} />
              </td>
              {all.map((age) => (
                <Cell key={age.age} age={age} share={readShare(age)} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell({ age, share }: { age: Age; share: string | null }) {
  const format = useFormat();
  if (share === null) return <td className="heat-cell">–</td>;
  const level = Math.min(10, Math.max(0, Math.round(Number(share) * 10)));
  const exact = `${format.number(age.customers)} · ${format.money(age.mrr)}`;
  return (
    <td className={`heat-cell heat-${level}`} title={exact}>
      {format.number(Number(share), { style: 'percent', maximumFractionDigits: 0 })}
    </td>
  );
}

const asNumber = (share: string | null) => (share === null ? null : { decimal: share });

function saveCohorts(
  saveLines: SaveLines,
  file: string,
  month: string,
  cohorts: Cohort[],
  readShare: HeatMapProps['readShare'],
): void {
  const ages = Math.max(0, ...cohorts.map(({ ages: all }) => all.length));
  saveLines(file, [
    [month, 'customers', 'mrr', ...Array.from({ length: ages }, (_, age) => age)],
    ...cohorts.map((each) => [
      each.month,
      each.customers,
      each.mrr,
      ...each.ages.map((age) => asNumber(readShare(age))),
    ]),
  ]);
}
