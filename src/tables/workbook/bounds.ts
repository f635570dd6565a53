import { tooLarge } from './problem.js';

/** Elements of all parts at most: the largest sheet has fewer, and so many empty ones take a quarter of a minute. */
const maxElements = 40_000_000;
/** Characters of all cells at most, also of blank ones: a text that many cells name, or that is repeated, takes no room in the file. */
const maxCharacters = 256 * 1024 * 1024;
/** Cells that are made of repeated ones, at most: a file of some bytes could fill sheets. */
const maxRepeatedCells = 5_000_000;

/** A bound of work that a file of some bytes can ask for. */
export class Bound {
  count = 0;

  /** @param exceeded the fault of a workbook with more */
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

/** Work on a workbook while it is open, however often a part of it is read. */
export interface Work {
  /** Parsed elements. */
  readonly elements: Bound;
  /** Characters of cells, discarded ones too. */
  readonly characters: Bound;
  readonly repeatedCells: Bound;
}

/** The bounds of an open workbook. */
export const newWork = (): Work => ({
  elements: new Bound(maxElements, (most) => `it has more than ${most} elements`),
  characters: new Bound(maxCharacters, (most) => `its cells have more than ${most} characters`),
  repeatedCells: new Bound(maxRepeatedCells, (most) => `it repeats more than ${most} cells`),
});
