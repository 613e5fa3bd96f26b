import { texts as words } from '../../billing/texts.ts';
import { Button } from '../../design/Button.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import { Note } from '../../design/Feedback.tsx';
import { Field } from '../../design/Field.tsx';
import { texts as design } from '../../design/texts.ts';
import { useToast } from '../../design/Toasts.tsx';
import { When } from '../../design/Values.tsx';
import { useTexts } from '../../texts/language.tsx';
import { sellTexts as texts } from './texts.ts';

interface LinkDialogProps {
  title: string;
  note: string;
  url: string;
  expiresAt: string;
  onClose: () => void;
}

/** Shows a link for the customer, to copy. */
export function LinkDialog({ title, note, url, expiresAt, onClose }: LinkDialogProps) {
  const t = useTexts(texts);
  const { done } = useTexts(words);
  const { copied } = useTexts(design);
  const toast = useToast();
  const copy = async () => {
    await navigator.clipboard.writeText(url);
    toast(copied);
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button icon="copy" onClick={() => void copy()}>
            {t.copyLink}
          </Button>
          <a className="button plain" href={url} target="_blank" rel="noreferrer">
            {t.openLink}
          </a>
          <Button look="main" onClick={onClose}>
            {done}
          </Button>
        </>
      }
    >
      <div className="stack">
        <Note tone="late">{note}</Note>
        <Field label={t.link} readOnly dir="ltr" value={url} onFocus={({ target }) => target.select()} />
        <p className="soft">
          {t.linkEnds} <When at={expiresAt} as="time" />
        </p>
      </div>
    </Dialog>
  );
}
