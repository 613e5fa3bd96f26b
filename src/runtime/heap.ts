import { setFlagsFromString } from 'node:v8';

/**
 * Makes V8 allocate all new objects in the young generation. During its first collections V8 finds objects of requests
 * that wait for a commit alive, and would then allocate objects of those sites in the old generation, with everything
 * they refer to. Call it after the start: V8 rejects cached code that was compiled under other flags.
 */
export function disablePretenuring(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
