import { tooLarge } from './problem.js';

/** Maximum elements of all parts. The largest sheet has fewer; parsing as many empty elements takes about 15 seconds. */
const maxElements = 40_000_000;
/** Maximum characters of all cells. Many cells can refer to one text, which takes no space in the file. */
const maxCharacters = 256 * 1024 * 1024;
/** Maximum repeated cells: a file of a few bytes could fill whole sheets. */
const maxRepeatedCells = 5_000_000;

/** A limit against a small file that causes much work. */
export class WorkLimit {
  count = 0;

  /** @param exceeded describes the fault of a workbook above the limit */
  constructor(
    public max: number,
    readonly exceeded: (most: number) => string,
  ) {}

  /** @throws WorkbookProblem */
  add(count: number): void {
    this.count += count;
    if (this.count > this.max) throw tooLarge(this.exceeded(this.max));
  }
}

/** Limits of the work on an open workbook, counted over all reads of its parts. */
export interface WorkLimits {
  readonly elements: WorkLimit;
  /** Characters of cells, including discarded ones. */
  readonly characters: WorkLimit;
  readonly repeatedCells: WorkLimit;
}

export const newWorkLimits = (): WorkLimits => ({
  elements: new WorkLimit(maxElements, (most) => `it has more than ${most} elements`),
  characters: new WorkLimit(maxCharacters, (most) => `its cells have more than ${most} characters`),
  repeatedCells: new WorkLimit(maxRepeatedCells, (most) => `it repeats more than ${most} cells`),
});
