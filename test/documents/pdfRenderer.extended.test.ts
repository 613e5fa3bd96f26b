/** The thread that renders PDFs: its queue, its limits, and what follows a document that it cannot render. */
import { beforeAll, describe, expect, it } from 'vitest';
import { createPdfRenderer } from '../../src/documents/pdfRenderer.ts';
import type { DocumentRecord } from '../../src/documents/record.ts';
import { isLong } from '../support/sample.ts';
import { buildDocuments, readPdf } from './pdfFile.ts';
import { plainRecord, withLines } from './records.ts';

beforeAll(() => buildDocuments());

// Takes far longer to render than the limit below.
const longLines = isLong ? 500 : 60;
const long = withLines(
  Array.from({ length: longLines }, (_, index) => ({ description: `Service ${index}` })),
);

describe('the thread', () => {
  const unavailable = { reason: 'unavailable' };

  it('renders one after another, each its own document', async () => {
    const renderer = createPdfRenderer();
    const records = Array.from({ length: isLong ? 30 : 4 }, (_, index) => ({
      ...plainRecord,
      number: `N-${index}`,
    }));
    const files = await Promise.all(records.map((record) => renderer.render({ record })));
    const titles = await Promise.all(files.map(async (bytes) => (await readPdf(bytes)).pages[0]));
    for (const [index, text] of titles.entries()) expect(text).toMatch(new RegExp(`N-${index}\\D`));
    await renderer.close();
  });

  it('refuses more than its queue holds', async () => {
    const renderer = createPdfRenderer({ largestQueue: 2 });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 10 }, () => renderer.render({ record: plainRecord })),
    );
    const refused = outcomes.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    expect(refused).toHaveLength(7);
    for (const { reason } of refused) expect(reason).toMatchObject(unavailable);
    await renderer.close();
  });

  it('gives up what takes too long, and renders the next', async () => {
    const renderer = createPdfRenderer({ limitMs: 5 });
    await expect(renderer.render({ record: long })).rejects.toMatchObject(unavailable);
    await expect(renderer.render({ record: long })).rejects.toMatchObject(unavailable);
    await renderer.close();
    const patient = createPdfRenderer();
    expect((await patient.render({ record: long })).length).toBeGreaterThan(longLines * 200);
    await patient.close();
  });

  it('reports a record that it cannot render, and renders the next', async () => {
    const renderer = createPdfRenderer();
    const broken = { ...plainRecord, lines: null } as unknown as DocumentRecord;
    const [failed, next] = await Promise.allSettled([
      renderer.render({ record: broken }),
      renderer.render({ record: plainRecord }),
    ]);
    expect(failed).toMatchObject({
      status: 'rejected',
      reason: { message: /A document was not rendered: TypeError/ },
    });
    expect(next.status).toBe('fulfilled');
    await renderer.close();
  });

  it('starts again after it has ended for lack of memory', async () => {
    const renderer = createPdfRenderer({ largestHeapMb: 24 });
    const huge = withLines(Array.from({ length: 20_000 }, () => ({ details: ['x'.repeat(50)] })));
    const [failed, next] = await Promise.allSettled([
      renderer.render({ record: huge }),
      renderer.render({ record: plainRecord }),
    ]);
    expect(failed).toMatchObject({ status: 'rejected', reason: unavailable });
    expect(next.status).toBe('fulfilled');
    await renderer.close();
  });

  it('ends when it has no work, and starts again', async () => {
    const renderer = createPdfRenderer({ idleMs: 1 });
    const first = await renderer.render({ record: plainRecord });
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
    expect((await renderer.render({ record: plainRecord })).equals(first)).toBe(true);
    await renderer.close();
  });

  it('refuses what waits when it is closed', async () => {
    const renderer = createPdfRenderer();
    const outcomes = Promise.allSettled([
      renderer.render({ record: long }),
      renderer.render({ record: long }),
    ]);
    await renderer.close();
    for (const outcome of await outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: unavailable });
  });
});
