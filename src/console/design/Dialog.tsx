import { useEffect, useId, useRef, useState, type FormEvent, type ReactNode } from 'react';
import { useTexts } from '../texts/language.tsx';
import { Button } from './Button.tsx';
import { FormScopeContext, useFormScope } from './formScope.ts';
import { texts } from './texts.ts';
import './Dialog.css';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** The buttons. With `onSubmit` the dialog is a form, and one of them has `type="submit"`. */
  actions?: ReactNode;
  /** Returns false if nothing is sent. */
  onSubmit?: () => unknown;
  /** `side` slides in from the end of the line: a quick look at a record. */
  placement?: 'middle' | 'side';
}

/**
 * A dialog above the page, which closes with Escape, its button, or a press beside it; a form in which something was typed asks
 * first, also before another screen opens. The browser keeps the focus within, and returns it afterwards. Show it by rendering it.
 */
export function Dialog({ title, onClose, children, actions, onSubmit, placement = 'middle' }: DialogProps) {
  const t = useTexts(texts);
  const titleId = useId();
  const element = useModal();
  const [asked, setAsked] = useState<{ leave: () => void }>();
  const { scope, isTyped } = useFormScope(onSubmit !== undefined, (leave) => setAsked({ leave }));
  const leave = () => {
    if (!isTyped) return onClose();
    return setAsked(asked ? undefined : { leave: onClose });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    if (onSubmit?.() !== false) scope.setTyped(false);
  };
  const content = (
    <>
      <div className="dialog-body">{children}</div>
      {asked && <Unsaved onStay={() => setAsked(undefined)} onLeave={asked.leave} />}
      {actions && <footer className="dialog-actions">{actions}</footer>}
    </>
  );
  return (
    <dialog
      ref={element}
      className={`dialog ${placement}`}
      aria-labelledby={titleId}
      onInput={() => scope.setTyped(true)}
      onKeyDown={(event) => {
        // Before the browser, which closes a dialog without asking when Escape is pressed twice.
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.preventDefault();
        leave();
      }}
      onCancel={(event) => {
        event.preventDefault();
        leave();
      }}
      onPointerDown={(event) => {
        if (event.target === element.current) leave();
      }}
    >
      <FormScopeContext value={scope}>
        <div className="dialog-frame">
          <header className="dialog-head">
            <h2 id={titleId}>{title}</h2>
            <Button look="quiet" icon="close" aria-label={t.close} onClick={leave} />
          </header>
          {onSubmit ? (
            <form className="dialog-form" onSubmit={submit} noValidate>
              {content}
            </form>
          ) : (
            content
          )}
        </div>
      </FormScopeContext>
    </dialog>
  );
}

/** Asks whether what was typed is to be given up. */
function Unsaved({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }) {
  const t = useTexts(texts);
  return (
    <div className="dialog-unsaved" role="alert">
      <span>{t.unsaved}</span>
      <span className="row">
        <Button autoFocus onClick={onStay}>
          {t.keepTyping}
        </Button>
        <Button look="danger" onClick={onLeave}>
          {t.discard}
        </Button>
      </span>
    </div>
  );
}

/** Returns the reference of a dialog that shows above the page while it is rendered. */
function useModal() {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current!;
    const opener = document.activeElement;
    dialog.showModal();
    // The attribute autoFocus comes too early: a field cannot have the focus before its dialog shows.
    const fields = '.dialog-body :is(input, select, textarea):not([readonly])';
    dialog.querySelector<HTMLElement>(fields)?.focus();
    return () => {
      dialog.close();
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    };
  }, []);
  return element;
}
