import type { Express } from 'express';
import request, { type Test } from 'supertest';
import type { Operation } from '../../../src/http/api/operation.js';
import type { Contract } from '../../../src/http/api/operations/contract.js';
import { createApp } from '../../../src/http/server/app.js';
import type { Context } from '../../../src/services/context.js';
import { buildUser, signIn } from '../../support/factories.js';
import { emptyDatabase } from '../../support/harness.js';
import { canaries, type LeakDetector } from './canaries.js';
import { type Example, examples, operations, ownPage, pathOf, sendExample } from './examples.js';
import { ada } from './expectations.js';

/** A file of accounts with secrets. */
export const secretRows = [
  'firstName,lastName,email,phone,password',
  `${canaries.cell},Lovelace,${canaries.cell}@example.org,+1 555 010101,${canaries.password}`,
  `${canaries.cell},L,${canaries.cell},,${canaries.wrongPassword}`,
].join('\n');

const secretFields: Record<string, string> = {
  password: canaries.password,
  currentPassword: canaries.wrongPassword,
  newPassword: canaries.newPassword,
};
const surplus = { passwordHash: canaries.password, token: canaries.token, secret: { nested: canaries.password } };

/** Returns the example with canaries in all secret fields, in unknown fields, and in files of accounts. */
function withCanaries({ body, upload, query, ...rest }: Example): Example {
  const fields = Object.entries(body ?? {}).map(([key, value]) => [key, secretFields[key] ?? value]);
  const file = upload?.name.endsWith('.csv') ? Buffer.from(`${secretRows}\n"${canaries.cell}`) : upload?.file;
  return {
    ...rest,
    query: { ...query, token: canaries.query },
    ...(body && { body: { ...Object.fromEntries(fields), ...surplus } }),
    ...(upload && file && { upload: { ...upload, file } }),
  };
}

/** Returns variants of a request: invalid token, wrong types, taken email and phone, canaries, and success. */
function variants(given: Example): Example[] {
  const sick = withCanaries(given);
  const wrong = Object.keys(given.body ?? {}).map((key) => [key, { [canaries.password]: canaries.password }]);
  const isNew = given.body && 'newPassword' in given.body;
  return [
    { ...sick, token: `${given.token ?? 'eyJhbGciOiJIUzI1NiJ9'}.${canaries.token}` },
    ...(sick.body ? [{ ...sick, body: Object.fromEntries(wrong) }] : []),
    ...(sick.body ? [{ ...sick, body: { ...sick.body, email: ada.email, phone: ada.phone } }] : []),
    sick,
    isNew ? { ...given, body: { ...given.body, newPassword: canaries.newPassword } } : given,
  ];
}

/** A service with a fault during requests. */
export interface Fault {
  app: Express;
  /** Starts the fault after the example is prepared. @returns a function that ends the fault */
  begin?: () => Promise<() => Promise<void>>;
}

const callsOf = (app: Express) => ({
  api: (method: Operation['method'], path: string, token?: string): Test => {
    const call = request(app)[method](path);
    return token === undefined ? call : call.auth(token, { type: 'bearer' });
  },
});

/** Sends the example of an operation, unchanged and with secrets, during a fault. */
export async function sendCanaries(
  context: Context,
  watch: LeakDetector,
  name: keyof Contract,
  operation: Operation,
  { during, app, begin }: Fault & { during: string },
): Promise<void> {
  await emptyDatabase(context);
  const given: Example = await examples[name](context);
  // Creates an account with a conflicting email and phone, unless the example has one.
  const { User } = context.database.models;
  const isTaken =
    (await User.count({ where: { email: ada.email } })) + (await User.count({ where: { phone: ada.phone } }));
  if (!isTaken && name !== 'setup' && name !== 'register')
    await buildUser(context, { email: ada.email, phone: ada.phone });
  const end = await begin?.();
  try {
    for (const sent of variants(given))
      watch.checkResponse(name, during, await sendExample(callsOf(app), operation, sent));
  } finally {
    await end?.();
  }
  await watch.checkEverything(`${name}, ${during}`);
}

const text = JSON.stringify({ ...secretFields, identifier: 'nobody@example.org', token: canaries.token });
const tooMuch = 'far too much';

type Refusal = { as?: 'trainee' | 'admin'; headers?: Record<string, string>; body?: string };

/** Requests that are refused before the operation reads their content, each with a body of secrets. */
const refusals: Record<string, Refusal> = {
  'no token': {},
  'a password as a token': { headers: { Authorization: `Bearer ${canaries.password}` } },
  'Basic credentials': { headers: { Authorization: `Basic ${canaries.basic}` } },
  'a cookie': { headers: { Cookie: `token=${canaries.token}` } },
  'another role': { as: 'trainee' },
  'malformed JSON': { as: 'admin', body: `${text.slice(0, -1)},` },
  'another content type': { as: 'admin', headers: { 'Content-Type': 'text/plain' } },
  'another character set': { as: 'admin', headers: { 'Content-Type': 'application/json; charset=utf-16' } },
  [tooMuch]: { as: 'admin', body: JSON.stringify({ password: canaries.password.repeat(10_000) }) },
  'too long a password': { as: 'admin', body: JSON.stringify({ password: canaries.password.repeat(10) }) },
};

/**
 * Sends secrets to all operations in refused requests, to unknown paths and methods, and too many logins.
 * @param each every operation gets every n-th kind of refusal; the first kind differs between operations
 */
export async function sendRefusedRequests(context: Context, watch: LeakDetector, each: number): Promise<void> {
  await emptyDatabase(context);
  const { api } = callsOf(createApp(context));
  const tokens = {
    trainee: (await signIn(context)).token,
    admin: (await signIn(context, { role: 'super_admin' })).token,
  };
  for (const [index, [name, { method, path, body: takes, ownPagesOnly }]] of operations.entries()) {
    // These operations would end the session of the following requests.
    if (/^log|^endSession/.test(name)) continue;
    const target = `${pathOf(path, {})}?token=${canaries.query}&password=${canaries.password}`;
    for (const [refusal, { as, headers, body = text }] of Object.entries(refusals).filter(
      ([refused], n) =>
        // If an operation reads no body, a long body closes the connection, possibly without a response.
        (n + index) % each === 0 && (refused !== tooMuch || takes),
    )) {
      const call = api(method, target, as && tokens[as]).set({
        'Content-Type': 'application/json',
        ...(ownPagesOnly && ownPage),
        ...headers,
      });
      watch.checkResponse(name, refusal, await call.send(body));
    }
    watch.checkLog(name);
  }
  for (const target of ['/api/nothing', '/api/auth/login'])
    watch.checkResponse(
      undefined,
      'no such operation',
      await api('put', `${target}?password=${canaries.password}`).send(text),
    );
  const { email } = await buildUser(context);
  for (let attempt = 0; attempt < 12; attempt += 1)
    watch.checkResponse(
      'login',
      'too often',
      await api('post', '/api/auth/login').send({ identifier: email, password: canaries.wrongPassword }),
    );
  await watch.checkEverything('refused requests');
}
