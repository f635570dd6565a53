import { expect } from 'chai';
import { DatabaseError, QueryTypes } from 'sequelize';
import { AppError } from '../src/errors.js';
import { createLogger } from '../src/logger.js';
import { buildUser } from './support/factories.js';
import { useHarness } from './support/harness.js';

type Line = Record<string, unknown>;

/** Creates a logger at the given level, and collects its lines. */
function collecting(level = 'trace') {
  const texts: string[] = [];
  const logger = createLogger(level, { write: (text) => texts.push(text) });
  return { logger, text: () => texts.join(''), lines: () => texts.map((text) => JSON.parse(text) as Line) };
}

describe('the logger', () => {
  it('writes a line of JSON with a named level and an ISO time', () => {
    const { logger, lines } = collecting();
    logger.warn({ port: 3000 }, 'hello');
    const [line] = lines();
    expect(line).to.deep.include({ level: 'warn', port: 3000, msg: 'hello' });
    expect(line?.time).to.match(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  });

  it('writes only lines of its level and above', () => {
    const { logger, text } = collecting('warn');
    logger.info('quiet');
    expect(text()).to.equal('');
    const silent = collecting('silent');
    silent.logger.fatal('nothing');
    expect(silent.text()).to.equal('');
  });

  it('redacts secrets down to the third level, in lists and in the headers of a request, too', () => {
    const { logger, text, lines } = collecting();
    const secretKeys =
      'password newPassword currentPassword temporaryPassword passwordHash token authorization jwtSecret cookie';
    for (const key of [...secretKeys.split(' '), 'jwtSecretPrevious']) {
      const secret = { [key]: 'hunter2' };
      const nested = { ...secret, a: { ...secret, b: secret }, list: [secret] };
      logger.info(nested, 'secrets');
      expect(lines().at(-1)?.[key]).to.equal('[redacted]');
      expect(nested.a).to.deep.equal({ [key]: 'hunter2', b: { [key]: 'hunter2' } });
    }
    logger.child({ req: { headers: { authorization: 'Bearer hunter2', cookie: 'hunter2' } } }).info('asked');
    expect(text()).not.to.include('hunter2');
  });
});

describe('logged errors', () => {
  const logged = (error: unknown) => {
    const { logger, text, lines } = collecting();
    logger.error({ err: error });
    return { text: text(), err: lines()[0]?.err as Line };
  };

  it('have type, message, code, stack and causes', () => {
    const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    const { err } = logged(new AppError('DATABASE_UNREACHABLE', 'No database.', { cause }));
    expect(err).to.include({ type: 'AppError', code: 'DATABASE_UNREACHABLE', message: 'No database.' });
    expect(err.stack).to.include('logger.test');
    expect(err.cause).to.deep.include({ type: 'Error', code: 'ECONNREFUSED', message: 'refused' });
  });

  it('may be logged alone, and may be any thrown value', () => {
    const { logger, lines } = collecting();
    logger.error(new AppError('NOT_READY'));
    expect(lines()[0]?.err).to.include({ type: 'AppError', code: 'NOT_READY' });
    expect(logged('just a text').err).to.deep.equal({ message: 'just a text' });
    expect(logged(null).err).to.deep.equal({ message: 'null' });
  });

  it('contain no properties that drivers add', () => {
    const parent = Object.assign(new Error('broken'), { sql: 'SELECT hunter2' });
    const error = new DatabaseError(Object.assign(parent, { parameters: { $1: 'hunter2' } }));
    expect(logged(error).text).not.to.include('hunter2');
    expect(logged(new AppError('DATABASE_UNUSABLE', 'Broken.', { cause: error })).text).not.to.include('hunter2');
  });

  it('omit all values and SQL that servers quote', () => {
    const values = ["o'hunter2@example.org", "' for key 'hunter2", 'two\nlines of hunter2', 'hunter2 (at line'];
    const sentences = [
      (value: string) => `Duplicate entry '${value}' for key 'users.users_email_unique'`,
      (value: string) => `Incorrect string value: '${value}' for column \`db\`.\`users\`.\`email\` at row 1`,
      (value: string) => `Incorrect datetime value: '${value}' for column 'created_at' at row 1`,
      (value: string) => `Truncated incorrect DOUBLE value: '${value}'`,
      (value: string) => `Incorrect DATE value: '${value}'`,
      (value: string) => `Cannot convert string '${value}' from utf8mb4 to ascii`,
      (value: string) => `Invalid utf8mb4 character string: '${value}'`,
      (value: string) =>
        `You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use near '${value}' at line 1`,
    ];
    for (const value of values) {
      for (const sentence of sentences) {
        const { text, err } = logged(new Error(sentence(value)));
        expect(text, sentence(value)).not.to.include('hunter2');
        expect(err.message).to.include("'…'");
        expect(err.stack).to.include('logger.test');
      }
    }
  });
});

describe('logged errors of a real database', () => {
  const harness = useHarness();
  const secret = "o'canary@example.org";

  /** Returns the log of a failing statement, alone and as the cause of an AppError. */
  async function traces(statement: () => Promise<unknown>): Promise<string> {
    const { logger, text } = collecting();
    try {
      await statement();
    } catch (error) {
      logger.error({ err: error });
      logger.error({ err: (error as { parent?: unknown }).parent });
      logger.error({ err: new AppError('OVERLOADED', undefined, { cause: error }) });
      return text();
    }
    throw new Error('It should have failed.');
  }

  it('contain no SQL, parameters or duplicate values', async () => {
    const { sequelize, models } = harness.context.database;
    await buildUser(harness.context, { email: secret });
    const user = await buildUser(harness.context);
    const failures = [
      () => models.User.update({ email: secret }, { where: { id: user.id } }),
      () => user.update({ email: secret }),
      () => sequelize.query('SELECT nothing FROM users WHERE email = ?', { replacements: [secret] }),
      () => sequelize.query(`SELEC * FROM users WHERE email = "${secret}"`, { type: QueryTypes.SELECT }),
      () => models.User.update({ role: `${secret}${'x'.repeat(50)}` as 'trainee' }, { where: { id: user.id } }),
    ];
    for (const failure of failures) {
      const text = await traces(failure);
      expect(text).not.to.include('canary');
      expect(text).not.to.match(/SELECT nothing|SELEC |UPDATE `|WHERE/);
    }
  });
});
