import { expect } from 'chai';
import type { Database } from '../../../../src/db/connection.js';
import { importOptionsSchema } from '../../../../src/schemas/import.js';
import { validate } from '../../../../src/schemas/validate.js';
import { CourseCapacity } from '../../../../src/services/imports/plan/course-index.js';
import { Decider } from '../../../../src/services/imports/plan/decider.js';
import type { CandidateRow } from '../../../../src/services/imports/read/rows.js';
import { buildCourse, buildUser } from '../../../support/factories.js';
import { useImporting } from '../support/importing.js';

interface Gate {
  database: Database;
  /** The next read waits until it is let through. */
  holdNext(): { begun: Promise<void>; letThrough(): void };
}

/** A database of which single reads can be delayed, as by a busy server. */
function gated(database: Database): Gate {
  let held: { begin(): void; open: Promise<void> } | undefined;
  async function read<T>(query: () => Promise<T>): Promise<T> {
    const own = held;
    held = undefined;
    own?.begin();
    await own?.open;
    return database.read(query);
  }
  return {
    database: { ...database, read },
    holdNext() {
      let [begin, letThrough] = [() => {}, () => {}];
      const begun = new Promise<void>((resolve) => {
        begin = resolve;
      });
      const open = new Promise<void>((resolve) => {
        letThrough = resolve;
      });
      held = { begin, open };
      return { begun, letThrough };
    },
  };
}

const options = validate(importOptionsSchema, {});
const rowOf = (line: number, course: string): CandidateRow => ({
  line,
  cells: [],
  person: { firstName: 'Ada', lastName: 'King', email: `a${line}@example.org`, phone: `+1 ${line}`, course },
  quotes: true,
});

const courses = 9;

describe('Imports that overlap in people and courses', () => {
  const importing = useImporting();

  it('know the courses of a prefetched batch while another batch reloads everything', async () => {
    const { context } = importing;
    const trainer = await buildUser(context, { role: 'trainer' });
    for (let number = 0; number < courses; number += 1)
      await buildCourse(context, trainer, { title: `Course ${number}` });
    const gate = gated(context.database);
    const core = { ...context, database: gate.database };
    const decider = await Decider.open(core, options, null);
    for (let round = 0; round < courses; round += 3) {
      const [known, unmet, other] = [0, 1, 2].map((index) => `Course ${round + index}`) as [string, string, string];
      const line = round * 10 + 2;
      await decider.decide([rowOf(line, known)], new CourseCapacity(core));
      const slow = gate.holdNext();
      const ahead = decider.decide([rowOf(line + 1, known), rowOf(line + 2, unmet)], new CourseCapacity(core));
      await slow.begun;
      await decider.decide([rowOf(line + 3, other)], new CourseCapacity(core), true);
      slow.letThrough();
      expect(
        (await ahead).map(({ outcome }) => outcome),
        `round ${round}`,
      ).to.deep.equal(['created', 'created']);
    }
  });
});
