import type { Settings } from './query.ts';

/** The fields of the seller as they are: a change of one replaces all. */
export const keepSeller = ({ logoId: _, ...seller }: NonNullable<Settings['seller']>) => seller;
