import { KeyIndex } from '../read/key-index.js';

/** Which lines are in a set: a bit for each. */
class LineSet {
  #bytes = new Uint8Array(1024);

  set(line: number, isIn: boolean): void {
    const at = line >>> 3;
    if (at >= this.#bytes.length) {
      if (!isIn) return;
      const longer = new Uint8Array(2 * at);
      longer.set(this.#bytes);
      this.#bytes = longer;
    }
    const [byte = 0, bit] = [this.#bytes[at], 1 << (line & 7)];
    this.#bytes[at] = isIn ? byte | bit : byte & ~bit;
  }

  has(line: number): boolean {
    return ((this.#bytes[line >>> 3] ?? 0) & (1 << (line & 7))) !== 0;
  }
}

/**
 * The people whose rows were not rejected, and their courses, in about 14 bytes each: on several lines of a file one person is
 * one account. A batch may be decided again with another result: what counts is what was said last of a line.
 */
export class AcceptedPeople {
  readonly #first = new KeyIndex();
  readonly #lines = new LineSet();

  /** Whether a row was not rejected. */
  hasLine(line: number): boolean {
    return this.#lines.has(line);
  }

  setLine(line: number, isAccepted: boolean): void {
    this.#lines.set(line, isAccepted);
  }

  /** Notes the person of an accepted row, and courses that it enrolls in. */
  note(line: number, email: string, courses: readonly string[] = []): void {
    for (const key of [email, ...courses.map((course) => `${email} ${course}`)]) {
      const seen = this.#first.firstLine(key, line);
      if (seen !== undefined && seen < line && !this.#lines.has(seen)) this.#first.move(key, line);
    }
  }

  /** The line before this one that has the person. */
  lineOf(email: string, before: number): number | undefined {
    const line = this.#first.lineOf(email);
    return line !== undefined && line < before && this.#lines.has(line) ? line : undefined;
  }

  /** Whether a line before this one enrolls the person in the course. */
  isEnrolled(email: string, course: string, before: number): boolean {
    return this.lineOf(`${email} ${course}`, before) !== undefined;
  }
}
