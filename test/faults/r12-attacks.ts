import { writeFileSync } from 'node:fs';
import path from 'node:path';
import request from 'supertest';
import { operator } from '../../src/services/core.js';
import { planImport } from '../../src/services/imports/plan/plan.js';
import { applyImport } from '../../src/services/imports/queue/apply.js';
import { buildUser } from '../support/factories.js';
import { csvOf, type Imported, type Scene, victim, victimRow } from './r12-scene.js';

/** One way to take over another account by entering a phone number. */
export interface Attack {
  name: string;
  /** Does it. @returns what has gone otherwise than it should, though nobody may have got anything by it */
  play(scene: Scene): Promise<string | undefined>;
}

const update = ['--on-existing', 'update'];
const traineeRow = (course: string) => `Bob,Trainee,${victim.email},${victim.phone},,${course}`;

/** The codes that the rows should have. */
const codes = ({ codes: found }: Imported, ...wanted: (string | null)[]) =>
  JSON.stringify(found) === JSON.stringify(wanted) ? undefined : `codes ${JSON.stringify(found)}`;

/** The same import with the victim's phone taken in another spelling. */
const spelt = (name: string, phone: string | number, row = victimRow): Attack => ({
  name: `phone in another spelling: ${name}`,
  async play({ claimPhone, importHere }) {
    // A spelling that the profile refuses is one less.
    if ((await claimPhone(phone, [200, 400])) === 400) return undefined;
    const { codes: found } = await importHere(csvOf(row), ...update);
    // Another key is another phone: then the victim has got an account of their own.
    return found[0] === 'ACCOUNTS_DIFFER' || found[0] === null ? undefined : `code ${found[0]}`;
  },
});

/** Commands that name the victim, who has no account yet, while the attacker's phone reads like the name. */
const named = (name: string, reference: string, ...argv: string[]): Attack => ({
  name,
  async play({ claimPhone, cli }) {
    await claimPhone(reference);
    const { exitCode, stdout } = await cli(...argv);
    return exitCode === 1 && stdout === '' ? undefined : `exit ${exitCode}: ${stdout}`;
  },
});

/** The id of an account that was deleted. */
const gone = '0198c1f0-1111-7222-8333-444455556666';

export const attacks: readonly Attack[] = [
  {
    name: 'terminal, --on-existing update, a trainer',
    async play({ claimPhone, importHere }) {
      await claimPhone(victim.phone);
      return codes(await importHere(csvOf(victimRow), ...update), 'ACCOUNTS_DIFFER');
    },
  },
  {
    name: 'HTTP, onExisting update, a trainer',
    async play({ claimPhone, importThere }) {
      await claimPhone(victim.phone);
      return codes(await importThere(csvOf(victimRow), { onExisting: 'update' }), 'ACCOUNTS_DIFFER');
    },
  },
  {
    name: 'terminal, update with new passwords',
    async play({ claimPhone, importHere }) {
      await claimPhone(victim.phone);
      return codes(await importHere(csvOf(victimRow), ...update, '--reset-passwords'), 'ACCOUNTS_DIFFER');
    },
  },
  {
    name: 'terminal, skip, with the course of the row',
    async play({ claimPhone, importHere }) {
      await claimPhone(victim.phone);
      return codes(await importHere(csvOf(traineeRow('Knots'))), 'ACCOUNTS_DIFFER');
    },
  },
  {
    name: 'HTTP, skip, with a course for all',
    async play({ claimPhone, importThere }) {
      await claimPhone(victim.phone);
      return codes(await importThere(csvOf(traineeRow('')), { course: 'Knots' }), 'ACCOUNTS_DIFFER');
    },
  },
  {
    name: 'terminal, --on-existing fail',
    async play({ claimPhone, importHere }) {
      await claimPhone(victim.phone);
      return codes(await importHere(csvOf(victimRow), '--on-existing', 'fail'), 'ACCOUNTS_DIFFER');
    },
  },
  spelt('dashes and parentheses', '(+44)20-7946-0001'),
  spelt('a number', 442079460001, victimRow.replace(victim.phone, '442079460001')),
  spelt('full-width digits', '+４４ ２０ ７９４６ ０００１'),
  spelt('invisible marks', '+44\u200b 20\u00ad 7946\u2060 0001'),
  spelt('an apostrophe in the file', victim.phone, victimRow.replace(victim.phone, `'${victim.phone}`)),
  {
    name: 'email of the row in capitals, with spaces',
    async play({ claimPhone, importHere }) {
      await claimPhone(victim.phone);
      const row = victimRow.replace(victim.email, ` ${victim.email.toUpperCase()} `);
      return codes(await importHere(csvOf(row), ...update), 'ACCOUNTS_DIFFER');
    },
  },
  {
    name: "order of rows: the attacker's own row comes after, and frees the phone",
    async play({ attacker, claimPhone, importHere }) {
      await claimPhone(victim.phone);
      const own = `Mal,Lory,${attacker.user.email},+44 5,,`;
      return codes(await importHere(csvOf(victimRow, own), ...update), 'ACCOUNTS_DIFFER', null);
    },
  },
  {
    name: "order of rows: the attacker's own row comes first, and frees the phone",
    async play({ attacker, claimPhone, importHere }) {
      await claimPhone(victim.phone);
      const own = `Mal,Lory,${attacker.user.email},+44 5,,`;
      return codes(await importHere(csvOf(own, victimRow), ...update), null, 'ACCOUNTS_DIFFER');
    },
  },
  {
    name: 'undo gives the phone back after the victim has an account with it',
    async play({ attacker, claimPhone, importHere, cli }) {
      await claimPhone(victim.phone);
      const own = `Mal,Lory,${attacker.user.email},+44 5,,`;
      const { id } = await importHere(csvOf(own), ...update);
      const second = await importHere(csvOf(victimRow), ...update);
      const { stdout } = await cli('imports', 'undo', id, '--yes', '--json');
      const kept = (JSON.parse(stdout) as { undo: { kept: { code: string }[] } }).undo.kept.map(({ code }) => code);
      return codes(second, null) ?? (kept.join() === 'KEY_TAKEN' ? undefined : `kept ${kept.join()}`);
    },
  },
  {
    name: 'undo removes the victim, the attacker takes the phone, the import is repeated',
    async play({ claimPhone, importHere, cli }) {
      const { id } = await importHere(csvOf(victimRow), ...update);
      await cli('imports', 'undo', id, '--yes');
      await claimPhone(victim.phone);
      return codes(await importHere(csvOf(victimRow), ...update), 'ACCOUNTS_DIFFER');
    },
  },
  {
    name: 'the phone is taken between plan and application',
    async play({ service: { context, folder }, claimPhone }) {
      const file = path.join(folder, 'planned.csv');
      writeFileSync(file, csvOf(victimRow));
      const { signal } = new AbortController();
      const plan = await planImport(context, { file, options: { onExisting: 'update' }, signal });
      await claimPhone(victim.phone);
      const nothing = () => undefined;
      const { counts } = await applyImport(context, operator, plan, {
        signal,
        onProgress: nothing,
        onResume: nothing,
        onWait: nothing,
      });
      return counts.rejected === 1 && counts.updated === 0 ? undefined : JSON.stringify(counts);
    },
  },
  named(
    'terminal: a role for an email that is a phone',
    victim.email,
    'users',
    'edit',
    victim.email,
    '--role',
    'trainer',
  ),
  named('terminal: a password for an email that is a phone', victim.email, 'users', 'reset-password', victim.email),
  named('terminal: a role for an id that is a phone', gone, 'users', 'edit', gone, '--role', 'trainer'),
  {
    name: 'terminal: a place in a course for an email that is a phone, spelt in full width',
    async play({ claimPhone, cli, courseId }) {
      const reference = victim.email.replace('@', '＠');
      if ((await claimPhone(reference, [200, 400])) === 400) return undefined;
      const { exitCode, stdout } = await cli('enrollments', 'assign', courseId, reference);
      return exitCode === 1 && stdout === '' ? undefined : `exit ${exitCode}: ${stdout}`;
    },
  },
  {
    name: 'HTTP: signing in by a phone that is the email of a trainer, active or not',
    async play({ service, attacker, claimPhone }) {
      await claimPhone(victim.email);
      const owner = await buildUser(service.context, {
        email: victim.email,
        role: 'trainer',
        password: 'of the owner',
      });
      const signIns: string[] = [];
      for (const isActive of [true, false]) {
        await owner.update({ isActive });
        for (const route of ['login', 'trainee-login']) {
          const call = request(service.server.url).post(`/api/auth/${route}`);
          const { body } = await call.send({ identifier: victim.email, password: 'factory-password' });
          if (body.token !== undefined) signIns.push(`${route} as ${attacker.user.email}`);
        }
      }
      return signIns.length === 0 ? undefined : signIns.join();
    },
  },
  {
    name: 'HTTP: registration of a person whose phone is taken',
    async play({ service, admin, claimPhone }) {
      await claimPhone(victim.phone);
      const call = request(service.server.url).post('/api/auth/register').set('Authorization', `Bearer ${admin.token}`);
      const { status } = await call.send({ ...victim, password: 'a good password', role: 'trainer' });
      return status === 400 ? undefined : `status ${status}`;
    },
  },
];
