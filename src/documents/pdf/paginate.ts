/** Distributes blocks over pages. */
import { buildSpace, type Band, type Block } from './bands.ts';

/** Bands with their place on a page. */
export interface PlacedBand {
  band: Band;
  y: number;
}

export interface PageOptions {
  top: number;
  bottom: number;
  /** The band at the end of a page within the table, with the sum of the lines so far. */
  buildCarriedOver(carried: string): Band[];
  /** The bands at the start of the next page. */
  buildBroughtForward(carried: string): Band[];
}

const sumHeights = (bands: Band[]) => bands.reduce((total, { height }) => total + height, 0);

/**
 * Returns the bands of each page. A block remains whole, together with the next one if it says so, unless they need more
 * than a page.
 */
export function paginate(blocks: Block[], options: PageOptions): PlacedBand[][] {
  const { top, bottom } = options;
  const pages: PlacedBand[][] = [[]];
  let y = top;
  /** The sum carried while the table continues. */
  let carried: string | undefined;

  const place = (bands: Band[]) => {
    for (const band of bands) {
      pages.at(-1)!.push({ band, y });
      y += band.height;
    }
  };
  const turnPage = (isWithinTable: boolean) => {
    if (isWithinTable && carried !== undefined) place(options.buildCarriedOver(carried));
    pages.push([]);
    y = top;
    if (isWithinTable && carried !== undefined) place(options.buildBroughtForward(carried));
  };
  const reserve = sumHeights(options.buildCarriedOver('0'));

  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index]!;
    const isLine = block.carried !== undefined;
    const limit = isLine ? bottom - reserve : bottom;
    const available = limit - top;
    const [own, group] = [sumHeights(block.bands), sumGroup(blocks, index)];
    const needed = group <= available ? group : own;
    if (y > top && y + block.gapBefore + needed > limit && needed <= available) turnPage(isLine);
    else if (y > top) place([buildSpace(block.gapBefore)]);
    if (y + own <= limit) place(block.bands);
    else {
      for (const band of block.bands) {
        if (y + band.height > limit && y > top) turnPage(isLine);
        place([band]);
      }
    }
    if (isLine) carried = block.carried;
  }
  return pages;
}

/** Returns the height of a block with those that stay on its page. */
function sumGroup(blocks: Block[], index: number): number {
  let height = 0;
  for (let at = index; at < blocks.length; at++) {
    const { bands, gapBefore, withNext } = blocks[at]!;
    height += sumHeights(bands) + (at > index ? gapBefore : 0);
    if (!withNext) break;
  }
  return height;
}
