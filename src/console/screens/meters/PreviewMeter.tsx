import { useState } from 'react';
import { CombinedError } from 'urql';
import { useClock } from '../../data/clock.tsx';
import { readProblem, type Problem } from '../../data/errors.ts';
import { dayMs } from '../../data/periods.ts';
import { Button } from '../../design/Button.tsx';
import { ProblemNote } from '../../design/Feedback.tsx';
import { useFormat } from '../../texts/format.ts';
import { useTexts } from '../../texts/language.tsx';
import { texts } from './texts.ts';

const previewedDays = 30;

/** What a meter would have counted. */
export interface Previewed {
  value: string;
  events: number;
  uncounted: number;
}

interface PreviewMeterProps {
  /** Returns what would have been counted in a span. */
  load: (span: { from: string; until: string }) => Promise<Previewed | null | undefined>;
}

/** A button that shows what a meter would have counted of the events of the last days, before it is made. */
export function PreviewMeter({ load }: PreviewMeterProps) {
  const t = useTexts(texts);
  const format = useFormat();
  const clock = useClock();
  const [busy, setBusy] = useState(false);
  const [shown, setShown] = useState<{ preview?: Previewed; problem?: Problem }>();
  const show = async () => {
    // Whole days of UTC are whole quarters of an hour in every zone.
    const end = (Math.floor(clock / dayMs) + 1) * dayMs;
    const [from, until] = [end - previewedDays * dayMs, end].map((at) => new Date(at).toISOString());
    setBusy(true);
    try {
      const preview = await load({ from: from!, until: until! });
      setShown(preview ? { preview } : {});
    } catch (error) {
      if (!(error instanceof CombinedError)) throw error;
      setShown({ problem: readProblem(error) });
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="stack">
      <div>
        <Button busy={busy} onClick={() => void show()}>
          {t.preview}
        </Button>
      </div>
      {shown?.problem && <ProblemNote problem={shown.problem} />}
      <p role="status">
        {shown?.preview &&
          t.previewed(
            format.number(Number(shown.preview.value), { maximumFractionDigits: 12 }),
            format.number(shown.preview.events),
            format.number(shown.preview.uncounted),
          )}
      </p>
    </div>
  );
}
