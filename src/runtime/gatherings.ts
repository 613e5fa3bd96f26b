/** Performs what several requests want at the same time as one piece of work, such as the recording of single events. */

/** What one of the requests wants. */
interface Wish<Input> {
  input: Input;
  /** How much of the piece it takes. */
  size: number;
  /** How much a piece may have. */
  most: number;
  /** Whether an error is that of all inputs, such as an outage, and not the fault of one. */
  isOfAll: (error: unknown) => boolean;
}

/**
 * Performs a piece, and returns a result for each input. It calls `begin` when it has its turn, which returns the inputs: from then
 * on nobody joins. It may call it again to repeat all of it.
 */
type Perform<Input, Result> = (begin: () => readonly Input[]) => Promise<readonly Result[]>;

export interface Gatherings {
  /** Performs an input, together with others of the key that wait; `perform` does the same for all of a key. */
  join: <Input, Result>(key: string, wish: Wish<Input>, perform: Perform<Input, Result>) => Promise<Result>;
}

interface Gathering {
  inputs: unknown[];
  size: number;
  results: Promise<readonly unknown[]>;
}

/** The longest time a gathering waits for others before it asks for its turn. */
const gatherMs = 2;

/** Creates gatherings: of each key at most one is open for further inputs. */
export function createGatherings(): Gatherings {
  const open = new Map<string, Gathering>();

  const start = (key: string, most: number, perform: Perform<unknown, unknown>): Gathering => {
    const inputs: unknown[] = [];
    const gathering: Gathering = { inputs, size: 0, results: Promise.resolve([]) };
    const close = () => {
      if (open.get(key) === gathering) open.delete(key);
      return inputs;
    };
    open.set(key, gathering);
    gathering.results = Promise.resolve()
      .then(() => waitForMore(gathering, most))
      .then(() => perform(close))
      .finally(close);
    return gathering;
  };

  return {
    join: async <Input, Result>(
      key: string,
      { input, size, most, isOfAll }: Wish<Input>,
      perform: Perform<Input, Result>,
    ): Promise<Result> => {
      const alone = async () => (await perform(() => [input]))[0]!;
      if (size >= most) return alone();
      const known = open.get(key);
      const gathering =
        known && known.size + size <= most ? known : start(key, most, perform as Perform<unknown, unknown>);
      gathering.size += size;
      const index = gathering.inputs.push(input) - 1;
      try {
        return (await gathering.results)[index] as Result;
      } catch (error) {
        if (gathering.inputs.length === 1 || isOfAll(error)) throw error;
        return alone();
      }
    },
  };
}

/** Waits as long as each event-loop turn brings more. On SQLite nobody comes during a commit, but many come after it. */
async function waitForMore(gathering: Gathering, most: number): Promise<void> {
  const untilMs = performance.now() + gatherMs;
  let size;
  do {
    size = gathering.size;
    await new Promise((resolve) => void setImmediate(resolve));
  } while (gathering.size > size && gathering.size < most && performance.now() < untilMs);
}
