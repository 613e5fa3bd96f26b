import type { ReactNode } from 'react';
import { Button } from '../../design/Button.tsx';
import { Note } from '../../design/Feedback.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { useTexts } from '../../texts/language.tsx';
import { providerTexts } from './texts.ts';

/** A text with a button that copies it. */
export function CopyText({ text }: { text: string }) {
  const t = useTexts(providerTexts);
  const toast = useToast();
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    toast(t.copied);
  };
  return (
    <span className="row copy-text">
      <code dir="ltr">{text}</code>
      <Button look="quiet" icon="copy" aria-label={t.copy} onClick={() => void copy()} />
    </span>
  );
}

/** What failed, in the words of the provider or mail server. */
export function FailureNote({ children, failure }: { children: ReactNode; failure: string }) {
  return (
    <Note tone="bad">
      <div>
        <p>{children}</p>
        <p className="note-detail">
          <bdi>{failure}</bdi>
        </p>
      </div>
    </Note>
  );
}
