import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the heap of a server small. Left alone, V8 doubles its young generation once more under load, and lets the old
 * one grow to four times what is in use before it collects: 30 MiB, for a hundredth of the processor's time.
 */
export function keepHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=50');
}
