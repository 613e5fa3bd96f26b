import {
  useId,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
} from 'react';
import './Field.css';

export interface FrameProps {
  label: string;
  /** A sentence that helps, below the field. */
  hint?: ReactNode;
  /** Why the value was refused. */
  problem?: string | undefined;
  /** Shows the label to screen readers only. */
  compact?: boolean | undefined;
}

/** Returns the attributes of a control, and a function that puts it between its label and its hints. */
export function useFrame({ label, hint, problem, compact }: FrameProps) {
  const id = useId();
  const described = [hint ? `${id}-hint` : '', problem ? `${id}-problem` : ''].filter(Boolean).join(' ');
  const wrap = (control: ReactNode) => (
    <div className="field">
      <label htmlFor={id} className={compact ? 'unseen' : 'field-label'}>
        {label}
      </label>
      {control}
      {hint && (
        <small id={`${id}-hint`} className="soft">
          {hint}
        </small>
      )}
      {problem && (
        <small id={`${id}-problem`} className="field-problem" role="alert">
          {problem}
        </small>
      )}
    </div>
  );
  const attributes = {
    id,
    'aria-describedby': described || undefined,
    'aria-invalid': problem ? true : undefined,
  };
  return { wrap, attributes };
}

/** A field of one line. */
export function Field(props: FrameProps & InputHTMLAttributes<HTMLInputElement>) {
  const { label, hint, problem, compact, ...input } = props;
  const { wrap, attributes } = useFrame({ label, hint, problem, compact });
  return wrap(<input className="input" autoComplete="off" {...input} {...attributes} />);
}

/** A field of several lines. */
export function TextArea(props: FrameProps & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  const { label, hint, problem, compact, ...input } = props;
  const { wrap, attributes } = useFrame({ label, hint, problem, compact });
  return wrap(<textarea className="input" rows={4} {...input} {...attributes} />);
}

export interface Choice {
  value: string;
  label: string;
}

/** A choice of a few. */
export function Select(props: FrameProps & SelectHTMLAttributes<HTMLSelectElement> & { choices: Choice[] }) {
  const { label, hint, problem, compact, choices, ...select } = props;
  const { wrap, attributes } = useFrame({ label, hint, problem, compact });
  return wrap(
    <select className="input" {...select} {...attributes}>
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
    </select>,
  );
}

/** Fields beside each other, where there is room. */
export const FieldRow = ({ children }: { children: ReactNode }) => (
  <div className="field-row">{children}</div>
);

/** Something that is on or off. */
export function Checkbox({
  label,
  hint,
  ...input
}: { label: string; hint?: string } & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  return (
    <div className="checkbox">
      <input type="checkbox" {...input} id={id} aria-describedby={hint ? `${id}-hint` : undefined} />
      <label htmlFor={id}>{label}</label>
      {hint && (
        <small id={`${id}-hint`} className="soft">
          {hint}
        </small>
      )}
    </div>
  );
}
