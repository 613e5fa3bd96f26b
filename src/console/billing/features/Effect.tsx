import { Note } from '../../design/Feedback.tsx';
import { Select } from '../../design/Field.tsx';
import type { Form } from '../../design/form.ts';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import type { ChangeCounts } from './queries.ts';
import { texts } from './texts.ts';

/** When a change of a product reaches who subscribes already. */
export type Reach = 'now' | 'next_period';

/** Chooses when a change reaches who subscribes already. */
export function ReachField({ bind }: Pick<Form<{ reach: Reach }>, 'bind'>) {
  const t = useTexts(texts);
  return (
    <Select
      label={t.reach}
      choices={[
        { value: 'now', label: t.reach_now },
        { value: 'next_period', label: t.reach_next_period },
      ]}
      {...bind('reach')}
    />
  );
}

/** Says how many customers gain and lose by a change. */
export function Effect({ counts }: { counts: ChangeCounts | null | undefined }) {
  const t = useTexts(texts);
  const format = useFormat();
  if (!counts) return null;
  const { gaining, losing, changing, unchanged } = counts;
  const [gain, lose, other, same] = [gaining, losing, changing, unchanged].map((each) => format.number(each));
  return <Note tone={losing > 0 ? 'late' : 'neutral'}>{t.effect(gain!, lose!, other!, same!)}</Note>;
}
