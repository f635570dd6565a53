import { expect } from 'chai';
import { loadConfig } from '../../../src/config/config.js';
import { openDatabase } from '../../../src/db/connection.js';
import { migrateUp, migrationStatus } from '../../../src/db/migrations/migrator.js';
import { AppError, type ErrorCode } from '../../../src/errors.js';

/** Returns the AppError with which work fails. Any other result, including success, fails the test. */
export async function failureOf(work: () => unknown): Promise<AppError> {
  try {
    await work();
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('It succeeded, and should have failed.');
}

/** A password that no message may contain. */
export const canary = 'pa55word-canary';

/** Expects that reading, writing and migrating all fail with this error. */
export async function expectFailures(
  env: Record<string, string>,
  code: ErrorCode,
  message: RegExp,
  only?: 'writes',
): Promise<void> {
  const database = openDatabase(loadConfig({ env, cwd: '/' }).database);
  const { User } = database.models;
  const reads = [() => database.read(() => User.count()), () => migrationStatus(database)];
  const writes = [
    () => database.inTransaction((transaction) => User.destroy({ where: {}, transaction })),
    () => migrateUp(database),
  ];
  const attempts = only === 'writes' ? writes : [...reads, ...writes, ...reads];
  for (const attempt of attempts) {
    const failure = await failureOf(attempt);
    expect(failure.code, failure.message).to.equal(code);
    expect(failure.message).to.match(message);
    expect(failure.message).not.to.include(canary);
    expect(failure.cause).to.be.an('error');
  }
  // Concurrent queries during the connection attempt all fail: none waits forever.
  if (only !== 'writes') await Promise.all([...reads, ...reads].map((attempt) => failureOf(attempt)));
  await database.close();
}
