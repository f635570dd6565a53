import { expect } from 'chai';
import type { Response } from 'supertest';
import { AppError, type ErrorCode } from '../../../src/errors.js';
import { problemCodes } from '../../../src/field-problem.js';
import {
  type FailureResponse,
  failureResponses,
  type PublicCode,
  publicCodeOf,
} from '../../../src/http/api/failures.js';

/** Status and default message of each public code. */
const failures = new Map(
  // TypeScript types keys as text.
  (Object.keys(failureResponses) as ErrorCode[]).map((code): [PublicCode, { status: number; message: string }] => {
    const { status, message = new AppError(code).message }: FailureResponse = failureResponses[code];
    return [publicCodeOf(code), { status, message }];
  }),
);

/**
 * Expects a failure with exactly the given parameters.
 * @param detail message, if it isn't the default message
 */
export function expectFailure(response: Response, code: PublicCode, detail?: string, params?: object): void {
  const { status, message } = failures.get(code) ?? {};
  const body = { error: detail ?? message, ...(params && { params }) };
  const { status: answered, body: said, headers } = response;
  expect({ status: answered, code: headers['error-code'], body: said }).to.deep.equal({ status, code, body });
}

/** Expects exactly these invalid fields, each with a documented entry. */
export function expectInvalid(response: Response, paths: readonly string[], location = 'body'): void {
  expect(response.status, response.text).to.equal(400);
  expect(response.body).to.have.all.keys('errors');
  const { errors } = response.body as { errors: Record<string, unknown>[] };
  for (const entry of errors) {
    expect(entry).to.have.all.keys('type', 'path', 'location', 'msg', 'code', 'params');
    expect(entry).to.include({ type: 'field', location });
    expect(entry.msg).to.be.a('string').that.is.not.empty;
    expect(problemCodes).to.include(entry.code);
    // INVALID is only for rules without their own code.
    expect(entry.code, String(entry.msg)).not.to.equal('INVALID');
  }
  expect(errors.map(({ path }) => path)).to.have.members(paths);
}

/** Returns the messages of all invalid fields. */
export function messageOf(response: Response): string {
  return (response.body as { errors: { msg: string }[] }).errors.map(({ msg }) => msg).join(' | ');
}

/** Valid input of setup and registration. */
export const ada = {
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: 'ada@example.org',
  phone: '+44 (20) 7946-0001',
  password: 'difference engine',
};

/** Returns a copy of the object without a key. */
export function without<T extends object>(source: T, key: keyof T): Partial<T> {
  const { [key]: _, ...rest } = source;
  return rest as Partial<T>;
}
