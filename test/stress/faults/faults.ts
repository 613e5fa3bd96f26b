/** Exports for scripts/stress/torture.mjs, in one bundle. */
export { killAgainAndAgain } from './kills.ts';
export { cutPower } from './powerCut.ts';
export { watchSyncs } from './syncs.ts';
