import { useAction } from '../../data/action.tsx';
import { useScreenQuery } from '../../data/query.tsx';
import { FormDialog } from '../../design/FormDialog.tsx';
import { Checkbox, Select } from '../../design/Field.tsx';
import { useForm } from '../../design/form.ts';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { writeDecimal } from '../../texts/numbers.ts';
import { Effect, ReachField, type Reach } from './Effect.tsx';
import { AttachFeature, PreviewAttachQuery, type AttachedFeature, type FeatureChoice } from './queries.ts';
import { texts } from './texts.ts';
import { ValueFields } from './ValueFields.tsx';
import { emptyValue, readOverage, readValue } from './values.ts';

interface AttachFeatureProps {
  productId: string;
  /** The features to choose from. */
  features: FeatureChoice[];
  /** What the product has of the feature already; undefined to attach another one. */
  attached?: AttachedFeature | undefined;
  onClose: () => void;
  onDone: () => void;
}

const initial = { ...emptyValue, timesQuantity: false, reach: 'now' as Reach };

/** The fields of what a product has of a feature. */
function fill({ feature, value, soft, overageLimit, timesQuantity }: AttachedFeature) {
  const units = typeof value === 'string' && feature.kind === 'limit' ? writeDecimal(value) : '';
  return {
    ...initial,
    key: feature.key,
    yes: String(value === true),
    json: feature.kind === 'config' ? JSON.stringify(value) : '',
    units,
    soft,
    overageLimit: overageLimit === null ? '' : writeDecimal(overageLimit),
    timesQuantity,
  };
}

/** Attaches a feature to a product, or changes its value, and says before who gains and who loses. */
export function AttachFeatureDialog({ productId, features, attached, onClose, onDone }: AttachFeatureProps) {
  const t = useTexts(texts);
  const toast = useToast();
  const { run, busy, problem } = useAction(AttachFeature);
  const start = attached ? fill(attached) : { ...initial, key: features[0]?.key ?? '' };
  const form = useForm(start, problem);
  const { values, bind, check } = form;
  const feature = features.find(({ key }) => key === values.key) ?? attached?.feature;
  const kind = feature?.kind ?? 'boolean';
  const name = feature?.name ?? '';
  const read = readValue(kind, values);
  const { timesQuantity, reach } = values;
  const input = {
    productId,
    feature: values.key,
    ...read,
    ...readOverage(kind, values),
    ...(kind === 'limit' && { timesQuantity }),
    reach,
  };
  const preview = useScreenQuery(PreviewAttachQuery, { input }, {}, !read);
  const submit = async () => {
    if (!read || !(await run({ input }))) return;
    toast(t.attached(name));
    onDone();
    onClose();
  };
  return (
    <FormDialog
      title={attached ? t.changeTitle(name) : t.attach}
      label={attached ? t.changeTitle(name) : t.attachText(name)}
      busy={busy}
      problem={problem}
      refused={read ? undefined : t.notJson}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {!attached && (
        <Select
          label={t.feature}
          choices={features.map((each) => ({ value: each.key, label: each.name }))}
          {...bind('key', 'feature')}
        />
      )}
      <ValueFields kind={kind} form={form} />
      {kind === 'limit' && <Checkbox label={t.times} {...check('timesQuantity')} />}
      <ReachField bind={bind} />
      <Effect counts={preview.data?.previewAttachFeature} />
    </FormDialog>
  );
}
