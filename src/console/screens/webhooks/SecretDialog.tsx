import { Button } from '../../design/Button.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import { Note } from '../../design/Feedback.tsx';
import { Field } from '../../design/Field.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { texts } from './texts.ts';

/** Shows a new signing secret, once. */
export function SecretDialog({ secret, onClose }: { secret: string; onClose: () => void }) {
  const t = useTexts(texts);
  const toast = useToast();
  const copy = async () => {
    await navigator.clipboard.writeText(secret);
    toast(t.copied);
  };
  return (
    <Dialog
      title={t.secret}
      onClose={onClose}
      actions={
        <>
          <Button icon="copy" onClick={() => void copy()}>
            {t.copy}
          </Button>
          <Button look="main" onClick={onClose}>
            {t.done}
          </Button>
        </>
      }
    >
      <Note tone="late">{t.secretNote}</Note>
      <Field label={t.secret} readOnly dir="ltr" value={secret} />
    </Dialog>
  );
}
