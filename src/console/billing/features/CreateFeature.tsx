import { useAction } from '../../data/action.tsx';
import { useScreenQuery } from '../../data/query.tsx';
import { FormDialog } from '../../design/FormDialog.tsx';
import { Field, Select } from '../../design/Field.tsx';
import { orNull, useForm } from '../../design/form.ts';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { AlertFields } from './AlertFields.tsx';
import { CountersQuery, CreateFeature, type FeatureKind } from './queries.ts';
import { texts } from './texts.ts';
import { readAlerts, type AlertForm } from './values.ts';

const kinds: FeatureKind[] = ['boolean', 'config', 'limit'];

interface CreateFeatureProps {
  onClose: () => void;
  onDone: () => void;
}

/** Reads what counts the use of a limit: a meter, or otherwise a credit type. */
function readCounter({ kind, ...values }: Record<'kind' | 'meterId' | 'creditTypeId', string> & AlertForm) {
  const meterId = kind === 'limit' ? orNull(values.meterId) : null;
  const creditTypeId = kind === 'limit' && meterId === null ? orNull(values.creditTypeId) : null;
  const isCounted = meterId !== null || creditTypeId !== null;
  return { meterId, creditTypeId, alertPercents: isCounted ? readAlerts(values) : null };
}

const initial = {
  name: '',
  key: '',
  kind: 'boolean' as FeatureKind,
  meterId: '',
  creditTypeId: '',
  usesTenantAlerts: true,
  alertPercents: '',
};

/** Creates a feature, whose key and kind are fixed from then on. */
export function CreateFeatureDialog({ onClose, onDone }: CreateFeatureProps) {
  const t = useTexts(texts);
  const toast = useToast();
  const { run, busy, problem } = useAction(CreateFeature);
  const form = useForm(initial, problem);
  const { values, bind } = form;
  const { data } = useScreenQuery(CountersQuery, {});
  const meters = (data?.meters?.nodes ?? []).filter(({ archivedAt }) => archivedAt === null);
  const types = data?.creditTypes?.nodes ?? [];
  const submit = async () => {
    const { name, key } = values;
    const input = { name, key, kind: values.kind, ...readCounter(values) };
    const created = (await run({ input }))?.createFeature;
    if (!created) return;
    toast(t.created(created.name));
    onDone();
    onClose();
  };
  return (
    <FormDialog
      title={t.create}
      label={t.createText}
      busy={busy}
      problem={problem}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Field label={t.name} required autoFocus {...bind('name')} />
      <Field label={t.key} hint={t.keyHint} required {...bind('key')} />
      <Select label={t.kind} choices={kinds.map((value) => ({ value, label: t[value] }))} {...bind('kind')} />
      {values.kind === 'limit' && (
        <Select
          label={t.meter}
          hint={t.meterHint}
          choices={[
            { value: '', label: t.noMeter },
            ...meters.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          {...bind('meterId')}
        />
      )}
      {values.kind === 'limit' && values.meterId === '' && types.length > 0 && (
        <Select
          label={t.creditType}
          hint={t.creditTypeHint}
          choices={[
            { value: '', label: t.noCreditType },
            ...types.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          {...bind('creditTypeId')}
        />
      )}
      {values.kind === 'limit' && (values.meterId !== '' || values.creditTypeId !== '') && (
        <AlertFields form={form} />
      )}
    </FormDialog>
  );
}
