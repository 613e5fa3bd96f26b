import { useEventSentence, type EventLike } from '../events/sentence.ts';
import { When } from './Values.tsx';
import './Timeline.css';

/** Something that happened, as `Trace` has it. */
interface TimelineEntry extends EventLike {
  id: string;
  createdAt: string;
}

/** What happened, in sentences, the newest first. */
export function Timeline({ entries }: { entries: TimelineEntry[] }) {
  const write = useEventSentence();
  return (
    <ol className="timeline">
      {entries.map((entry) => {
        const { sentence, actor } = write(entry);
        return (
          <li key={entry.id}>
            <span className="timeline-text">
              {sentence} <span className="soft">{actor}</span>
            </span>
            <small className="soft">
              <When at={entry.createdAt} as="time" />
            </small>
          </li>
        );
      })}
    </ol>
  );
}
