import { createContext, useContext } from 'react';

/** The time zone in which the screens show times: the tenant's. */
export const ZoneContext = createContext('UTC');

/** Returns the time zone in which to show times. */
export const useZone = (): string => useContext(ZoneContext);
