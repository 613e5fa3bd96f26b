import { useEffect, useId, useRef, type FormEvent, type ReactNode } from 'react';
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
 * A dialog above the page, which closes with Escape, its button, or a press beside it. The browser keeps the focus within,
 * and returns it afterwards. Show it by rendering it.
 */
export function Dialog({ title, onClose, children, actions, onSubmit, placement = 'middle' }: DialogProps) {
  const t = useTexts(texts);
  const titleId = useId();
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
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    onSubmit?.();
  };
  const content = (
    <>
      <div className="dialog-body">{children}</div>
      {actions && <footer className="dialog-actions">{actions}</footer>}
    </>
  );
  return (
    <dialog
      ref={element}
      className={`dialog ${placement}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onPointerDown={(event) => {
        if (event.target === element.current) onClose();
      }}
    >
      <div className="dialog-frame">
        <header className="dialog-head">
          <h2 id={titleId}>{title}</h2>
          <Button look="quiet" icon="close" aria-label={t.close} onClick={onClose} />
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
