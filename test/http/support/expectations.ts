import { expect } from 'chai';
import type { Response } from 'supertest';
import { problemCodes } from '../../../src/field-problem.js';

/** The response is this failure, and says nothing else but the parameters of its sentence. */
export function expectFailure(response: Response, status: number, error: string, params?: object): void {
  const body = { error, ...(params && { params }) };
  expect({ status: response.status, body: response.body }).to.deep.equal({ status, body });
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

/** Messages that the specification fixes, and those of the HTTP contract. */
export const messages = {
  setupCompleted: 'System setup already completed.',
  emailTaken: 'User with this email already exists.',
  phoneTaken: 'User with this phone number already exists.',
  superAdminExists: 'Super Admin account already exists. Cannot create another one.',
  noMatch: 'Invalid credentials or account inactive.',
  wrongPassword: 'Invalid credentials.',
  noToken: 'Access denied. No token provided.',
  badToken: 'Invalid or expired token.',
};
