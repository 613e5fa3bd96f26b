import './Json.css';

/** A value as JSON, indented. */
export function Json({ value, label }: { value: unknown; label: string }) {
  return (
    <pre className="json" dir="ltr" tabIndex={0} role="region" aria-label={label}>
      {JSON.stringify(value, (key, each: unknown) => (key === '__typename' ? undefined : each), 2)}
    </pre>
  );
}
