import {
  useId,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
} from 'react';
import type { Issue } from '../data/errors.ts';
import { useIssueText } from '../texts/problems.ts';
import { useLabel } from './formScope.ts';
import './Field.css';

export interface FrameProps {
  label: string;
  /** A sentence that helps, below the field. */
  hint?: ReactNode;
  /** Why the value was refused: by the server, or in words. */
  problem?: Issue | string | undefined;
  /** Where the server reports what is wrong with the value. */
  path?: string | undefined;
  /** The name of the field in a refusal. Default: the label. */
  labelInProblems?: string | undefined;
  /** Shows the label to screen readers only. */
  compact?: boolean | undefined;
}

/**
 * Returns the attributes of a control, a function that puts it between its label and its hints, and the properties that are the
 * control's own.
 */
export function useFrame<Props extends FrameProps>(props: Props) {
  const { label, hint, problem, path, labelInProblems, compact, ...own } = props;
  const id = useId();
  const explain = useIssueText();
  useLabel(path, labelInProblems ?? label);
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
          {typeof problem === 'string' ? problem : explain(problem)}
        </small>
      )}
    </div>
  );
  const attributes = {
    id,
    'aria-describedby': described || undefined,
    'aria-invalid': problem ? true : undefined,
  };
  return { wrap, attributes, own };
}

/** A field of one line. */
export function Field(props: FrameProps & InputHTMLAttributes<HTMLInputElement>) {
  const { wrap, attributes, own } = useFrame(props);
  return wrap(<input className="input" autoComplete="off" {...own} {...attributes} />);
}

/** A field of several lines. */
export function TextArea(props: FrameProps & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  const { wrap, attributes, own } = useFrame(props);
  return wrap(<textarea className="input" rows={4} {...own} {...attributes} />);
}

export interface Choice {
  value: string;
  label: string;
}

/** A choice of a few. */
export function Select(props: FrameProps & SelectHTMLAttributes<HTMLSelectElement> & { choices: Choice[] }) {
  const { wrap, attributes, own } = useFrame(props);
  const { choices, ...select } = own;
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
  path,
  ...input
}: { label: string; hint?: string; path?: string } & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId();
  useLabel(path, label);
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
