import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { displayWidth } from '../../../../src/cli/core/output/fit.js';
import { newIds } from '../../../../src/services/new-ids.js';
import { mailSettings, signInSettings } from '../../../support/environment.js';
import { buildTrainees, buildUser, factoryPassword, tokenFor } from '../../../support/factories.js';
import { useHarnessAndCli } from '../../../support/harness-cli.js';
import { scaled } from '../../../support/machine.js';
import { keys } from '../../../support/terminal.js';

interface Outcomes {
  dryRun: boolean;
  counts: Record<'done' | 'unchanged' | 'refused', number>;
  outcomes: Record<'given' | 'id' | 'name' | 'outcome' | 'code' | 'message', string | null>[];
  credentialsFile?: string | null;
}

describe('Changes of many accounts at the command line', () => {
  const { harness, cli, audited } = useHarnessAndCli();
  const models = () => harness.context.database.models;
  const active = async () =>
    (await models().User.findAll({ where: { isActive: true }, order: ['email'] })).map(({ email }) => email);
  const file = (name: string, text: string | Buffer) => {
    writeFileSync(path.join(cli.folder, name), text);
    return name;
  };
  const login = (identifier: string, password: string) =>
    harness.api('post', '/api/auth/login').send({ identifier, password });

  beforeEach(async () => {
    const { context } = harness;
    await buildUser(context, { firstName: 'Ada', lastName: 'Zuse', email: 'ada@x.org', phone: '+49 30 1234' });
    await buildUser(context, { firstName: 'Ben', lastName: 'Young', email: 'ben@x.org', role: 'trainer' });
    await buildUser(context, { firstName: 'Cleo', lastName: 'Xu', email: 'cleo@x.org', isActive: false });
  });

  /** Creates more than one batch of accounts. */
  async function buildMany(count: number): Promise<string[]> {
    await buildTrainees(harness.context, count);
    return Array.from({ length: count }, (_, number) => `trainee${number}@example.com`);
  }

  describe('several names', () => {
    it('are changed with --yes; standard output lists the outcomes, standard error a summary', async () => {
      const token = await tokenFor(harness.context, await buildUser(harness.context, { email: 'dora@x.org' }));
      const { exitCode, stdout, stderr } = await cli.run(['users', 'deactivate', 'dora@x.org', '+49301234', '--yes']);
      expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '2 accounts deactivated.\n' });
      expect(stdout.split('\n')[0]).to.match(/^OUTCOME +ACCOUNT$/);
      expect(stdout).to.match(/^inactive +Ada Zuse \(ada@x\.org\)$/m);
      expect(await active()).to.deep.equal(['ben@x.org']);
      await harness.api('get', '/api/auth/me', token).expect(401);
      expect(await audited()).to.deep.equal(['user.deactivate cli', 'user.deactivate cli']);
    });

    it('need --yes without a terminal if something would change', async () => {
      const { message } = await cli.refusal(['users', 'deactivate', 'ada@x.org', 'nobody']);
      expect(message).to.equal('Confirmation needs a terminal: add --yes to deactivate, or --dry-run to look first.');
      expect(await active()).to.deep.equal(['ada@x.org', 'ben@x.org']);
    });

    it('are listed if unknown or unchanged; the others are changed, and the exit code is 3', async () => {
      const argv = ['users', 'deactivate', 'ada@x.org', 'nobody@x.org', 'cleo@x.org', 'ADA@x.org', '--yes'];
      const { exitCode, stdout } = await cli.run([...argv, '--json']);
      expect(exitCode).to.equal(3);
      const { counts, outcomes, dryRun } = JSON.parse(stdout) as Outcomes;
      expect({ counts, dryRun }).to.deep.equal({ counts: { done: 1, unchanged: 1, refused: 1 }, dryRun: false });
      expect(outcomes.map(({ given, name, outcome, code }) => [given, name, outcome, code])).to.deep.equal([
        ['ada@x.org', 'Ada Zuse', 'done', null],
        ['nobody@x.org', null, 'refused', 'NOT_FOUND'],
        ['cleo@x.org', 'Cleo Xu', 'unchanged', null],
      ]);
      const again = await cli.run(argv);
      expect(again.exitCode).to.equal(3);
      expect(again.stderr).to.equal('0 accounts deactivated, 2 inactive already, 1 refused.\n');
      expect(again.stdout).to.match(/^refused +nobody@x\.org +User not found\.$/m);
      const none = await cli.run(['users', 'deactivate', 'nobody', 'none', '--yes']);
      expect(none.exitCode, 'all refused').to.equal(1);
      expect(await audited()).to.deep.equal(['user.deactivate cli']);
    });

    it('are refused with all candidates if they are ambiguous', async () => {
      const ids = ['019873e1-4580-7dc1-98b7-e1f0ab8dc50b', '019873e1-4580-7dc1-98b8-e1f0ab8dc50b'];
      for (const [index, id] of ids.entries()) {
        const { id: old } = await buildUser(harness.context, { email: `twin${index}@x.org` });
        await models().User.update({ id }, { where: { id: old } });
      }
      const argv = ['users', 'deactivate', 'ab8dc50b', 'ada@x.org', '--yes', '--json'];
      const { outcomes } = JSON.parse((await cli.run(argv)).stdout) as Outcomes;
      expect(outcomes.map(({ outcome, code }) => [outcome, code])).to.deep.equal([
        ['refused', 'VALIDATION'],
        ['done', null],
      ]);
      expect(outcomes[0]?.message).to.include(ids[0]).and.to.include(ids[1]);
    });
  });

  it('--dry-run shows the plan, also for one account, and changes nothing', async () => {
    for (const names of [['ada@x.org'], ['ada@x.org', 'cleo@x.org', 'nobody']]) {
      const { exitCode, stdout } = await cli.run(['users', 'deactivate', ...names, '--dry-run']);
      expect(exitCode).to.equal(names.length === 1 ? 0 : 3);
      expect(stdout)
        .to.include('1 account to deactivate:\n  Ada Zuse (ada@x.org)\n')
        .and.to.match(/Nothing was changed\. To do this, leave out --dry-run\.\n$/);
    }
    const { dryRun, counts } = await cli.json<Outcomes>(['users', 'activate', '--inactive', '--dry-run']);
    expect({ dryRun, counts }).to.deep.equal({ dryRun: true, counts: { done: 1, unchanged: 0, refused: 0 } });
    expect(await audited()).to.deep.equal([]);
  });

  describe('--from', () => {
    const deactivated = (list: string | Buffer) =>
      cli.run(['users', 'deactivate', '--from', file('list.txt', list), '--yes', '--json']);
    const [latin, wide] = ['Bén Müller;ben@x.org', 'Bén Müller|ben@x.org|x'];
    const lists: [what: string, list: (ids: string[]) => string | Buffer][] = [
      [
        'a name a line, without empty lines and comments',
        () => '\ufeff# leavers\r\nada@x.org\r\n\r\n  ben@x.org  \r\n#cleo@x.org\r\n',
      ],
      [
        'the ids of accounts, where the ids of a list are others',
        ([ada, ben, ...others]) => `id,USERID\n${others[0]},${ada}\n${others[1]},${ben}\n`,
      ],
      [
        'emails where an id of an account is missing',
        ([, ben, ...others]) => `id,USERID,email\n${others[0]},,ada@x.org\n${others[1]},${ben},ben@x.org\n`,
      ],
      ['a column of other CSV, by its heading', () => 'ID,Email\n4711,ada@x.org\n4712,"ben@x.org"\n'],
      ['Latin-1', () => Buffer.from(`Name;E-Mail-Adresse\r\nAda Zuse;ada@x.org\r\n${latin}`, 'latin1')],
      [
        'UTF-16 with any delimiter',
        () => Buffer.from(`\ufeffsep=|\nName|E-Mail|Work email\nAda|ada@x.org|x\n${wide}`, 'utf16le'),
      ],
      ['UTF-16 without a byte order mark', () => Buffer.from('ada@x.org\nben@x.org\n', 'utf16le').swap16()],
    ];
    for (const [what, list] of lists)
      it(`accepts ${what}`, async () => {
        const found = await models().User.findAll({ where: { isActive: true }, order: [['email', 'ASC']] });
        const { exitCode, stdout } = await deactivated(list([...found.map(({ id }) => id), ...newIds(2)]));
        expect(exitCode, stdout).to.equal(0);
        expect(JSON.parse(stdout)).to.have.nested.property('counts.done', 2);
        expect(await active()).to.deep.equal([]);
      });

    it('accepts the output of lists and exports', async () => {
      for (const argv of [
        ['users', 'list', '--active', '--output', 'csv'],
        ['users', 'export', '--active'],
      ]) {
        const { stdout } = await cli.run(argv);
        expect((await deactivated(stdout)).exitCode).to.equal(0);
        expect(await active()).to.deep.equal([]);
        await models().User.update({ isActive: true }, { where: {} });
      }
    });

    it('reads standard input', async () => {
      const stdin = 'ada@x.org\n+49 30 1234\n';
      const { stderr } = await cli.run(['users', 'deactivate', '--from', '-', '--yes'], { stdin });
      expect(stderr).to.equal('1 account deactivated.\n');
      expect(await cli.refusal(['users', 'activate', '--from', '-'], { stdin })).to.deep.equal({
        exitCode: 2,
        message: 'Standard input is the list, so nobody can answer a question: add --yes, or --dry-run to look first.',
      });
    });

    it('accepts the file of passwords of an import in UTF-16', async () => {
      const people = 'Vorname;Nachname;E-Mail;Telefon\nZoë;Ütz;zoe@x.org;030 77\nTim;Ötz;tim@x.org;030 78\n';
      file('people.csv', Buffer.from(`\ufeff${people}`, 'utf16le'));
      expect(await cli.run(['users', 'import', 'people.csv', '--yes'])).to.include({ exitCode: 0 });
      const list = 'people.credentials.csv';
      expect(readFileSync(path.join(cli.folder, list)).includes(0), 'UTF-16').to.equal(true);
      const argv = ['users', 'reset-password', '--from', list, '--credentials', 'new.csv', '--dry-run'];
      expect((await cli.json<Outcomes>(argv)).counts).to.deep.equal({ done: 2, unchanged: 0, refused: 0 });
    });

    const refused: [what: string, list: string | Buffer, says: string][] = [
      ['no names', '# nobody\n\n', 'The list has no names. Give one per line.'],
      [
        'a row without a name',
        'Name;"E-Mail";Phone\nAda;;\'+49 30 1234\n# left\n\nBen;;\n',
        '1 row of the list has nothing in the column Phone.',
      ],
      [
        'columns without a known heading',
        'Name,Town\nAda,Rome\n',
        'The first line of the list has several columns, but none is called userId or id or email or phone.',
      ],
      [
        'accounts of another system',
        'id,userId\n0190a1b2-0000-7000-8000-000000000001,4711\n',
        'The column userId of the list has values that are not ids of this program.',
      ],
      [
        'numbers of another system',
        'id,name\n4711,Ada\n',
        'The column id of the list has values that are not ids of this program.',
      ],
      ['half a character at its end', Buffer.from([0xff, 0xfe, 0x61]), "is not text, or its encoding can't be"],
      ['a NUL in a name', 'ada@x.org\na\0b@x.org\ncleo@x.org\n', "is not text, or its encoding can't be detected"],
      ['broken CSV', 'email,name\n"ada@x.org,Ada\n', 'The list is not valid CSV:'],
    ];
    for (const [what, list, says] of refused)
      it(`refuses a list with ${what}`, async () => {
        const { exitCode, stdout } = await deactivated(list);
        expect(exitCode).to.equal(2);
        expect(JSON.parse(stdout).error.message).to.include(says);
        expect(await active()).to.deep.equal(['ada@x.org', 'ben@x.org']);
      });

    it('refuses a missing file, and additional names or filters', async () => {
      expect((await cli.refusal(['users', 'activate', '--from', 'none.txt', '--yes'])).message).to.equal(
        'The file none.txt does not exist.',
      );
      for (const more of [['ada@x.org'], ['--inactive']])
        expect(await cli.refusal(['users', 'activate', '--from', 'none.txt', ...more, '--yes'])).to.deep.equal({
          exitCode: 2,
          message: 'Name each account, or give a list with --from, or filters: only one of these.',
        });
    });
  });

  it('filters choose the accounts, and are refused if they would choose everybody', async () => {
    const { exitCode, stderr } = await cli.run(['users', 'activate', '--role', 'trainee', '--inactive', '--yes']);
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '1 account activated.\n' });
    const none = await cli.run(['users', 'activate', '--search', 'nobody', '--yes']);
    expect(none).to.deep.equal({ exitCode: 0, stdout: '', stderr: '0 accounts activated.\n' });
    for (const search of ['', '  '])
      expect(await cli.refusal(['users', 'deactivate', '--search', search, '--yes'])).to.deep.equal({
        exitCode: 2,
        message: '--search is empty. Give a text to search for.',
      });
  });

  it('at a terminal, the command shows the plan and asks', async () => {
    const argv = ['users', 'deactivate', 'ada@x.org', 'cleo@x.org', 'nobody', 'ben@x.org', 'ben@x.org'];
    const no = await cli.atTerminal(argv, [['Deactivate these 2 accounts?', keys.enter]], { columns: 80 });
    expect(no.exitCode).to.equal(1);
    expect(no.terminal.screen()).to.include(
      [
        '2 accounts to deactivate:',
        '  Ada Zuse (ada@x.org)',
        '  Ben Young (ben@x.org)',
        '1 account inactive already.',
        "1 that can't be found or changed:",
        '  nobody: User not found.',
        '1 name left out as duplicates.',
        '',
      ].join('\n'),
    );
    expect(no.terminal.screen()).to.include('Nothing was changed.');
    expect(await active()).to.deep.equal(['ada@x.org', 'ben@x.org']);
    const yes = await cli.atTerminal(argv, [['Deactivate these 2', `y${keys.enter}`]], { columns: 80 });
    expect(yes.exitCode).to.equal(3);
    expect(await active()).to.deep.equal([]);
  });

  it('plan and outcomes fit a terminal of 60 columns, also with wide characters', async () => {
    const names = {
      firstName: '李小龙李小龙李小龙李小龙李小龙李小龙 🦊',
      lastName: 'Maximiliana Konstantina Alexandra',
    };
    await buildUser(harness.context, { ...names, email: 'a.very.long.address@example.org' });
    const argv = ['users', 'deactivate', '--search', 'very.long'];
    const { terminal } = await cli.atTerminal(argv, [['Deactivate this account?', keys.ctrlC]], { columns: 60 });
    const [plan = ''] = terminal.screen().split('? Deactivate');
    const screen = { columns: 60, rows: 24 };
    const { stdout } = await cli.run([...argv, '--yes'], { screen, env: { ...cli.env, NO_COLOR: '1' } });
    for (const text of [plan, stdout]) {
      expect(text).to.include('李小龙').and.to.include('…');
      for (const line of text.split('\n')) expect(displayWidth(line), line).to.be.at.most(60);
    }
  });

  describe('reset-password', () => {
    const reset = (...more: string[]) => cli.run(['users', 'reset-password', ...more]);
    const passwordsIn = (name: string) =>
      parse(readFileSync(path.join(cli.folder, name)), { columns: true, bom: true }) as Record<string, string>[];

    it('writes the passwords of several accounts to a private file, and shows none', async () => {
      const { exitCode, stdout, stderr } = await reset('--role', 'trainee', '--credentials', 'p.csv', '--yes');
      expect(exitCode).to.equal(0);
      const rows = passwordsIn('p.csv');
      expect(rows.map(({ email }) => email)).to.deep.equal(['ada@x.org', 'cleo@x.org']);
      expect(Object.keys(rows[0] ?? {})).to.deep.equal(['firstName', 'lastName', 'email', 'phone', 'password']);
      expect(statSync(path.join(cli.folder, 'p.csv')).mode & 0o777).to.equal(0o600);
      expect(stderr).to.equal(
        `2 passwords reset.\nPasswords: ${path.join(cli.folder, 'p.csv')} (hand them out, then delete the file)\n`,
      );
      const { body } = await login('ada@x.org', rows[0]?.password ?? '').expect(200);
      expect(body.user.requiresPasswordChange).to.equal(true);

      const several = await reset('ada@x.org', 'ben@x.org', '--credentials', 'q.csv', '--yes', '--json');
      const { credentialsFile, counts, outcomes } = JSON.parse(several.stdout) as Outcomes;
      expect(credentialsFile).to.equal(path.join(cli.folder, 'q.csv'));
      expect(counts).to.deep.equal({ done: 2, unchanged: 0, refused: 0 });
      expect(outcomes[0]).to.have.all.keys('given', 'id', 'name', 'outcome', 'code', 'message');
      for (const { password = '-' } of [...rows, ...passwordsIn('q.csv')])
        expect(stdout + stderr + several.stdout + several.stderr).not.to.include(password);
    });

    it('writes the password of one account to a file, too', async () => {
      const { stdout } = await reset('ada@x.org', '--credentials', 'p.csv', '--json');
      expect(JSON.parse(stdout)).to.have.all.keys('user', 'credentialsFile');
      await login('ada@x.org', passwordsIn('p.csv')[0]?.password ?? '').expect(200);
    });

    it('queues mails with links for active accounts with --link', async () => {
      const env = { ...cli.env, ...mailSettings };
      const link = (...more: string[]) => cli.run(['users', 'reset-password', '--link', ...more], { env });
      const one = await link('ada@x.org');
      expect(one.stdout).to.include('A link to set a password is queued for ada@x.org.').and.to.include('mail send');
      const several = await link('ben@x.org', 'cleo@x.org', '--yes');
      expect(several.exitCode).to.equal(3);
      expect(several.stderr).to.include('1 link queued').and.to.include('mail send');
      expect(several.stdout + several.stderr).to.include('Account is inactive.');
      expect((await models().Mail.findAll()).map(({ kind }) => kind)).to.deep.equal(['reset', 'reset']);
      expect((await link('ada@x.org', '--credentials', 'p.csv')).stderr).to.include('--link and --credentials');
      expect((await reset('ada@x.org', '--link')).stderr).to.include('Mail is not set up.');
      await login('ada@x.org', factoryPassword).expect(200);
    });

    it('resets only the password of the super admin with PASSWORD_LOGIN=off', async () => {
      const env = { ...cli.env, ...mailSettings, ...signInSettings, PASSWORD_LOGIN: 'off' };
      const off = (...more: string[]) => cli.run(['users', 'reset-password', ...more], { env });
      const admin = await buildUser(harness.context, { role: 'super_admin' });
      const refused = 'so the program generates no passwords.';
      expect(await off('ada@x.org')).to.include({ exitCode: 1, stdout: '' });
      for (const options of [
        ['ada@x.org'],
        ['ada@x.org', '--link'],
        ['--role', 'trainee', '--credentials', 'p.csv', '--yes'],
      ])
        expect((await off(...options)).stderr).to.include(refused);
      expect(existsSync(path.join(cli.folder, 'p.csv'))).to.equal(false);
      const several = await off('ada@x.org', admin.email, '--link', '--yes');
      expect(several.exitCode).to.equal(3);
      expect((await models().Mail.findAll()).map(({ userId }) => userId)).to.deep.equal([admin.id]);
      const { exitCode, stdout } = await off(admin.email);
      expect(exitCode).to.equal(0);
      await login(admin.email, stdout.trim()).expect(200);
    });

    it('leaves no file if no password was reset, and never overwrites a file', async () => {
      expect((await reset('nobody', 'none', '--credentials', 'p.csv', '--yes')).exitCode).to.equal(1);
      expect((await reset('nobody', '--credentials', 'p.csv')).exitCode).to.equal(1);
      expect((await reset('ada@x.org', '--credentials', 'p.csv', '--dry-run')).exitCode).to.equal(0);
      expect(existsSync(path.join(cli.folder, 'p.csv'))).to.equal(false);
      file('p.csv', 'mine');
      expect((await reset('ada@x.org', 'ben@x.org', '--credentials', 'p.csv', '--yes')).exitCode).to.equal(2);
      expect(readFileSync(path.join(cli.folder, 'p.csv'), 'utf8')).to.equal('mine');
      await login('ada@x.org', 'factory-password').expect(200);
    });

    it('keeps the written passwords and stops if the database fails', async () => {
      const { sequelize } = harness.context.database;
      const { id } = await models().User.findOne({ where: { email: 'cleo@x.org' }, rejectOnEmpty: true });
      await sequelize.query(
        `CREATE TRIGGER no_more BEFORE INSERT ON audit_entries FOR EACH ROW ${
          sequelize.getDialect() === 'sqlite'
            ? `WHEN NEW.target_id = '${id}' BEGIN SELECT RAISE(ABORT, 'no more'); END`
            : `BEGIN IF NEW.target_id = '${id}' THEN SIGNAL SQLSTATE '45000'; END IF; END`
        }`,
      );
      try {
        const argv = ['ada@x.org', 'cleo@x.org', 'ben@x.org', '--credentials', 'p.csv', '--yes'];
        const { exitCode, stderr } = await reset(...argv);
        expect(exitCode).to.equal(70);
        expect(stderr).to.include('At least 0 passwords reset before this failure. All: coursectl audit list\n');
      } finally {
        await sequelize.query('DROP TRIGGER no_more');
      }
      const [ada] = passwordsIn('p.csv');
      await login('ada@x.org', ada?.password ?? '').expect(200);
      expect(passwordsIn('p.csv').map(({ email }) => email)).not.to.include('ben@x.org');
      await login('ben@x.org', 'factory-password').expect(200);
    });

    const mistakes: [argv: string, says: string][] = [
      ['a b --yes', 'The passwords of several accounts go to a file: add --credentials <file>.'],
      ['a b --yes --password-stdin', '--password-stdin is for one account: several get a generated password each.'],
      ['a --credentials p.csv --password-stdin', '--password-stdin and --credentials cannot be used together.'],
      ['--from - --yes --password-stdin', '--password-stdin and --from - cannot be used together.'],
      ['a --dry-run --password-stdin', '--password-stdin and --dry-run cannot be used together.'],
      ['a --json', 'A generated password is never part of --json output, which is often logged.'],
    ];
    it('refuses contradictory options', async () => {
      for (const [argv, says] of mistakes) {
        const { exitCode, stdout, stderr } = await reset(...argv.split(' '));
        expect(exitCode, argv).to.equal(2);
        expect(stdout + stderr, argv).to.include(says);
      }
    });
  });

  describe('long lists', () => {
    it('are changed in batches, with progress at a terminal', async () => {
      const emails = await buildMany(250);
      const argv = ['users', 'deactivate', '--from', file('many.txt', emails.join('\n')), '--yes'];
      const { exitCode, stdout, terminal } = await cli.atTerminal(argv, []);
      expect(exitCode).to.equal(0);
      expect(terminal.screen()).to.match(/Deactivating .* of 250 accounts/);
      expect(terminal.screen()).to.include('250 accounts deactivated.');
      expect(stdout.split('\n')).to.have.lengthOf(252);
      expect(await models().AuditEntry.count()).to.equal(250);
      expect(await active()).to.deep.equal(['ada@x.org', 'ben@x.org']);
    }).timeout(scaled(60_000));

    it('stop at Ctrl-C between two accounts, and list changed and remaining accounts', async () => {
      const emails = await buildMany(300);
      const stopping = new AbortController();
      const list = file('many.txt', emails.join('\n'));
      const running = cli.run(['users', 'deactivate', '--from', list, '--yes', '--json'], { signal: stopping.signal });
      while ((await models().AuditEntry.count()) < 5) await new Promise((resolve) => setImmediate(resolve));
      stopping.abort();
      const { exitCode, stdout } = await running;
      expect(exitCode).to.equal(130);
      const { counts, outcomes } = JSON.parse(stdout) as Outcomes;
      expect(counts.done + counts.refused).to.equal(300);
      expect(counts.done).to.be.within(5, 299);
      expect(await models().User.count({ where: { isActive: false } })).to.equal(counts.done + 1);
      expect(outcomes.at(-1)).to.include({ given: 'trainee299@example.com', outcome: 'refused', code: 'INTERRUPTED' });
    }).timeout(scaled(60_000));
  });
});
