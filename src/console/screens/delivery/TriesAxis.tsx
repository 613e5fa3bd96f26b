import { useFormat } from '../../texts/format.ts';
import './tries.css';

interface Try {
  at: string;
  statusCode: number | null;
}

const width = 600;
const margin = 12;

/** The tries on a time axis: a full mark for one that arrived, a ring for one that did not. */
export function TriesAxis({ attempts, label }: { attempts: Try[]; label: string }) {
  const format = useFormat();
  const times = attempts.map(({ at }) => Date.parse(at));
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const place = (at: string) =>
    margin + ((Date.parse(at) - first) / Math.max(1, last - first)) * (width - 2 * margin);
  return (
    <svg className="tries" viewBox={`0 0 ${width} 40`} role="img" aria-label={label}>
      <line x1={margin} x2={width - margin} y1="20" y2="20" />
      {attempts.map(({ at, statusCode }) => (
        <circle
          key={at}
          cx={place(at)}
          cy="20"
          r="5"
          className={statusCode !== null && statusCode < 300 ? 'good' : 'bad'}
        >
          <title>{`${format.dateTime(at)} ${statusCode ?? ''}`}</title>
        </circle>
      ))}
    </svg>
  );
}
