import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { userColumns } from '../../src/cli/commands/users/columns.js';
import { commandLineName } from '../../src/cli/core/command/error-messages.js';
import { inputFields as consoleInputs } from '../../src/console/api/account-fields.js';
import { initialPerson } from '../../src/console/people/new-person-dialog.js';
import { peopleColumns } from '../../src/console/people/people-columns.js';
import { contract } from '../../src/http/api/operations/contract.js';
import { userViews } from '../../src/presenters/user.js';
import {
  type AccountField,
  accountFields,
  auditedFields,
  initialFields,
  inputFields,
  sessionFields,
} from '../../src/schemas/account-fields.js';
import { fieldNames } from '../../src/schemas/fields-table.js';
import { importColumns } from '../../src/schemas/import.js';
import { quickColumns } from '../../src/schemas/imported-person.js';
import { userExportFields } from '../../src/schemas/user.js';
import { operator } from '../../src/services/core.js';
import { templateTable } from '../../src/services/imports/output/template.js';
import { commands } from '../cli/support/command-lines.js';
import { mailSettings } from '../support/environment.js';
import { buildUser, factoryPassword, signIn } from '../support/factories.js';
import { useHarnessAndCli } from '../support/harness-cli.js';

const declared = fieldNames(accountFields);
type Reasons = Partial<Record<AccountField, string>>;

const byService = { lastLogin: 'set by logins', avatar: 'an upload of its own' };
const ofMails = { language: 'people choose it in their mail preferences' };
const ofInitialPassword = { requiresPasswordChange: 'follows from the password' };
const ofSuperAdmin = { role: 'always the super admin', ...ofInitialPassword, ...ofMails, ...byService };
const ofUpdates = { isActive: 'PUT /api/users/:id/status', ...ofInitialPassword, ...ofMails, ...byService };
const named = { firstName: 'in the name', lastName: 'in the name' };

const bodyOf = (name: 'setup' | 'register' | 'createUser' | 'updateProfile' | 'updateUser') =>
  Object.keys(contract[name].body.describe().keys);
const optionsOf = (words: string) => {
  const command = commands.get(words);
  if (!command) throw new Error(`No command ${words}.`);
  return declared.filter((field) => commandLineName(command, field).startsWith('--'));
};

/** Every input, form and table of people, with the reason for each missing field. */
const places: Readonly<Record<string, { has: readonly string[]; but: Reasons }>> = {
  'POST /api/auth/setup': { has: bodyOf('setup'), but: ofSuperAdmin },
  'POST /api/auth/register': { has: bodyOf('register'), but: { ...ofMails, ...byService } },
  'POST /api/users': {
    has: bodyOf('createUser'),
    but: { isActive: 'always, to sign in', ...ofInitialPassword, ...ofMails, ...byService },
  },
  'PUT /api/auth/profile': {
    has: bodyOf('updateProfile'),
    but: { email: 'POST /api/auth/email', role: 'set by the super admin', ...ofUpdates },
  },
  'PUT /api/users/:id': { has: bodyOf('updateUser'), but: ofUpdates },
  'the columns of imports': { has: importColumns, but: { ...ofInitialPassword, ...byService } },
  'the template of imports': {
    has: templateTable(operator).columns.map(({ heading }) => heading),
    but: { ...ofInitialPassword, ...byService },
  },
  'quickColumns in schemas/imported-person.ts': {
    has: quickColumns,
    but: { isActive: 'has too many words for a quick check', ...ofInitialPassword, ...byService },
  },
  'coursectl setup': { has: optionsOf('setup'), but: { isActive: 'always, to sign in', ...ofSuperAdmin } },
  'coursectl users register': {
    has: optionsOf('users register'),
    but: { isActive: '--inactive', ...ofMails, ...byService },
  },
  'coursectl users edit': { has: optionsOf('users edit'), but: ofUpdates },
  'coursectl users list': {
    has: userColumns.map(({ name }) => name),
    but: { ...named, avatar: 'no image at a terminal' },
  },
  'the dialog "New person" of the console': {
    has: Object.keys(initialPerson),
    but: { isActive: 'always, to sign in', ...ofInitialPassword, ...ofMails, ...byService },
  },
  'the setup of the console': { has: consoleInputs.setup, but: ofSuperAdmin },
  'the profile of the console': {
    has: consoleInputs.profile,
    but: { email: 'a form of its own', role: 'set by the super admin', ...ofUpdates },
  },
  'the page of a person of the console': { has: consoleInputs.update, but: ofUpdates },
  'the table of people of the console': {
    has: peopleColumns(String as never).map(({ id }) => id),
    but: {
      ...named,
      avatar: 'beside the name',
      isActive: 'in the state',
      requiresPasswordChange: 'in the state',
      language: 'rarely given',
    },
  },
  exports: { has: userExportFields, but: { avatar: 'an image' } },
  'the audit log': {
    has: auditedFields,
    but: { lastLogin: 'no change by anybody', avatar: 'an image', language: 'only of mails' },
  },
  'the caller of requests': { has: sessionFields, but: { language: 'only of mails' } },
};

const other: Partial<Record<string, string>> = { firstName: 'Zoë', lastName: 'Ng', email: 'zoe@example.org' };

/** Value of a field that differs from its default and from the value of {@link buildUser}. */
function sampleOf(name: AccountField): string | boolean {
  const { column } = accountFields[name];
  if (name === 'phone') return '+49 30 5550199';
  if (name === 'role') return 'trainer';
  if (column.type === 'flag') return !column.default;
  return (column.type === 'word' ? column.words[0] : other[name]) ?? 'Sample text';
}
const samples = (names: readonly AccountField[]) => Object.fromEntries(names.map((name) => [name, sampleOf(name)]));

describe('Every declared field of an account', () => {
  for (const [place, { has, but }] of Object.entries(places))
    it(`is in ${place}, or this test gives a reason`, () => {
      const missing = declared.filter((field) => !has.includes(field));
      expect(missing, `Add the field to ${place}, or why not to this test`).to.have.members(Object.keys(but));
    });

  for (const [name, view] of Object.entries(userViews))
    it(`is shown or hidden by userViews.${name} of presenters/user.ts`, () => {
      expect([...view.shown, ...view.hidden]).to.have.members(declared);
    });

  it('can be given to a new account, unless the service sets it', () => {
    expect(declared.filter((field) => !initialFields.some((one) => one === field))).to.have.members(
      Object.keys(byService),
    );
  });

  describe('is stored as given', () => {
    const { harness, cli } = useHarnessAndCli(mailSettings);
    const users = () => harness.context.database.models.User;
    const admin = () => signIn(harness.context, { role: 'super_admin', email: 'admin@example.org' });
    const expectStored = async (fields: object, email = other.email) => {
      const user = await users().findOne({ where: { email }, rejectOnEmpty: true });
      expect(user.get({ plain: true })).to.include(fields);
      return user;
    };
    /** Converts values of fields to options of a command. */
    const options = (words: string, fields: Readonly<Record<string, string | boolean>>) => {
      const command = commands.get(words);
      if (!command) throw new Error(`No command ${words}.`);
      return Object.entries(fields).flatMap(([name, value]) =>
        name === 'isActive'
          ? ['--inactive']
          : [commandLineName(command, name), ...(typeof value === 'string' ? [value] : [])],
      );
    };
    const importFile = async (fields: object, ...more: string[]) => {
      writeFileSync(path.join(cli.folder, 'people.csv'), `${Object.keys(fields)}\n${Object.values(fields)}\n`);
      const { exitCode, stderr } = await cli.run(['users', 'import', 'people.csv', '--yes', ...more]);
      expect(exitCode, stderr).to.equal(0);
    };

    it('by POST /api/auth/setup', async () => {
      // The super admin is always active.
      const fields = { ...samples(inputFields('setup')), isActive: true };
      await harness
        .api('post', '/api/auth/setup')
        .send({ ...fields, password: factoryPassword })
        .expect(201);
      await expectStored(fields);
    });

    it('by coursectl setup', async () => {
      const { isActive: _, ...fields } = samples(inputFields('setup'));
      const argv = ['setup', '--yes', ...options('setup', fields), '--password-stdin'];
      const { exitCode, stderr } = await cli.run(argv, { stdin: factoryPassword });
      expect(exitCode, stderr).to.equal(0);
      await expectStored(fields);
    });

    it('by POST /api/auth/register, and is shown, exported and audited', async () => {
      const { token } = await admin();
      const fields = samples(inputFields('register'));
      await harness
        .api('post', '/api/auth/register', token)
        .send({ ...fields, password: factoryPassword })
        .expect(201);
      const { id } = await expectStored(fields);
      const { user } = (await harness.api('get', `/api/users/${id}`, token).expect(200)).body;
      expect(user)
        .to.include.all.keys(...declared)
        .and.to.include(fields);
      const { text } = await harness.api('get', '/api/users/export.csv?role=trainer', token).expect(200);
      const [header = '', row = ''] = text.replace('\ufeff', '').split('\n');
      expect(header.split(',')).to.deep.equal(userExportFields);
      for (const value of Object.values(fields)) expect(row).to.include(String(value));
      const [entry] = (await harness.api('get', `/api/audit?targetId=${id}`, token).expect(200)).body.entries;
      expect(entry.after)
        .to.have.all.keys(...auditedFields)
        .and.to.include(fields);
    });

    for (const credentials of ['invite', 'generated'])
      it(`by POST /api/users with credentials ${credentials}`, async () => {
        const fields = samples(inputFields('create'));
        await harness
          .api('post', '/api/users', (await admin()).token)
          .send({ ...fields, credentials })
          .expect(201);
        await expectStored(fields);
      });

    it('by PUT /api/users/:id and PUT /api/auth/profile', async () => {
      const { token } = await admin();
      const person = await signIn(harness.context);
      const own = samples(inputFields('profile'));
      await harness.api('put', '/api/auth/profile', person.token).send(own).expect(200);
      await expectStored(own, person.user.email);
      const { id } = await buildUser(harness.context);
      const fields = { ...samples(inputFields('update')), phone: '+49 30 5550100' };
      await harness.api('put', `/api/users/${id}`, token).send(fields).expect(200);
      await expectStored(fields);
    });

    it('by coursectl users register and edit', async () => {
      const fields = samples(inputFields('register'));
      const argv = ['users', 'register', ...options('users register', fields), '--password-stdin'];
      const created = await cli.run(argv, { stdin: factoryPassword });
      expect(created.exitCode, created.stderr).to.equal(0);
      await expectStored(fields);
      const { email } = await buildUser(harness.context);
      const changes = { ...samples(inputFields('update')), email: 'new@example.org', phone: '+49 30 5550100' };
      const changed = await cli.run(['users', 'edit', email, ...options('users edit', changes)]);
      expect(changed.exitCode, changed.stderr).to.equal(0);
      await expectStored(changes, changes.email);
    });

    for (const way of ['--invite', '--generate-password'])
      it(`by coursectl users register ${way}`, async () => {
        const fields = samples(inputFields('create'));
        const argv = ['users', 'register', ...options('users register', fields), way];
        const { exitCode, stderr } = await cli.run(argv);
        expect(exitCode, stderr).to.equal(0);
        await expectStored(fields);
      });

    it('by an import that creates and one that updates', async () => {
      const fields = samples(inputFields('import'));
      await importFile(fields);
      await expectStored(fields);
      const { email } = await buildUser(harness.context);
      const changes = { ...fields, email, phone: '+49 30 5550100' };
      await importFile(changes, '--on-existing', 'update');
      await expectStored(changes, email);
    });
  });
});
