import type { ReactNode } from 'react';
import { useRefusal } from '../../app/permissions.ts';
import type { Issue } from '../../data/errors.ts';
import { useAction } from '../../data/action.tsx';
import { Button } from '../../design/Button.tsx';
import { Checkbox, Field, Select, TextArea, type Choice } from '../../design/Field.tsx';
import { useForm, type Form } from '../../design/form.ts';
import { Section } from '../../design/Page.tsx';
import { PageForm } from '../../design/PageForm.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { readWhole } from '../../texts/numbers.ts';
import { UpdateTenant, type TenantInput } from './query.ts';
import { texts } from './texts.ts';

type Value = string | boolean | readonly Choice[];

/** A field of a settings form. */
interface FieldSpec {
  name: string;
  label: string;
  hint?: string;
  /** Where the server reports its problem, if not under its name. */
  path?: string;
  required?: boolean;
  kind?: 'text' | 'area' | 'check' | 'number' | 'email' | 'url' | 'color';
  choices?: Choice[];
  /** Draws the field, if no other kind fits. */
  render?: (props: RenderProps) => ReactNode;
}

/** What a field that draws itself gets. */
export interface RenderProps {
  value: Value;
  path: string;
  problem: Issue | undefined;
  onChange: (value: Value) => void;
}

type Values = Record<string, Value>;

interface SettingsFormProps<Initial extends Values> {
  title: string;
  /** The fields, which may depend on the values. */
  fields: FieldSpec[] | ((values: Initial) => FieldSpec[]);
  initial: Initial;
  toInput: (values: Initial) => TenantInput;
  onSaved: () => void;
  /** A sentence above the fields. */
  note?: ReactNode;
  /** What the values would look like. */
  preview?: (values: Initial) => ReactNode;
}

/** A part of the tenant's settings: its fields, and one button that saves them. */
export function SettingsForm<Initial extends Values>(props: SettingsFormProps<Initial>) {
  const { title, fields, initial, toInput, onSaved, note, preview } = props;
  const t = useTexts(texts);
  const toast = useToast();
  const refusal = useRefusal('manage_settings');
  const { run, busy, problem } = useAction(UpdateTenant);
  const form = useForm<Values>(initial, problem);
  const submit = async () => {
    if (!(await run({ input: toInput(form.values as Initial) }))) return;
    toast(t.saved);
    onSaved();
  };
  return (
    <Section title={title}>
      <PageForm
        className="settings-form stack"
        problem={problem}
        onSubmit={() => refusal === undefined && submit()}
      >
        {note && <p className="soft">{note}</p>}
        {(typeof fields === 'function' ? fields(form.values as Initial) : fields).map((field) => (
          <SpecField key={field.name} field={field} form={form} />
        ))}
        {preview?.(form.values as Initial)}
        <div>
          <Button type="submit" look="main" busy={busy} refused={refusal}>
            {t.save}
          </Button>
        </div>
      </PageForm>
    </Section>
  );
}

function SpecField({ field, form }: { field: FieldSpec; form: Form<Values> }) {
  const { name, label, kind = 'text', choices, path, required } = field;
  const hint = field.hint === undefined ? {} : { hint: field.hint };
  if (kind === 'check') return <Checkbox label={label} {...hint} {...form.check(name)} />;
  const bound = form.bind(name, path);
  if (field.render) {
    return field.render({
      ...bound,
      value: form.values[name]!,
      onChange: (value) => form.change({ [name]: value }),
    });
  }
  if (choices) return <Select label={label} choices={choices} {...hint} {...bound} />;
  if (kind === 'area') return <TextArea label={label} {...hint} {...bound} />;
  const mode = kind === 'number' ? { inputMode: 'numeric' as const } : { type: kind };
  return <Field label={label} required={required} {...mode} {...hint} {...bound} />;
}

/** Reads "1, 3, 7"; what is no number is left for the server to refuse. */
export const readDays = (text: string): number[] =>
  text
    .split(/[\s,،]+/)
    .filter(Boolean)
    .map((day) => readWhole(day)!);
