import { useRefusal } from '../../app/permissions.ts';
import { useAction } from '../../data/action.tsx';
import { Button } from '../../design/Button.tsx';
import { Field, Select } from '../../design/Field.tsx';
import { useForm } from '../../design/form.ts';
import { Section } from '../../design/Page.tsx';
import { PageForm } from '../../design/PageForm.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { UpdateNumberSeries, type Settings } from './query.ts';
import { texts } from './texts.ts';

type Series = Settings['numberSeries'][number];

/** The numbers of invoices and credit notes. */
export function NumberSeries({ settings, onSaved }: { settings: Settings; onSaved: () => void }) {
  return settings.numberSeries.map((series) => (
    <SeriesForm key={series.kind} series={series} onSaved={onSaved} />
  ));
}

function SeriesForm({ series, onSaved }: { series: Series; onSaved: () => void }) {
  const t = useTexts(texts);
  const toast = useToast();
  const refusal = useRefusal('manage_settings');
  const { run, busy, problem } = useAction(UpdateNumberSeries);
  const { kind, prefix, pattern, reset, example } = series;
  const { values, bind } = useForm({ prefix, pattern, reset }, problem);
  const submit = async () => {
    if (!(await run({ input: { kind, ...values } }))) return;
    toast(t.saved);
    onSaved();
  };
  return (
    <Section title={t[kind]}>
      <PageForm
        className="settings-form stack"
        problem={problem}
        onSubmit={() => refusal === undefined && submit()}
      >
        <Field label={t.prefix} {...bind('prefix')} />
        <Field label={t.pattern} hint={t.nextNumber(example)} dir="ltr" required {...bind('pattern')} />
        <Select
          label={t.reset}
          choices={(['yearly', 'never'] as const).map((value) => ({ value, label: t[value] }))}
          {...bind('reset')}
        />
        <div>
          <Button type="submit" look="main" busy={busy} refused={refusal}>
            {t.save}
          </Button>
        </div>
      </PageForm>
    </Section>
  );
}
