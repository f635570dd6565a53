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

/** The status and the usual message of each code that clients can get. */
const failures = new Map(
  // The keys of an object are its own.
  (Object.keys(failureResponses) as ErrorCode[]).map((code): [PublicCode, { status: number; message: string }] => {
    const { status, message = new AppError(code).message }: FailureResponse = failureResponses[code];
    return [publicCodeOf(code), { status, message }];
  }),
);

/**
 * The response is this failure, and says nothing else but the parameters of its sentence.
 * @param detail a message of its own, instead of the usual one
 */
export function expectFailure(response: Response, code: PublicCode, detail?: string, params?: object): void {
  const { status, message } = failures.get(code) ?? {};
  const body = { error: detail ?? message, ...(params && { params }) };
  const { status: answered, body: said, headers } = response;
  expect({ status: answered, code: headers['error-code'], body: said }).to.deep.equal({ status, code, body });
}

/** The response names exactly these invalid fields, each with an entry of the documented shape. */
export function expectInvalid(response: Response, paths: readonly string[], location = 'body'): void {
  expect(response.status, response.text).to.equal(400);
  expect(response.body).to.have.all.keys('errors');
  const { errors } = response.body as { errors: Record<string, unknown>[] };
  for (const entry of errors) {
    expect(entry).to.have.all.keys('type', 'path', 'location', 'msg', 'code', 'params');
    expect(entry).to.include({ type: 'field', location });
    expect(entry.msg).to.be.a('string').that.is.not.empty;
    expect(problemCodes).to.include(entry.code);
    // What stands for rules that have no code of their own.
    expect(entry.code, String(entry.msg)).not.to.equal('INVALID');
  }
  expect(errors.map(({ path }) => path)).to.have.members(paths);
}

/** The message of the only invalid field. */
export function messageOf(response: Response): string {
  return (response.body as { errors: { msg: string }[] }).errors.map(({ msg }) => msg).join(' | ');
}

/** A person whom setup and registration accept. */
export const ada = {
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: 'ada@example.org',
  phone: '+44 (20) 7946-0001',
  password: 'difference engine',
};

/** The object without one of its keys. */
export function without<T extends object>(source: T, key: keyof T): Partial<T> {
  const { [key]: _, ...rest } = source;
  return rest as Partial<T>;
}
