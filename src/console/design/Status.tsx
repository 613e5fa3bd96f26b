import './Status.css';

export type Tone = 'neutral' | 'good' | 'waiting' | 'late' | 'bad';

/** A status: a word with a dot. The colour only repeats what the word says. */
export function Status({ tone, children }: { tone: Tone; children: string }) {
  return <span className={`status ${tone}`}>{children}</span>;
}
