import { createContext, useContext } from 'react';

/** The time by which screens say "in 3 days": that of the tenant, whose test clock may be ahead. */
export const ClockContext = createContext<number | undefined>(undefined);

/** Returns the tenant's time in milliseconds since 1970. */
export const useClock = (): number => useContext(ClockContext) ?? readMachineClock();

/** Returns the time of this machine in milliseconds since 1970. */
export const readMachineClock = (): number => Date.now();
