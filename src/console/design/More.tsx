import type { ReactNode } from 'react';
import './More.css';

interface MoreProps {
  label: string;
  /** Whether it opens by itself, for example to show a problem with one of its fields. */
  isOpen?: boolean;
  children: ReactNode;
}

/** Further fields of a form, or further facts, behind a word that opens them. */
export const More = ({ label, isOpen = false, children }: MoreProps) => (
  <details className="more" open={isOpen || undefined}>
    <summary>{label}</summary>
    <div className="stack">{children}</div>
  </details>
);
