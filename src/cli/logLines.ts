/** What a record of the log may hold of what a person wants to see. */
interface LogRecord {
  time?: string;
  level?: string;
  msg?: string;
  method?: string;
  route?: string | null;
  operation?: string;
  status?: number;
  code?: number;
  durationMs?: number;
  tenant?: string;
  failure?: string;
  err?: { type?: string; message?: string };
  [other: string]: unknown;
}

const colourCodes = { dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 };
type Paint = (text: string, colour: keyof typeof colourCodes) => string;

/**
 * Makes a record of the log (a line of JSON) one short line for a person: the time, then either the request with its
 * status, duration and tenant, or how bad it is and what has happened, with the reason. Answers a function of the line.
 */
export function createLogLines(coloured: boolean): (line: string) => string {
  const paint: Paint = coloured
    ? (text, colour) => `\x1b[${colourCodes[colour]}m${text}\x1b[0m`
    : (text) => text;
  return (line) => {
    const record = JSON.parse(line) as LogRecord;
    const { time, level, method, failure, err, tenant } = record;
    const words = [
      paint(time === undefined ? '' : new Date(time).toTimeString().slice(0, 8), 'dim'),
      ...severity(level, paint),
      ...(method === undefined ? happening(record) : request(record, paint)),
      ...(tenant === undefined ? [] : [paint(plain(tenant), 'cyan')]),
      ...[failure ?? err?.message ?? []].flat().map((reason) => plain(`(${reason})`)),
    ];
    return `${words.filter((word) => word !== '').join(' ')}\n`;
  };
}

function severity(level: string | undefined, paint: Paint): string[] {
  if (level === 'warn') return [paint('warning', 'yellow')];
  return level === 'error' || level === 'fatal' ? [paint(level, 'red')] : [];
}

function request({ method, route, operation, status, code, durationMs }: LogRecord, paint: Paint): string[] {
  const answered = status ?? code;
  return [
    plain(method!),
    route == null ? paint('unknown', 'dim') : plain(route),
    plain(operation ?? ''),
    answered === undefined ? '' : paint(String(answered), colourOfStatus(answered)),
    durationMs === undefined ? '' : paint(`${duration(durationMs)} ms`, 'dim'),
  ];
}

function colourOfStatus(status: number): keyof typeof colourCodes {
  if (status >= 500) return 'red';
  return status >= 400 ? 'yellow' : 'green';
}

const duration = (milliseconds: number) =>
  milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds);

const known = new Set(['time', 'level', 'msg', 'reqId', 'tenant', 'failure', 'err']);

/** What has happened, and how much of it. */
function happening(record: LogRecord): string[] {
  const others = Object.entries(record).filter(([name]) => !known.has(name));
  return [
    plain(record.msg ?? ''),
    ...others.map(([name, value]) =>
      plain(`${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`),
    ),
  ];
}

/** Text from elsewhere may hold what would command the terminal, or begin another line. */
const plain = (text: string) => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
