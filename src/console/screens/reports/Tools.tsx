import { useUrlValue } from '../../data/url.ts';
import { Checkbox, Field, Select } from '../../design/Field.tsx';
import { useTexts } from '../../texts/language.tsx';
import { intervals, switches, useSettings, type Switch } from './settings.ts';
import { texts } from './texts.ts';

interface ToolsProps {
  tab: string;
  currency: string;
  currencies: string[];
}

const switchNames = Object.keys(switches) as Switch[];

/** The currency, the periods and the definition of a report; all of them are part of the address. */
export function Tools({ tab, currency, currencies }: ToolsProps) {
  const t = useTexts(texts);
  const { by, from, until } = useSettings();
  const [, setCurrency] = useUrlValue('currency');
  const [, setBy] = useUrlValue('by');
  const [, setFrom] = useUrlValue('from');
  const [, setUntil] = useUrlValue('until');
  const hasPeriods = !['cohorts', 'forecast', 'changes'].includes(tab);
  return (
    <div className="report-tools">
      <Select
        label={t.currency}
        value={currency}
        choices={currencies.map((each) => ({ value: each, label: each.toUpperCase() }))}
        onChange={({ target }) => setCurrency(target.value === currencies[0] ? '' : target.value)}
      />
      {hasPeriods && (
        <Select
          label={t.by}
          value={by}
          choices={Object.keys(intervals).map((each) => ({
            value: each,
            label: t[each as keyof typeof intervals],
          }))}
          onChange={({ target }) => setBy(target.value === 'month' ? '' : target.value)}
        />
      )}
      {tab !== 'forecast' && (
        <>
          <Field type="date" label={t.from} value={from} onChange={({ target }) => setFrom(target.value)} />
          <Field
            type="date"
            label={t.until}
            value={until}
            onChange={({ target }) => setUntil(target.value)}
          />
        </>
      )}
      {['mrr', 'retention', 'cohorts'].includes(tab) && <Definition />}
      {['mrr', 'revenue', 'retention'].includes(tab) && <Compare />}
    </div>
  );
}

function Compare() {
  const t = useTexts(texts);
  const [compare, setCompare] = useUrlValue('compare');
  return (
    <Checkbox
      label={t.compare}
      checked={compare === '1'}
      onChange={({ target }) => setCompare(target.checked ? '1' : '')}
    />
  );
}

/** What counts as MRR; the address names the switches that are not as by default. */
function Definition() {
  const t = useTexts(texts);
  const { isOn, discounts } = useSettings();
  const [text, setText] = useUrlValue('definition');
  const changed = text.split(',').filter(Boolean);
  const toggle = (name: string) =>
    setText((changed.includes(name) ? changed.filter((each) => each !== name) : [...changed, name]).join());
  return (
    <details className="report-definition">
      <summary>{changed.length > 0 ? t.definitionChanged : t.definition}</summary>
      <div className="stack">
        <Checkbox
          label={t.discounts}
          hint={t.discountsHint}
          checked={discounts === 'forever'}
          onChange={() => toggle('discounts')}
        />
        {switchNames.map((name) => (
          <Checkbox key={name} label={t[name]} checked={isOn(name)} onChange={() => toggle(name)} />
        ))}
      </div>
    </details>
  );
}
