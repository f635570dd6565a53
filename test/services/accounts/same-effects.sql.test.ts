import { expect } from 'chai';
import type { User } from '../../../src/db/models/user.js';
import { changeManyUsers } from '../../../src/services/accounts/bulk.js';
import { resetPassword } from '../../../src/services/accounts/passwords.js';
import { setUserActive, updateUser } from '../../../src/services/accounts/update-user.js';
import { undoImport } from '../../../src/services/imports/commands.js';
import { planImport } from '../../../src/services/imports/plan/plan.js';
import { applyImport } from '../../../src/services/imports/queue/apply.js';
import { mailSettings } from '../../support/environment.js';
import { emptyDatabase } from '../../support/harness.js';
import { useImporting } from '../imports/support/importing.js';
import { applyOptions } from '../imports/support/running.js';
import { client } from '../imports/support/submitting.js';
import { buildPerson, furnish, type Seen, seenAfter } from './support/effects-world.js';

type Fields = Pick<User, 'firstName' | 'lastName' | 'email' | 'role' | 'isActive'>;

interface Change {
  before: Fields;
  after: Fields;
  /** Whether the person gets another password. */
  isReset?: boolean;
}

const ada = {
  firstName: 'Ada Mary',
  lastName: 'King',
  email: 'ada@example.org',
  role: 'trainee',
  isActive: true,
} as const;
const to = (fields: Partial<Fields>): Change => ({ before: ada, after: { ...ada, ...fields } });
const inactive = { ...ada, isActive: false };

const changes: Readonly<Record<string, Change>> = {
  'a name': to({ firstName: 'Grace Brewster' }),
  'an email': to({ email: 'grace@example.net' }),
  'a role': to({ role: 'trainer' }),
  'a name, an email and a role': to({ lastName: 'Hopper', email: 'grace@example.net', role: 'trainer' }),
  'a deactivation': to({ isActive: false }),
  'an activation': { before: inactive, after: ada },
  'a new password': { before: ada, after: ada, isReset: true },
};

describe('The same change of an account', () => {
  const importing = useImporting(mailSettings);
  const { signal } = new AbortController();
  const phone = '+1 555 0100';

  async function importPerson(
    { firstName, lastName, email, role, isActive }: Fields,
    isReset: boolean,
  ): Promise<string> {
    const { context } = importing;
    const row = [firstName, lastName, email, phone, role, isActive].join();
    const file = importing.write(`${Math.random()}.csv`, `firstName,lastName,email,phone,role,isActive\n${row}\n`);
    const options = { onExisting: 'update', match: 'phone', resetPasswords: isReset };
    const plan = await planImport(context, { file, options, signal });
    const { id, counts } = await applyImport(context, client, plan, applyOptions());
    expect(counts).to.include({ updated: 1 });
    return id;
  }

  const bulkAction = ({ before, after, isReset }: Change) => {
    if (isReset) return 'reset_password';
    return before.isActive === after.isActive ? undefined : after.isActive ? 'activate' : 'deactivate';
  };

  /** Ways to make a change of an existing account. */
  const ways: Readonly<Record<string, (id: string, change: Change) => Promise<unknown>>> = {
    'a request': async (id, { before, after, isReset }) => {
      const { context } = importing;
      const { isActive, ...fields } = after;
      if (isReset) await resetPassword(context, client, id);
      else if (isActive !== before.isActive) await setUserActive(context, client, id, isActive);
      else await updateUser(context, client, id, fields);
    },
    'a bulk change': async (id, change) => {
      const input = { action: bulkAction(change), ids: [id] };
      const { outcomes } = await changeManyUsers(importing.context, client, input, { signal });
      expect(outcomes).to.have.length(1);
      expect(outcomes[0]).to.include({ outcome: 'done' });
    },
    'an import': (_, { after, isReset = false }) => importPerson(after, isReset),
  };

  async function made(change: Change, inviteState: User['inviteState'], way: string): Promise<Seen> {
    const { context } = importing;
    const { before, after, isReset = false } = change;
    const isUndone = way === 'the undo of an import';
    const user = await buildPerson(context, { ...(isUndone ? after : before), phone });
    const importId = isUndone ? await importPerson(before, isReset) : '';
    const world = await furnish(context, await user.reload(), {
      inviteState,
      enrolled: before.role === after.role,
    });
    const undo = async () => {
      const { restored } = await undoImport(context, client, importId, { signal, onWait: () => undefined });
      expect(restored).to.equal(1);
    };
    // An import gives freed seats to the waiting list immediately, so seats are not compared.
    return { ...(await seenAfter(context, world, () => (ways[way] ?? undo)(user.id, change))), seats: [] };
  }

  for (const [title, change] of Object.entries(changes))
    for (const inviteState of [null, 'queued', 'sent'] as const)
      it(`has the same effects by request, bulk change, import and undo (change: ${title}, invitation: ${inviteState})`, async () => {
        const single = await made(change, inviteState, 'a request');
        const bulk = bulkAction(change) ? ['a bulk change'] : [];
        for (const way of [...bulk, 'an import', 'the undo of an import']) {
          await emptyDatabase(importing.context);
          expect(await made(change, inviteState, way), way).to.deep.equal(single);
        }
      });
});
