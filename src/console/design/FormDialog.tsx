import type { ReactNode } from 'react';
import type { Problem } from '../data/errors.ts';
import { Button } from './Button.tsx';
import { Dialog } from './Dialog.tsx';
import { ProblemNote } from './Feedback.tsx';
import { useTexts } from '../texts/language.tsx';
import { texts } from './texts.ts';

interface FormDialogProps {
  title: string;
  /** What the button does; by default the title. */
  label?: string;
  busy: boolean;
  problem: Problem | undefined;
  /** Why the button does nothing yet. */
  refused?: string | undefined;
  /** Returns false if nothing is sent. */
  onSubmit: () => unknown;
  onClose: () => void;
  /** The fields. */
  children: ReactNode;
}

/** A dialog that creates or changes something by a form. */
export function FormDialog(props: FormDialogProps) {
  const { title, label = title, busy, problem, refused, onSubmit, onClose, children } = props;
  const t = useTexts(texts);
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={onSubmit}
      actions={
        <>
          <Button onClick={onClose}>{t.cancel}</Button>
          <Button type="submit" look="main" busy={busy} refused={refused}>
            {label}
          </Button>
        </>
      }
    >
      {problem && <ProblemNote problem={problem} />}
      {children}
    </Dialog>
  );
}
