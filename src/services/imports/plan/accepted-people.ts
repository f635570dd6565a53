import { KeyIndex } from '../read/rows/key-index.js';

/**
 * The people of accepted rows, with their courses and groups, in about 14 bytes each, plus one byte for each line. A person on several
 * lines is one account. A batch may be decided again with another result: the last result of a line counts.
 */
export class AcceptedPeople {
  readonly #first = new KeyIndex();
  /** 1 for the line of an accepted row, otherwise 0. */
  #lines = new Uint8Array(1024);

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

  /** Adds the person of an accepted row, the courses in which the row enrolls the person, and the keys of the row's groups. */
  addPerson(line: number, email: string, courses: readonly string[] = [], groups: readonly string[] = []): void {
    const lists = [
      ...courses.map((course) => `${email} ${course}`),
      ...groups.map((group) => `${email} group ${group}`),
    ];
    for (const key of [email, ...lists]) {
      const seen = this.#first.recordLine(key, line);
      if (seen !== undefined && seen < line && !this.isAccepted(seen)) this.#first.move(key, line);
    }
  }

  /** Returns the line before this one that has the person, if any. */
  lineOf(email: string, before: number): number | undefined {
    const line = this.#first.lineOf(email);
    return line !== undefined && line < before && this.isAccepted(line) ? line : undefined;
  }

  /** Whether a line before this one enrolls the person in the course. */
  isEnrolled(email: string, course: string, before: number): boolean {
    return this.lineOf(`${email} ${course}`, before) !== undefined;
  }

  /** Whether a line before this one adds the person to the group. */
  isInGroup(email: string, group: string, before: number): boolean {
    return this.lineOf(`${email} group ${group}`, before) !== undefined;
  }
}
