import { useEffect, useId, useRef, useState, type FormEvent, type ReactNode } from 'react';
import { useTexts } from '../texts/language.tsx';
import { Button } from './Button.tsx';
import { texts } from './texts.ts';
import './Dialog.css';

interface DialogProps {
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** The buttons. With `onSubmit` the dialog is a form, and one of them has `type="submit"`. */
  actions?: ReactNode;
  onSubmit?: () => void;
  /** `side` slides in from the end of the line: a quick look at a record. */
  placement?: 'middle' | 'side';
}

/**
 * A dialog above the page, which closes with Escape, its button, or a press beside it; a form in which something was typed asks
 * first. The browser keeps the focus within, and returns it afterwards. Show it by rendering it.
 */
export function Dialog({ title, onClose, children, actions, onSubmit, placement = 'middle' }: DialogProps) {
  const t = useTexts(texts);
  const titleId = useId();
  const element = useModal();
  const [isTyped, setTyped] = useState(false);
  const [isAsking, setAsking] = useState(false);
  useWarning(isTyped);
  const leave = () => {
    if (!isTyped) return onClose();
    setAsking(!isAsking);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    onSubmit?.();
  };
  const content = (
    <>
      <div className="dialog-body">{children}</div>
      {isAsking && <Unsaved onStay={() => setAsking(false)} onLeave={onClose} />}
      {actions && <footer className="dialog-actions">{actions}</footer>}
    </>
  );
  return (
    <dialog
      ref={element}
      className={`dialog ${placement}`}
      aria-labelledby={titleId}
      onInput={() => onSubmit && setTyped(true)}
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

/** Lets the browser ask before it leaves the page while something is typed. */
function useWarning(isOn: boolean): void {
  useEffect(() => {
    if (!isOn) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isOn]);
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
