/** Reads taxed documents in the order of issue, which no single index has, and stops when no more are needed. */
import type { Scan } from '../../storage/scan.ts';
import {
  readInvoicesIssuedAtOnce,
  readInvoicesIssuedLater,
  readTaxedNotes,
  type Period,
  type Reading,
  type TaxedDocument,
} from './taxedDocuments.ts';
import { compareText } from './taxTerms.ts';

/** What to read: the periods in ascending order, and which of their documents. */
interface MergedReading extends Reading {
  direction: 'asc' | 'desc';
  invoices: readonly Period[];
  notes: readonly Period[];
  matches: (document: TaxedDocument) => boolean;
  /** Returns those of the matching documents that are wanted, where this has to be read. */
  keep: (documents: TaxedDocument[]) => Promise<TaxedDocument[]>;
}

type Reader = typeof readTaxedNotes;

/** Iterates over the documents in order. Three indexes are read in step. Error: `query_timeout`. */
export async function* mergeDocuments(
  scan: Scan,
  { invoices, notes, matches, keep, ...reading }: MergedReading,
): AsyncGenerator<TaxedDocument> {
  const readers: [Reader, readonly Period[]][] = [
    [readInvoicesIssuedAtOnce, invoices],
    [readInvoicesIssuedLater, invoices],
    [readTaxedNotes, notes],
  ];
  const streams = readers.map(
    ([read, periods]) =>
      new Stream(readPeriods(scan, read, periods, reading), (some) => keep(some.filter(matches))),
  );
  const sign = reading.direction === 'asc' ? 1 : -1;
  for (;;) {
    let next: Stream | undefined;
    for (const stream of streams) {
      if (stream.isUsedUp) await stream.readOn();
      if (!stream.first) continue;
      if (!next?.first || sign * compareIssue(stream.first, next.first) < 0) next = stream;
    }
    if (!next?.first) return;
    yield next.first;
    next.skip();
  }
}

const compareIssue = (a: TaxedDocument, b: TaxedDocument): number =>
  compareText(a.issuedAt, b.issuedAt) || compareText(a.id, b.id);

/** Reads periods one after another, from where the reading begins. */
async function* readPeriods(
  scan: Scan,
  read: Reader,
  periods: readonly Period[],
  reading: Omit<MergedReading, 'invoices' | 'notes' | 'matches' | 'keep'>,
): AsyncGenerator<TaxedDocument[]> {
  const [at] = reading.past ?? [];
  const isAscending = reading.direction === 'asc';
  const isLeft = ({ from, before }: Period) => at === undefined || (isAscending ? before > at : from <= at);
  const left = periods.filter(isLeft);
  for (const period of isAscending ? left : left.toReversed()) yield* read(scan, period, reading);
}

/** The matching documents of one index, of which a step is in memory. */
class Stream {
  private found: TaxedDocument[] = [];
  private at = 0;
  private isAtEnd = false;

  constructor(
    private readonly steps: AsyncGenerator<TaxedDocument[]>,
    private readonly keep: (documents: TaxedDocument[]) => Promise<TaxedDocument[]>,
  ) {}

  /** Whether a further step has to be read to know the first document. */
  get isUsedUp(): boolean {
    return this.at === this.found.length && !this.isAtEnd;
  }

  /** The next document; undefined at the end. */
  get first(): TaxedDocument | undefined {
    return this.found[this.at];
  }

  skip(): void {
    this.at += 1;
  }

  async readOn(): Promise<void> {
    while (this.isUsedUp) {
      const step = await this.steps.next();
      this.isAtEnd = step.done === true;
      this.found = step.done ? [] : await this.keep(step.value);
      this.at = 0;
    }
  }
}
