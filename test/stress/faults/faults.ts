/** What scripts/stress/torture.mjs needs, in one bundle. */
export { killAgainAndAgain } from './kills.ts';
export { cutPower } from './powerCut.ts';
export { watchSyncs } from './syncs.ts';
