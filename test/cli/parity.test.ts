import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { signIn } from '../support/factories.js';
import { useHarnessAndCli } from '../support/harness-cli.js';
import { keys } from '../support/terminal.js';

const valid = {
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: 'ada@example.org',
  phone: '+44 20 1',
  role: 'trainee',
  password: 'difference engine',
};
type Field = keyof typeof valid;

const flags: Record<Exclude<Field, 'password'>, string> = {
  firstName: '--first-name',
  lastName: '--last-name',
  email: '--email',
  phone: '--phone',
  role: '--role',
};

/** Ways of a value into the program. An empty password in a file requests a generated one. */
type Way = 'option' | 'prompt' | 'file';
const everyWay: Way[] = ['option', 'prompt', 'file'];

/** One case for each field and way. See test/schemas/fields.test.ts for other values. */
const cases: [field: Field, value: string, ways?: Way[]][] = [
  // The message for a file is longer: the person may have one name only.
  ['firstName', '   ', ['option', 'prompt']],
  ['lastName', 'x'.repeat(51)],
  ['lastName', 'Ada\u0007', ['option', 'file']],
  ['email', 'ada lovelace@example.org'],
  // Rows of a file need a phone only if they create an account.
  ['phone', '', ['option', 'prompt']],
  ['phone', '1'.repeat(51)],
  ['password', '', ['option', 'prompt']],
  ['password', '🔑🔑🔑🔑🔑'],
  // The message for a file excludes super admins; a prompt offers only valid roles.
  ['role', 'TRAINER', ['option']],
];

interface Problem {
  path: string;
  msg: string;
  code: string;
  params: object;
}

describe('the same bad value', () => {
  const { harness, cli } = useHarnessAndCli();

  function options(person: typeof valid, leaveOut?: Field): string[] {
    const given = Object.entries(flags).filter(([field]) => field !== leaveOut);
    return given.flatMap(([field, flag]) => [flag, person[field as Field]]);
  }

  async function messageOfApi(person: typeof valid): Promise<Problem[]> {
    const { token } = await signIn(harness.context, { role: 'super_admin' });
    const { body } = await harness.api('post', '/api/auth/register', token).send(person).expect(400);
    return (body as { errors: Problem[] }).errors;
  }

  async function messageOfFile(person: typeof valid): Promise<string> {
    const { role: _, ...cells } = person;
    const file = path.join(cli.folder, 'people.csv');
    writeFileSync(file, stringify([cells], { header: true }));
    expect((await cli.run(['users', 'import', file, '--yes'])).exitCode).to.equal(3);
    const rejected = readFileSync(path.join(cli.folder, 'people.rejected.csv'), 'utf8');
    const [row] = parse<{ reason: string }>(rejected, { columns: true });
    return row?.reason ?? '';
  }

  for (const [field, value, ways = everyWay] of cases) {
    const shown = value.length > 20 ? `${value.slice(0, 5)}… (${value.length})` : value;
    it(`${field} ${JSON.stringify(shown)} is refused with the same sentence everywhere`, async () => {
      const person = { ...valid, [field]: value };
      const [problem, ...others] = await messageOfApi(person);
      expect(others).to.deep.equal([]);
      expect(problem?.path).to.equal(field);
      const sentence = problem?.msg ?? '';

      if (ways.includes('option')) {
        const argv = ['users', 'register', ...options(person), '--password-stdin'];
        const { exitCode, stderr: output } = await cli.run(argv, { stdin: person.password });
        // The terminal also suggests a value.
        const stderr = output.replace(/ Did you mean [^?]+\?/, '');
        expect({ exitCode, stderr }, 'option').to.deep.equal({ exitCode: 2, stderr: `error: ${sentence}\n` });
        const { error } = await cli.json<{ error: object }>(argv, { stdin: person.password });
        const details = [{ path: field, code: problem?.code, params: problem?.params, message: sentence }];
        expect(error, 'json').to.deep.equal({ code: 'VALIDATION', message: sentence, details });
      }
      if (ways.includes('prompt')) {
        const { exitCode } = await cli.atTerminal(
          ['users', 'register', ...options(person, field)],
          [
            ['? ', `${value}${keys.enter}`],
            [`> ${sentence}`, keys.ctrlC],
          ],
        );
        expect(exitCode, 'prompt').to.equal(130);
      }
      if (ways.includes('file')) expect(await messageOfFile(person), 'file').to.equal(sentence);
      expect(await harness.context.database.models.User.count()).to.equal(1);
    });
  }

  it('is refused for all fields together', async () => {
    const person = { firstName: 'A', lastName: '', email: 'ada', phone: '', role: 'boss', password: 'short' };
    const sentences = (await messageOfApi(person)).map(({ msg }) => msg);
    expect(sentences).to.have.lengthOf(6);
    const { stderr } = await cli.run(['users', 'register', ...options(person), '--password-stdin'], { stdin: 'short' });
    expect(stderr.split('\n').slice(1, -1).sort()).to.deep.equal(sentences.map((sentence) => `  ${sentence}`).sort());
    const inFile = await messageOfFile(person);
    for (const sentence of sentences.filter((one) => !/^(Role|Phone)/.test(one))) expect(inFile).to.include(sentence);
  });
});
