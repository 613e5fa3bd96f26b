import { useState, type FormEvent, type ReactNode } from 'react';
import type { Problem } from '../data/errors.ts';
import { useTexts } from '../texts/language.tsx';
import { Button } from './Button.tsx';
import { Dialog } from './Dialog.tsx';
import { ProblemNote } from './Feedback.tsx';
import { FormScopeContext, useFormScope } from './formScope.ts';
import { texts } from './texts.ts';

interface PageFormProps {
  className?: string;
  problem: Problem | undefined;
  /** Returns false if nothing is sent. */
  onSubmit: () => unknown;
  children: ReactNode;
}

/** A form within a screen. It asks before another screen opens while something is typed and not saved. */
export function PageForm({ className = 'stack', problem, onSubmit, children }: PageFormProps) {
  const [leaving, setLeaving] = useState<{ leave: () => void }>();
  const { scope } = useFormScope(true, (leave) => setLeaving({ leave }));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (onSubmit() !== false) scope.setTyped(false);
  };
  return (
    <FormScopeContext value={scope}>
      <form className={className} noValidate onSubmit={submit} onInput={() => scope.setTyped(true)}>
        {problem && <ProblemNote problem={problem} />}
        {children}
      </form>
      {leaving && <Leaving {...leaving} onStay={() => setLeaving(undefined)} />}
    </FormScopeContext>
  );
}

function Leaving({ leave, onStay }: { leave: () => void; onStay: () => void }) {
  const t = useTexts(texts);
  return (
    <Dialog
      title={t.unsaved}
      onClose={onStay}
      actions={
        <>
          <Button look="danger" onClick={leave}>
            {t.discard}
          </Button>
          <Button look="main" autoFocus onClick={onStay}>
            {t.keepTyping}
          </Button>
        </>
      }
    >
      <p>{t.unsavedText}</p>
    </Dialog>
  );
}
