/** What a browser knows of time zones and of its country. */
import type { Choice } from '../../design/Field.tsx';

/** Returns the time zones, with that of the browser among them. */
export const listTimeZones = (): Choice[] =>
  [...new Set(['UTC', findTimeZone(), ...Intl.supportedValuesOf('timeZone')])].map((value) => ({
    value,
    label: value,
  }));

/** Returns the time zone of the browser. */
export const findTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Returns the country of the browser's first language that names one; '' without. */
export const guessCountry = (): string =>
  navigator.languages.map((tag) => new Intl.Locale(tag).region).find((region) => region !== undefined) ?? '';
