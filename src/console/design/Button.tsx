import type { ButtonHTMLAttributes, ReactNode } from 'react';
import { useScope } from './formScope.ts';
import { Icon, type IconName } from './Icon.tsx';
import './Button.css';

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** `main` for the one thing to do on a screen, `danger` for what ends or takes away, `quiet` without a border. */
  look?: 'main' | 'plain' | 'quiet' | 'danger';
  icon?: IconName;
  /** Why the button does nothing now; it stays focusable, so that everybody can read it. */
  refused?: string | undefined;
  busy?: boolean;
  /** Whether it changes the values of the form around it, as typing does. */
  edits?: boolean;
  children?: ReactNode;
}

/** A button that says what it does. Give `aria-label` if it shows an icon only. */
export function Button(props: ButtonProps) {
  const { look = 'plain', icon, refused, busy, edits, children, className, onClick, ...others } = props;
  const scope = useScope();
  const inactive = refused !== undefined || busy === true;
  return (
    <button
      type="button"
      {...others}
      className={['button', look, children ? '' : 'square', className].filter(Boolean).join(' ')}
      aria-disabled={inactive || undefined}
      aria-busy={busy || undefined}
      title={refused ?? others.title}
      onClick={(event) => {
        if (inactive) return event.preventDefault();
        if (edits) scope?.setTyped(true);
        return onClick?.(event);
      }}
    >
      {icon && <Icon name={icon} />}
      {children}
      {refused && <span className="unseen"> ({refused})</span>}
    </button>
  );
}
