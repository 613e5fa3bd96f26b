/** The period of what is told of a limit that no period resets, such as seats. */
const everlasting = '1970-01-01T00:00:00.000Z';

/** Returns the beginning of the period in which each share of a limit is told once; that of a limit that no period resets is null. */
export const findAlertPeriod = (periodStart: string | null): string => periodStart ?? everlasting;
