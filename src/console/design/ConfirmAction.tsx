import type { ReactNode } from 'react';
import type { Problem } from '../data/errors.ts';
import { Button } from './Button.tsx';
import { Dialog } from './Dialog.tsx';
import { ProblemNote } from './Feedback.tsx';
import { useTexts } from '../texts/language.tsx';
import { texts } from './texts.ts';

interface ConfirmActionProps {
  title: string;
  /** What happens, before the fields. */
  children?: ReactNode;
  /** What the button does: "Refund €12.40". */
  label: string;
  danger?: boolean;
  /** `side` for long forms. */
  placement?: 'middle' | 'side';
  /** Why the button does nothing yet. */
  refused?: string | undefined;
  action: { busy: boolean; problem: Problem | undefined };
  onConfirm: () => void;
  onClose: () => void;
}

/** A dialog that says what will happen, and asks once. */
export function ConfirmAction(props: ConfirmActionProps) {
  const { title, children, label, danger, placement, refused, action, onConfirm, onClose } = props;
  const t = useTexts(texts);
  return (
    <Dialog
      title={title}
      {...(placement && { placement })}
      onClose={onClose}
      onSubmit={() => {
        if (refused || action.busy) return false;
        onConfirm();
        return true;
      }}
      actions={
        <>
          <Button onClick={onClose}>{t.keep}</Button>
          <Button type="submit" look={danger ? 'danger' : 'main'} busy={action.busy} refused={refused}>
            {label}
          </Button>
        </>
      }
    >
      <div className="stack">
        {action.problem && <ProblemNote problem={action.problem} />}
        {children}
      </div>
    </Dialog>
  );
}
