import { useId, useState } from 'react';
import { useRefusal } from '../../app/permissions.ts';
import { useAction } from '../../data/action.tsx';
import { Button } from '../../design/Button.tsx';
import { Note, ProblemNote } from '../../design/Feedback.tsx';
import { Section } from '../../design/Page.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { UpdateTenant, type TenantInput } from './query.ts';
import { texts, brandTexts } from './texts.ts';

interface ImageFormProps {
  title: string;
  /** Where it is shown, and what it may be. */
  hint: string;
  /** The address of the present image. */
  source: string | null;
  types: string[];
  /** Why no image can be set yet. */
  refused?: string | undefined;
  /** The image in base64; null removes it. */
  toInput: (image: string | null) => TenantInput;
  onSaved: () => void;
}

const largestBytes = 200 * 1024;

/** An image of the tenant: chosen from a file, shown before it is saved, replaced and removed. */
export function ImageForm({ title, hint, source, types, refused, toInput, onSaved }: ImageFormProps) {
  const t = useTexts(brandTexts);
  const { saved } = useTexts(texts);
  const toast = useToast();
  const id = useId();
  const missing = useRefusal('manage_settings');
  const refusal = missing ?? refused;
  const { run, busy, problem } = useAction(UpdateTenant);
  const [chosen, setChosen] = useState<string>();
  const [fault, setFault] = useState<string>();
  const choose = async (file: File | undefined) => {
    setFault(undefined);
    setChosen(undefined);
    if (!file) return;
    if (!types.includes(file.type)) setFault(t.wrongType);
    else if (file.size > largestBytes) setFault(t.tooLarge);
    else setChosen(await readAsUrl(file));
  };
  const save = async (image: string | null) => {
    if (!(await run({ input: toInput(image) }))) return;
    toast(saved);
    setChosen(undefined);
    onSaved();
  };
  const shown = chosen ?? source;
  return (
    <Section title={title}>
      <div className="settings-form stack">
        {problem && <ProblemNote problem={problem} />}
        {fault && <Note tone="bad">{fault}</Note>}
        {refused && <Note>{refused}</Note>}
        {shown && <ImagePreview source={shown} />}
        <div className="field">
          <label htmlFor={id} className="field-label">
            {t.file}
          </label>
          <input
            id={id}
            type="file"
            className="input"
            accept={types.join(',')}
            disabled={refusal !== undefined}
            aria-describedby={`${id}-hint`}
            onChange={({ target }) => void choose(target.files?.[0])}
          />
          <small id={`${id}-hint`} className="soft">
            {hint}
          </small>
        </div>
        <div className="row">
          <Button
            look="main"
            busy={busy}
            refused={refusal ?? (chosen ? undefined : t.chooseFirst)}
            onClick={() => void save(chosen!.slice(chosen!.indexOf(',') + 1))}
          >
            {t.useImage}
          </Button>
          {source && (
            <Button busy={busy} refused={refusal} onClick={() => void save(null)}>
              {t.removeImage}
            </Button>
          )}
        </div>
      </div>
    </Section>
  );
}

function ImagePreview({ source }: { source: string }) {
  const t = useTexts(brandTexts);
  return (
    <div className="brand-images">
      <img src={source} alt={t.onWhite} className="on-white" />
      <img src={source} alt={t.onDark} className="on-dark" />
    </div>
  );
}

const readAsUrl = (file: File): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(reader.result as string));
    reader.addEventListener('error', () => reject(reader.error ?? new Error('The file cannot be read.')));
    reader.readAsDataURL(file);
  });
