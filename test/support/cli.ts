import { Readable } from 'node:stream';
import { run } from '../../src/cli/program.ts';

export interface Said {
  code: number;
  out: string;
  err: string;
  /** The JSON of the last line of `out`. */
  json: any;
}

/** Runs a command in this process, on a database, with or without a terminal. */
export async function perennial(
  database: string | undefined,
  args: string[],
  env: Record<string, string> = {},
  isTerminal = false,
): Promise<Said> {
  const said = { out: '', err: '' };
  const code = await run(args, {
    out: (text) => void (said.out += text),
    err: (text) => void (said.err += text),
    openInput: () => Readable.from([]),
    env: { ...(database && { PERENNIAL_DATABASE: database }), ...env },
    isTerminal,
    program: 'perennial',
    runSelf: () => Promise.resolve(''),
    waitForStop: () => Promise.resolve(),
  });
  const last = said.out.trim().split('\n').at(-1)!;
  return { code, ...said, json: last.startsWith('{') ? JSON.parse(last) : undefined };
}
