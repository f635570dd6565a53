import { expect } from 'chai';
import { QueryTypes } from 'sequelize';
import { emptyDatabase, useHarness } from '../support/harness.js';
import { scaled } from '../support/machine.js';
import { type Example, examples, operations, sendExample } from './support/examples.js';
import { refuseWrites } from './support/refuse-writes.js';

/** Returns the stored rows of all audited tables: only files in use, and no counters of used links. */
const changed = [
  ...['users', 'sessions', 'links', 'mails', 'courses', 'enrollments', 'certificates', 'imports'],
  "login_throttle WHERE subject NOT LIKE 'links:%'",
  "files WHERE state = 'live'",
];

/** Audited operations. */
const audited = [
  ...[
    'setup',
    'register',
    'changeManyUsers',
    'updateUser',
    'deleteUser',
    'changeActivation',
    'resetPassword',
    'setPassword',
    'createUser',
    'confirmEmail',
    'cancelEmail',
  ],
  ...['endUserSession', 'endUserSessions', 'unlockUser', 'createCourse', 'updateCourse', 'deleteCourse'],
  ...['publishCourse', 'assignTrainer', 'assignEnrollment', 'assignMany', 'removeMany', 'removeEnrollment'],
  ...[
    'changeStatus',
    'setProgress',
    'setReply',
    'setThumbnail',
    'addMaterial',
    'removeMaterial',
    'createImport',
    'planImport',
  ],
  ...['applyImport', 'cancelImport', 'resumeImport', 'undoImport', 'loadDemo', 'changeManyMails'],
];

describe('A change whose audit entry cannot be stored', () => {
  const harness = useHarness();
  const rows = () => {
    const { sequelize } = harness.context.database;
    const read = (table: string) => sequelize.query(`SELECT * FROM ${table}`, { type: QueryTypes.SELECT });
    return Promise.all(changed.map(read));
  };

  it('is rolled back, and its response is an error', async () => {
    const refused: string[] = [];
    for (const [name, operation] of operations) {
      if (operation.method === 'get') continue;
      await emptyDatabase(harness.context);
      const given: Example = await examples[name](harness.context);
      const before = await rows();
      const accept = await refuseWrites(harness.context, ['audit_entries']);
      const { status } = await sendExample(harness, operation, given);
      await accept();
      if (status < 500) continue;
      refused.push(name);
      expect(await rows(), name).to.deep.equal(before);
    }
    expect(refused).to.include.members(audited);
  }).timeout(scaled(60_000));
});
