import { prettyFactory } from 'pino-pretty';

/** The fields of a log record that a line shows. */
interface LogRecord {
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
  err?: { message?: string };
  [other: string]: unknown;
}

type Paint = (text: string | number) => string;
type Colours = Record<'gray' | 'red' | 'green' | 'yellow', Paint>;

/**
 * Returns a function that formats a log record (a line of JSON) as one short line for a terminal: the time, then
 * either the request with its status, duration and tenant, or the message with its fields and the reason.
 */
export function createLogLines(coloured: boolean): (line: string) => string {
  return prettyFactory({
    colorize: coloured,
    translateTime: 'SYS:HH:MM:ss',
    hideObject: true,
    messageFormat: (record, _key, _label, { colors }) => formatMessage(record, colors),
  });
}

function formatMessage(record: LogRecord, colours: Colours): string {
  const { method, failure, err, tenant } = record;
  const words = [
    ...(method === undefined ? describeEvent(record) : describeRequest(record, colours)),
    replaceControlCharacters(tenant ?? ''),
    ...[failure ?? err?.message ?? []].flat().map((reason) => replaceControlCharacters(`(${reason})`)),
  ];
  return words.filter((word) => word !== '').join(' ');
}

function describeRequest(
  { method, route, operation, status, code, durationMs }: LogRecord,
  colours: Colours,
) {
  const answered = status ?? code;
  return [
    replaceControlCharacters(method!),
    route == null ? colours.gray('unknown') : replaceControlCharacters(route),
    replaceControlCharacters(operation ?? ''),
    answered === undefined ? '' : colours[pickColour(answered)](answered),
    durationMs === undefined ? '' : colours.gray(`${formatDuration(durationMs)} ms`),
  ];
}

function pickColour(status: number): keyof Colours {
  if (status >= 500) return 'red';
  return status >= 400 ? 'yellow' : 'green';
}

const formatDuration = (ms: number) => (ms < 10 ? ms.toFixed(1) : Math.round(ms));

const shownElsewhere = new Set(['time', 'level', 'msg', 'reqId', 'tenant', 'failure', 'err']);

function describeEvent(record: LogRecord): string[] {
  const others = Object.entries(record).filter(([name]) => !shownElsewhere.has(name));
  return [
    replaceControlCharacters(record.msg ?? ''),
    ...others.map(([name, value]) =>
      replaceControlCharacters(`${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`),
    ),
  ];
}

/** Replaces control characters, which could move the cursor or start another line. */
const replaceControlCharacters = (text: string) => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
