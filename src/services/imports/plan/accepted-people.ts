import { KeyIndex } from '../read/rows/key-index.js';

/**
 * The people whose rows were not rejected, and their courses, in about 14 bytes each, and a byte a line: on several lines of a file one person is
 * one account. A batch may be decided again with another result: the last result of a line counts.
 */
export class AcceptedPeople {
  readonly #first = new KeyIndex();
  /** 1 for the lines of accepted rows. */
  #lines = new Uint8Array(1024);

  /** Whether a row was not rejected. */
  isAccepted(line: number): boolean {
    return this.#lines[line] === 1;
  }

  setAccepted(line: number, isAccepted: boolean): void {
    if (line >= this.#lines.length) {
      const shorter = this.#lines;
      this.#lines = new Uint8Array(2 * line);
      this.#lines.set(shorter);
    }
    this.#lines[line] = Number(isAccepted);
  }

  /** Notes the person of an accepted row, and courses that it enrolls in. */
  addPerson(line: number, email: string, courses: readonly string[] = []): void {
    for (const key of [email, ...courses.map((course) => `${email} ${course}`)]) {
      const seen = this.#first.recordLine(key, line);
      if (seen !== undefined && seen < line && !this.isAccepted(seen)) this.#first.move(key, line);
    }
  }

  /** The line before this one that has the person. */
  lineOf(email: string, before: number): number | undefined {
    const line = this.#first.lineOf(email);
    return line !== undefined && line < before && this.isAccepted(line) ? line : undefined;
  }

  /** Whether a line before this one enrolls the person in the course. */
  isEnrolled(email: string, course: string, before: number): boolean {
    return this.lineOf(`${email} ${course}`, before) !== undefined;
  }
}
