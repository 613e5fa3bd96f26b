/** Returns the instant at which a month begins in a time zone; `offset` 0 is the month of `now`, -1 the one before. */
export function findMonthStart(now: number, zone: string, offset: number): string {
  const [year, month] = readLocal(now, zone);
  const wanted = Date.UTC(year!, month! - 1 + offset, 1);
  // Twice: the first step may cross a change of the clocks.
  const guess = wanted - getOffsetMs(wanted, zone);
  return new Date(wanted - getOffsetMs(guess, zone)).toISOString();
}

/** How far the local time is ahead of UTC. */
function getOffsetMs(instant: number, zone: string): number {
  const [year, month, day, hour, minute, second] = readLocal(instant, zone);
  return Date.UTC(year!, month! - 1, day!, hour!, minute!, second!) - Math.floor(instant / 1000) * 1000;
}

function readLocal(instant: number, zone: string): number[] {
  const parts = new Intl.DateTimeFormat('en-u-ca-iso8601-nu-latn', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(new Date(instant));
  const find = (type: string) => Number(parts.find((part) => part.type === type)!.value);
  return ['year', 'month', 'day', 'hour', 'minute', 'second'].map(find);
}
