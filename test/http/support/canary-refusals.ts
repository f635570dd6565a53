import request, { type Test } from 'supertest';
import type { Context } from '../../../src/context.js';
import { createApp } from '../../../src/http/server/app.js';
import { buildUser, signIn } from '../../support/factories.js';
import { canaries, listen, lookAround, noteAnswer, type Watch } from './canaries.js';
import { operations, ownPage, pathOf } from './examples.js';

/** Requests that are refused before an operation reads their content. */

const secrets = { identifier: 'nobody@example.org', password: canaries.password, newPassword: canaries.newPassword };
const text = JSON.stringify({ ...secrets, token: canaries.token });
const basic = `Basic ${canaries.basic}`;

type Refusal = (call: Test, tokens: { trainee: string; admin: string }) => Test;

const json = (call: Test) => call.set('Content-Type', 'application/json');

const tooMuch = 'far too much';

/** Each of them with a body full of secrets. */
const refusals: Record<string, Refusal> = {
  'no token': (call) => json(call).send(text),
  'a password as a token': (call) => json(call).set('Authorization', `Bearer ${canaries.password}`).send(text),
  'Basic credentials': (call) => json(call).set('Authorization', basic).send(text),
  'a cookie': (call) => json(call).set('Cookie', `token=${canaries.token}`).send(text),
  'another role': (call, { trainee }) => json(call).auth(trainee, { type: 'bearer' }).send(text),
  'malformed JSON': (call, { admin }) =>
    json(call)
      .auth(admin, { type: 'bearer' })
      .send(`${text.slice(0, -1)},`),
  'another content type': (call, { admin }) =>
    call.set('Content-Type', 'text/plain').auth(admin, { type: 'bearer' }).send(text),
  'another character set': (call, { admin }) =>
    call.set('Content-Type', 'application/json; charset=utf-16').auth(admin, { type: 'bearer' }).send(text),
  [tooMuch]: (call, { admin }) =>
    json(call)
      .auth(admin, { type: 'bearer' })
      .send(JSON.stringify({ password: canaries.password.repeat(10_000) })),
  'too long a password': (call, { admin }) =>
    json(call)
      .auth(admin, { type: 'bearer' })
      .send({ password: canaries.password.repeat(10), newPassword: canaries.newPassword.repeat(10) }),
};

/**
 * Sends secrets to every operation in ways that are refused, to unknown paths and methods, and too often.
 * @param each operation is sent one of so many of the ways, the next operation the next ones
 */
export async function sendRefused(
  context: Context,
  watch: Watch,
  reset: () => Promise<void>,
  each: number,
): Promise<void> {
  await reset();
  const app = createApp(context);
  const tokens = {
    trainee: (await signIn(context)).token,
    admin: (await signIn(context, { role: 'super_admin' })).token,
  };
  for (const [index, [name, { method, path, body, ownPagesOnly }]] of operations.entries()) {
    // These would end the session that the following requests need.
    if (/^log|^endSession/.test(name)) continue;
    const target = `${pathOf(path, {})}?token=${canaries.query}&password=${canaries.password}`;
    for (const [refusal, send] of Object.entries(refusals).filter((_, n) => (n + index) % each === 0)) {
      // Where no body is read, a long one breaks the connection, perhaps without a response.
      if (refusal === tooMuch && !body) continue;
      noteAnswer(
        watch,
        name,
        refusal,
        await send(
          request(app)
            [method](target)
            .set(ownPagesOnly ? ownPage : {}),
          tokens,
        ),
      );
    }
    noteAnswer(watch, name, 'another method', await json(request(app).patch(target)).send(text));
    listen(watch, name);
  }
  const nowhere = `/api/nothing?password=${canaries.password}&token=${canaries.query}`;
  noteAnswer(watch, undefined, 'an unknown path', await json(request(app).post(nowhere)).send(text));
  const { email } = await buildUser(context);
  for (let attempt = 0; attempt < 12; attempt += 1) {
    const guess = { identifier: email, password: canaries.wrongPassword };
    noteAnswer(watch, 'login', 'too often', await request(app).post('/api/auth/login').send(guess));
  }
  await lookAround(context, watch, 'refused requests');
}
