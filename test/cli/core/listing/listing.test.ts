import path from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { type PageQuery, pagesOf } from '../../../../src/cli/core/listing/listing.js';
import { displayWidth } from '../../../../src/cli/core/output/fit.js';
import { newIds } from '../../../../src/services/new-ids.js';
import { testEnvironment } from '../../../support/environment.js';
import { buildCourse, buildEnrollment, buildMaterial, buildUser, tokenFor } from '../../../support/factories.js';
import { useHarness } from '../../../support/harness.js';
import { useHarnessAndCli } from '../../../support/harness-cli.js';
import { type CliOptions, useCommandLine } from '../../../support/run-cli.js';
import { rowsOfWorkbook } from '../../../support/workbooks.js';

const day = 86_400_000;
const bold = '\u001b[1m';

describe('A listing', () => {
  const harness = useHarness();
  const cli = useCommandLine(() => ({
    ...testEnvironment,
    DATABASE_URL: harness.databaseUrl,
    PATH: process.env.PATH ?? '',
  }));
  const at = (columns: number, rows = 50, env: Record<string, string> = {}): Partial<CliOptions> => ({
    screen: { columns, rows },
    env: { ...cli.env, NO_COLOR: '1', ...env },
  });

  /** Creates more audit entries than one page has. */
  async function buildEntries(count: number) {
    const { AuditEntry } = harness.context.database.models;
    await AuditEntry.bulkCreate(
      newIds(count).map((id, index) => ({
        id,
        at: new Date(Date.now() - (count - index) * 1000),
        origin: 'cli' as const,
        action: 'user.update',
        targetType: 'user' as const,
        targetId: id,
      })),
    );
  }

  it('keeps its heading visible on a screen of 24 lines', async () => {
    for (let count = 0; count < 25; count += 1) await buildUser(harness.context);
    const { stdout, stderr } = await cli.run(['users', 'list'], at(80, 24));
    const lines = (stdout + stderr).trimEnd().split('\n');
    expect(lines.length).to.be.lessThan(24);
    expect(lines[0]).to.match(/^NAME /);
    expect(stderr).to.include('Page 1 of 2, 25 accounts.');
  });

  it('of all pages continues after the last item, also if rows are deleted during the listing', async () => {
    let rows = Array.from({ length: 250 }, (_, index) => ({ id: `row ${index}` }));
    const all = rows.map(({ id }) => id);
    const read = async ({ page, limit, afterId }: PageQuery) => {
      const from = afterId === undefined ? 0 : rows.findIndex(({ id }) => id === afterId) + 1;
      const items = rows.slice(from, from + Number(limit));
      const totalPages = Math.ceil(rows.length / Number(limit));
      const pagination = {
        currentPage: Number(page),
        totalPages,
        totalItems: rows.length,
        itemsPerPage: Number(limit),
      };
      rows = rows.filter(({ id }) => id === items.at(-1)?.id || !items.some((item) => item.id === id));
      return { items, pagination };
    };
    const listed: string[] = [];
    for await (const { items } of pagesOf(read, { limit: 'all' })) listed.push(...items.map(({ id }) => id));
    expect(listed).to.deep.equal(all);
  });

  describe('of few rows', () => {
    beforeEach(async () => {
      const { context } = harness;
      const trainer = await buildUser(context, { firstName: 'Grace', lastName: 'Adler', role: 'trainer' });
      const course = await buildCourse(context, trainer, { title: '花子 and the art of weaving large baskets' });
      const trainee = await buildUser(context, {
        firstName: 'Zoë 🦊',
        lastName: '李小龙',
        email: 'zoe.li@example.org',
      });
      await buildEnrollment(context, trainee, course, { enrolledAt: new Date(Date.now() - 3 * day - 60_000) });
    });

    it('fits the terminal, also with wide characters', async () => {
      for (const width of [60, 80, 120])
        for (const line of ['users list', 'courses list', 'enrollments list', 'courses trainers']) {
          const { exitCode, stdout } = await cli.run(line.split(' '), at(width));
          expect(exitCode).to.equal(0);
          for (const line of stdout.split('\n')) expect(displayWidth(line), line).to.be.at.most(width);
        }
    });

    it('shows relative times and short ids at a terminal, and names omitted columns', async () => {
      const wide = await cli.run(['enrollments', 'list'], at(120));
      expect(wide.stdout).to.match(/ 3 days ago +[\da-f]{8}\n$/);
      expect(wide.stderr).to.equal('Page 1 of 1, 1 enrollment.\n');
      const narrow = await cli.run(['enrollments', 'list'], at(60));
      expect(narrow.stdout).to.match(/^TRAINEE +COURSE +STATUS +PROGRESS +ID\nZoë 🦊 李小龙 +花子 and\b.*… +/);
      expect(narrow.stderr).to.equal(
        'Page 1 of 1, 1 enrollment.\nColumns left out: email, enrolledAt. Choose with --columns\n',
      );
      const titles = await cli.run(['courses', 'list'], at(60));
      expect(titles.stdout).to.match(/^花子 and the .*\n(?:.*\n)*.*\bbaskets$/m);
    });

    it('writes a workbook with the chosen columns to an .xlsx file, never to a terminal', async () => {
      const argv = ['users', 'list', '--limit', 'all', '--sort=firstName', '--columns'];
      const { stdout, stderr } = await cli.run([...argv, 'email,phone', '--output', 'people.xlsx']);
      expect({ stdout, stderr }).to.deep.equal({ stdout: '', stderr: 'Written to people.xlsx. 2 accounts.\n' });
      const rows = await rowsOfWorkbook(path.join(cli.folder, 'people.xlsx'));
      expect(rows[0]).to.deep.equal(['email', 'phone']);
      expect(rows).to.have.length(3);
      expect(rows[2]?.[0]).to.equal('zoe.li@example.org');
      expect((await cli.run(['users', 'list', '--output', 'xlsx'])).stdout).to.match(/^PK/);
      const refused = await cli.refusal(['users', 'list', '--output', 'xlsx'], at(80));
      expect(refused.message).to.match(/^A workbook can't be shown at a terminal/);
      const again = await cli.refusal(['users', 'list', '--output', 'people.xlsx']);
      expect(again.message).to.equal('The file people.xlsx exists already and is never overwritten. Name another one.');
    });

    it('shows times in full with --absolute, and without a terminal', async () => {
      const time = / \d{4}-\d\d-\d\dT\S+Z /;
      expect((await cli.run(['enrollments', 'list', '--absolute'], at(160))).stdout).to.match(time);
      expect((await cli.run(['enrollments', 'list'])).stdout)
        .to.match(time)
        .and.to.match(/ [\da-f-]{36}\n$/);
    });

    it('has a bold heading at a terminal, but not with NO_COLOR or in a pipe', async () => {
      const coloured = await cli.run(['users', 'list'], { ...at(80), env: cli.env });
      expect(coloured.stdout.startsWith(bold)).to.equal(true);
      expect((await cli.run(['users', 'list'], at(80))).stdout).not.to.include('\u001b');
      const { stdout, stderr } = await cli.run(['users', 'list', '--quiet']);
      expect(stdout).not.to.include('\u001b');
      expect(stderr).to.equal('');
    });

    it('has the chosen columns in their order, with whole ids', async () => {
      const { stdout } = await cli.run(['enrollments', 'list', '--columns', 'id,Course,completedAt'], at(60));
      expect(stdout).to.match(/^ID +COURSE +COMPLETED\n[\da-f-]{36} {2}花子/);
      const csv = await cli.run(['users', 'list', '--columns', 'email,role', '--output', 'csv', '--sort', '-email']);
      expect(csv.stdout).to.match(/^email,role\nzoe\.li@example\.org,trainee\n\S+,trainer\n$/);
    });

    it('is CSV with all columns, and JSON and YAML with the fields of the API', async () => {
      const { enrollments } = await cli.json<{ enrollments: { id: string; enrolledAt: string }[] }>([
        'enrollments',
        'list',
      ]);
      const [first] = enrollments;
      const yaml = parse((await cli.run(['enrollments', 'list', '--output', 'yaml'], at(60))).stdout);
      expect(yaml.enrollments).to.deep.equal(enrollments);
      const csv = (await cli.run(['enrollments', 'list', '--output', 'csv'])).stdout.split('\n');
      expect(csv[0]?.split(',')).to.include.members(['trainee', 'completedAt', 'userId', 'id']);
      expect(csv[1]).to.include(first?.enrolledAt).and.to.include(first?.id);
      const [long, short] = [
        await cli.run(['enrollments', 'list', '--output', 'json']),
        await cli.run(['enrollments', 'list', '--json']),
      ];
      expect(long).to.deep.equal(short);
    });

    it('keeps its meaning in YAML for any text', async () => {
      const evil = 'no: \u001b[31m\u202e\u2028\r"x"';
      await harness.context.database.models.Course.update({ title: evil, location: 'no' }, { where: {} });
      const { stdout } = await cli.run(['courses', 'list', '--output', 'yaml'], at(80));
      expect(stdout).not.to.match(/[^\P{Cc}\n]|[\u2028\u202e]/u);
      expect(parse(stdout).courses[0]).to.include({ title: evil, location: 'no' });
      expect(stdout).to.include('location: "no"');
      const table = await cli.run(['courses', 'list'], at(80));
      expect(table.stdout).not.to.match(/[^\P{Cc}\n]|[\u2028\u202e]/u);
    });
  });

  it('without items is empty in every format', async () => {
    const written = async (format: string) =>
      (await cli.run(['imports', 'list', '--output', format, '--columns', 'file,id'])).stdout;
    expect(await written('table')).to.equal('');
    expect(await written('csv')).to.equal('file,id\n');
    expect((await cli.run(['imports', 'list', '--json', '--limit', 'all'])).stdout).to.equal(
      `${JSON.stringify({ imports: [], pagination: { currentPage: 1, totalPages: 0, totalItems: 0, itemsPerPage: 0 } }, null, 2)}\n`,
    );
  });

  describe('of all pages', () => {
    beforeEach(() => buildEntries(230));

    it('has every row exactly once', async () => {
      const all = ['audit', 'list', '--limit', 'all'];
      const { entries, pagination } = await cli.json<{ entries: { id: string }[]; pagination: object }>(all);
      expect(new Set(entries.map(({ id }) => id)).size).to.equal(230);
      expect(pagination).to.deep.equal({ currentPage: 1, totalPages: 1, totalItems: 230, itemsPerPage: 230 });
      const { stdout, stderr } = await cli.run(all);
      expect(stdout.split('\n')).to.have.lengthOf(232);
      expect(stderr).to.equal('230 entries.\n');
      expect((await cli.run([...all, '--output', 'csv'])).stdout.split('\n')).to.have.lengthOf(232);
      expect(parse((await cli.run([...all, '--output', 'yaml'])).stdout).entries).to.have.lengthOf(230);
    });

    it('is shown by the pager if it is longer than the screen', async () => {
      const pager = { PAGER: "sed 's/^/paged: /'" };
      const oneLineARow = ['--columns', 'at,action'];
      const long = await cli.run(['audit', 'list', '--limit', 'all', ...oneLineARow], at(80, 24, pager));
      const lines = long.stdout.split('\n');
      expect(lines).to.have.lengthOf(232);
      expect(lines.filter((line) => line.startsWith('paged: '))).to.have.lengthOf(231);
      expect(long.stderr).to.match(/^230 entries\.\n/);
      const short = await cli.run(['audit', 'list', '--limit', '3', ...oneLineARow], at(80, 24, pager));
      expect(short.stdout).not.to.include('paged');
    });

    it('is not paged with --no-pager, with an empty PAGER, on a simple terminal and in a pipe', async () => {
      const pager = { PAGER: 'false' };
      const all = ['audit', 'list', '--limit', 'all', '--columns', 'at,action'];
      for (const [argv, options] of [
        [[...all, '--no-pager'], at(80, 24, pager)],
        [all, at(80, 24, { PAGER: '' })],
        [all, at(80, 24, { ...pager, TERM: 'dumb' })],
        [all, { env: { ...cli.env, ...pager } }],
      ] as const)
        expect((await cli.run(argv, options)).stdout.split('\n')).to.have.lengthOf(232);
    });

    it('ends when the pager is closed early, and reports an unusable pager', async () => {
      const all = ['audit', 'list', '--limit', 'all'];
      const left = await cli.run(all, at(80, 24, { PAGER: 'head -2' }));
      expect(left.exitCode).to.equal(0);
      expect(left.stdout.split('\n')).to.have.lengthOf(3);
      const none = await cli.run(all, at(80, 24, { PAGER: 'no-such-pager' }));
      expect(none.exitCode).to.equal(2);
      expect(none.stderr).to.include(
        'error: The pager "no-such-pager" can\'t be run: change PAGER, or add --no-pager.',
      );
    });
  });

  it('refuses contradictory options; with --output json, the refusal is JSON', async () => {
    const noColumns = 'JSON and YAML have the fields of the API: --columns works with table, csv and xlsx.';
    for (const [line, says] of [
      ['--columns name,shoe', '--columns must be among name, email,'],
      ['--columns name --json', noColumns],
      ['--columns name --output yaml', noColumns],
      ['--output list.ods', 'Allowed choices are table, json, csv, yaml, xlsx.'],
      ['--json --output list.xlsx', '--json and --output list.xlsx cannot be used together.'],
      ['--json --output csv', '--json and --output csv cannot be used together.'],
      ['--page 2 --limit all', '--page and --limit all cannot be used together.'],
      ['--limit many', '--limit must be a number.'],
      ['--limit 101', '--limit must be 100 or less. "all" lists all pages.'],
      ['--page 0', '--page must be 1 or more.'],
      ['--output xml', 'Allowed choices are table, json, csv, yaml, xlsx.'],
      ['--output json --shoe', '"error":{"code":'],
      ['--output=json --sort shoe', '"error":{"code":'],
    ] as const) {
      const { exitCode, stdout, stderr } = await cli.run(['users', 'list', ...line.split(' ')]);
      expect(exitCode, line).to.equal(2);
      expect(stdout + stderr).to.include(says);
    }
  });
});

describe('The last 8 characters of an id', () => {
  const { harness, cli } = useHarnessAndCli();

  it('find a file, a session, and an enrollment, unless several ids end with them', async () => {
    const { context } = harness;
    const course = await buildCourse(context, await buildUser(context, { role: 'trainer' }));
    const { id } = await buildEnrollment(context, await buildUser(context), course, { status: 'active' });
    const end = id.slice(-8);
    const shown = await cli.json<{ enrollment: { id: string } }>(['enrollments', 'show', end.toUpperCase()]);
    expect(shown.enrollment.id).to.equal(id);
    for (const argv of [
      ['progress', end, '50'],
      ['status', end, 'cancelled'],
    ])
      expect((await cli.run(['enrollments', ...argv])).exitCode).to.equal(0);
    const twin = await buildEnrollment(context, await buildUser(context), course);
    const other = `0198c1f2-7a3b-7c4d-8e50-6a7b${end}`;
    await context.database.models.Enrollment.update({ id: other }, { where: { id: twin.id } });
    expect(await cli.refusal(['enrollments', 'show', end])).to.deep.equal({
      exitCode: 2,
      message: `Enrollment: several ids end with ${end}. Give the whole id: ${[id, other].sort().join(', ')}.`,
    });
    await context.database.models.Enrollment.destroy({ where: { id: other } });
    const file = await buildMaterial(await cli.context(), course, { name: 'a.txt' });
    const removed = await cli.run(['courses', 'files', 'remove', course.id, file.id.slice(-8), '--yes']);
    expect(removed.stdout).to.include('Removed a.txt');
    const user = await buildUser(harness.context);
    await tokenFor(harness.context, user);
    const { sessions } = await cli.json<{ sessions: { id: string }[] }>(['users', 'sessions', 'list', user.email]);
    const ended = await cli.run(['users', 'sessions', 'end', user.email, sessions[0]?.id.slice(-8) ?? '']);
    expect(ended.stdout).to.include('Ended the session');
    expect((await cli.run(['enrollments', 'remove', end, '--yes'])).stdout).to.equal('Removed 1 enrollment.\n');
    expect((await cli.refusal(['enrollments', 'show', end])).message).to.include(`Enrollment not found: ${end}.`);
  });

  it('find an account, unless they are the phone of another account', async () => {
    const ids = ['0198c1f2-7a3b-7c4d-8e50-6a7b8c9d0e1f', '0198c1f2-7a3b-7c4d-8e50-6a7b12345678'] as const;
    for (const id of ids) {
      const made = await buildUser(harness.context);
      await harness.context.database.models.User.update({ id }, { where: { id: made.id } });
    }
    const shown = async (reference: string) =>
      (await cli.json<{ user: { id: string } }>(['users', 'show', reference])).user.id;
    expect([await shown('8C9D0E1F'), await shown('12345678')]).to.deep.equal(ids);
    for (const phone of ['8c9d0e1f', '12345678']) {
      const { id } = await buildUser(harness.context, { phone, email: `${phone}@x.org` });
      const other = phone === '12345678' ? ids[1] : ids[0];
      expect(await cli.refusal(['users', 'show', phone])).to.deep.equal({
        exitCode: 2,
        message: `User: this is the phone of ${phone}@x.org, but also the end of another account's id. Give the whole id: ${id}, ${other}.`,
      });
    }
  });
});
