import { inputFields } from '../../../../schemas/account-fields.js';
import type { ImportedPerson } from '../../../../schemas/imported-person.js';
import type { PhoneKeys } from '../../../../schemas/phone-keys.js';
import { KeyIndex } from './key-index.js';

/** Fields that are equal in all rows about the same person. The phone is missing here, because rows may omit it. */
const identifying = [
  ...inputFields('import').filter((field) => field !== 'phone'),
  'password',
  'passwordHash',
] as const;

/** Reasons why rows are repetitions, by line. An empty reason means the same person with other courses or groups. */
export type Repetitions = ReadonlyMap<number, string>;

/** Maximum number of remembered repetitions; a file with more keeps none. */
const maxRepetitions = 20_000;

/** Finds rows that repeat an email or phone of an earlier row. */
export class RepetitionFinder {
  readonly #emails = new KeyIndex();
  readonly #phones = new KeyIndex();
  /** People, and people with their courses and groups; only for a file with such a column. */
  readonly #people: KeyIndex | undefined;
  readonly #keyOf: PhoneKeys['keyOf'];
  readonly #known: Repetitions | undefined;
  readonly #found = new Map<number, string>();

  /** @param known repetitions that an earlier reading of the same file found: then no keys are kept in memory */
  constructor({ keyOf }: PhoneKeys, hasLists: boolean, known: Repetitions | undefined) {
    this.#keyOf = keyOf;
    this.#people = hasLists ? new KeyIndex() : undefined;
    this.#known = known;
  }

  /** Returns the repetitions; undefined if there are too many. */
  get all(): Repetitions | undefined {
    return this.#known ?? (this.#found.size < maxRepetitions ? this.#found : undefined);
  }

  /**
   * Returns why a row is a repetition, or undefined. The reason is empty for the same person with other courses or groups.
   * @param isDoubtful whether the row may be rejected later: then a later row with the same email is no repetition
   */
  find(line: number, person: ImportedPerson, isDoubtful: boolean): string | undefined {
    if (this.#known) return this.#known.get(line);
    const isSamePerson = this.#isSamePerson(line, person);
    const reason = isSamePerson ? '' : isDoubtful ? undefined : this.#repeatedKeys(line, person);
    if (reason !== undefined && this.#found.size < maxRepetitions) this.#found.set(line, reason);
    return reason;
  }

  /** Whether an earlier line has the same person, and none has the same person with these courses and groups. */
  #isSamePerson(line: number, person: ImportedPerson): boolean {
    if (!this.#people) return false;
    const { email, phone, course, otherCourses, groups } = person;
    const personKey = JSON.stringify(identifying.map((field) => person[field]));
    const firstLine = this.#people.recordLine(personKey, line);
    const sameEmail = this.#emails.lineOf(email);
    const samePhone = phone === undefined ? sameEmail : this.#phones.lineOf(this.#keyOf(phone));
    if (sameEmail !== undefined && (firstLine !== sameEmail || samePhone !== sameEmail)) return false;
    const sameLists = this.#people.recordLine(JSON.stringify([personKey, course, otherCourses, groups]), line);
    if (firstLine === undefined || sameLists !== undefined || (course ?? groups) === undefined) return false;
    // Earlier lines without a phone may not be recorded, because they may be rejected later.
    return sameEmail !== undefined || phone === undefined;
  }

  #repeatedKeys(line: number, { email, phone }: ImportedPerson): string | undefined {
    const sameEmail = this.#emails.recordLine(email, line);
    const samePhone = phone === undefined ? undefined : this.#phones.recordLine(this.#keyOf(phone), line);
    const repeated = [
      ...(sameEmail === undefined ? [] : [`Email is already on line ${sameEmail}.`]),
      ...(samePhone === undefined ? [] : [`Phone is already on line ${samePhone}.`]),
    ];
    return repeated.length === 0 ? undefined : repeated.join(' ');
  }
}
