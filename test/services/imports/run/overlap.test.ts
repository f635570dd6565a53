import { expect } from 'chai';
import type { Database } from '../../../../src/db/connection.js';
import { importOptionsSchema } from '../../../../src/schemas/import.js';
import { validate } from '../../../../src/schemas/validate.js';
import { Capacity } from '../../../../src/services/imports/plan/course-index.js';
import { Decider } from '../../../../src/services/imports/plan/decider.js';
import type { CandidateRow } from '../../../../src/services/imports/read/rows/rows.js';
import { buildCourse, buildUser } from '../../../support/factories.js';
import { useImporting } from '../support/importing.js';

/** A database in which a single read can be delayed, as by a busy server. */
function gated(database: Database) {
  let held: { begin(): void; open: Promise<void> } | undefined;
  async function read<T>(query: () => Promise<T>): Promise<T> {
    const own = held;
    held = undefined;
    own?.begin();
    await own?.open;
    return database.read(query);
  }
  /** Delays the next read until it is released. */
  function holdNext() {
    let [begin, letThrough] = [() => {}, () => {}];
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const open = new Promise<void>((resolve) => (letThrough = resolve));
    held = { begin, open };
    return { begun, letThrough };
  }
  return { database: { ...database, read }, holdNext };
}

const options = validate(importOptionsSchema, {});
const rowOf = (line: number, course: string): CandidateRow => ({
  line,
  cells: [],
  person: { firstName: 'Ada', lastName: 'King', email: `a${line}@example.org`, phone: `+1 ${line}`, course },
  mayQuoteCells: true,
});

describe('Imports with common people and courses', () => {
  const importing = useImporting();

  it('keep the courses of a prefetched batch while another batch reloads everything', async () => {
    const { context } = importing;
    const trainer = await buildUser(context, { role: 'trainer' });
    for (const title of ['Known', 'Unmet', 'Other']) await buildCourse(context, trainer, { title });
    const gate = gated(context.database);
    const core = { ...context, database: gate.database };
    const decider = await Decider.open(core, options, null);
    await decider.decide([rowOf(2, 'Known')], new Capacity(core));
    const slow = gate.holdNext();
    const ahead = decider.decide([rowOf(3, 'Known'), rowOf(4, 'Unmet')], new Capacity(core));
    await slow.begun;
    await decider.decide([rowOf(5, 'Other')], new Capacity(core), true);
    slow.letThrough();
    expect((await ahead).map(({ outcome }) => outcome)).to.deep.equal(['created', 'created']);
  });
});
