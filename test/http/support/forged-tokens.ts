import { createHmac, generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto';
import { Agent } from 'node:http';
import jwt from 'jsonwebtoken';
import type { Context } from '../../../src/context.js';
import { base64url } from '../../support/base64url.js';
import { signIn } from '../../support/factories.js';
import { sendRaw } from '../../support/raw-http.js';
import { operations, pathOf } from './examples.js';

/** A token put together by hand, so that it may be as wrong as we like. */
function forge(header: unknown, payload: unknown, key: string | Buffer, hash = 'sha256'): string {
  const signed = `${base64url(header)}.${base64url(payload)}`;
  return `${signed}.${createHmac(hash, key).update(signed).digest('base64url')}`;
}

function signedBy(algorithm: string, payload: object, key: KeyObject): string {
  const signed = `${base64url({ alg: algorithm, typ: 'JWT' })}.${base64url(payload)}`;
  const options = algorithm.startsWith('ES') ? { key, dsaEncoding: 'ieee-p1363' as const } : { key };
  const hash = algorithm.startsWith('Ed') ? null : 'sha256';
  return `${signed}.${sign(hash, Buffer.from(signed), options).toString('base64url')}`;
}

const hs256 = { alg: 'HS256', typ: 'JWT' };
const foreignSecret = 'a secret of another service, longer than 32 bytes';

/** With "none" in many spellings: unsigned, and signed all the same. */
function unsigned(right: object, secret: string): [string, string][] {
  const spellings = ['none', 'None', 'NONE', 'nOnE', ' none', 'none ', '', 'null', 'undefined'];
  const values = [...spellings, null, 0, false, [], ['HS256'], {}];
  return values.flatMap((alg) => {
    const head = `${base64url({ alg, typ: 'JWT' })}.${base64url(right)}`;
    return [
      [`alg ${JSON.stringify(alg)}, unsigned`, `${head}.`],
      [`alg ${JSON.stringify(alg)}, signed`, forge({ alg, typ: 'JWT' }, right, secret)],
    ] as [string, string][];
  });
}

/** With other algorithms, and with a public key in the place of the secret. */
function swapped(right: object, secret: string): [string, string][] {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const edwards = generateKeyPairSync('ed25519');
  const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' });
  return [
    ['RS256', signedBy('RS256', right, rsa.privateKey)],
    ['ES256', signedBy('ES256', right, curve.privateKey)],
    ['EdDSA', signedBy('EdDSA', right, edwards.privateKey)],
    ['HS256 with a public key as its secret', forge(hs256, right, pem)],
    ['RS256 in name, HMAC with a public key', forge({ ...hs256, alg: 'RS256' }, right, pem)],
    ['RS256 in name, HMAC with the secret', forge({ ...hs256, alg: 'RS256' }, right, secret)],
    ['HS384 with the secret', forge({ ...hs256, alg: 'HS384' }, right, secret, 'sha384')],
    ['HS512 with the secret', forge({ ...hs256, alg: 'HS512' }, right, secret, 'sha512')],
    ['HS256 in name, HMAC-SHA512', forge(hs256, right, secret, 'sha512')],
    ['a foreign secret', forge(hs256, right, foreignSecret)],
    ['no secret', forge(hs256, right, '')],
    ['the secret cut', forge(hs256, right, secret.slice(0, -1))],
  ];
}

/** With headers that say where the key is. */
function pointing(right: object): [string, string][] {
  const jwk = { kty: 'oct', k: base64url(foreignSecret), alg: 'HS256', kid: 'mine' };
  const headers: Record<string, unknown>[] = [
    ...['../../../../dev/null', '/dev/null', "' UNION SELECT 'x", '0', '', null, { a: 1 }].map((kid) => ({ kid })),
    { jku: 'http://127.0.0.1:9/keys.json' },
    { jwk },
    { jwk, kid: 'mine', jku: 'https://attacker.example/keys.json' },
    { x5u: 'http://127.0.0.1:9/cert.pem' },
    { x5c: [base64url('certificate')] },
    { crit: ['exp'], exp: 1 },
    { b64: false, crit: ['b64'] },
    { zip: 'DEF' },
    { cty: 'JWT' },
  ];
  return headers.flatMap((header) =>
    ['', foreignSecret].map((key): [string, string] => [
      `${JSON.stringify(header)} with ${key === '' ? 'no' : 'a foreign'} key`,
      forge({ ...hs256, ...header }, right, key),
    ]),
  );
}

/** Rightly signed, with claims that are none. */
function misclaimed(right: { userId: string; sid: string; iat: number; exp: number }, secret: string) {
  const odd = [null, 7, -1, 1.5, true, {}, [], [right.userId], { '[Op.ne]': '' }, '', ' ', '\0', '%', '*', 'é', '🦄'];
  const wrong: unknown[] = [...odd, 'x'.repeat(300), 'x'.repeat(3000), "' OR '1'='1", randomUUID()];
  const near = [`${right.userId} `, right.userId.toUpperCase(), `${right.userId}\0`, right.userId.slice(0, -1)];
  const times: object[] = [
    ...[undefined, right.iat - 1, 0, -1, null, String(right.exp), 'never', -1e300, [right.exp], true].map((exp) => ({
      exp,
    })),
    ...[right.iat + 3600, 2 ** 40, 'soon', {}].map((nbf) => ({ nbf })),
    ...[right.iat + 86_400, 2 ** 40].map((iat) => ({ iat, exp: iat + 3600 })),
  ];
  const claims: object[] = [
    ...[...wrong, ...near, undefined].map((userId) => ({ userId })),
    ...[...wrong, right.userId, undefined].map((sid) => ({ sid })),
    ...times,
  ];
  return claims.map((claim): [string, string] => [
    `claim ${JSON.stringify(claim).slice(0, 60)}`,
    forge(hs256, { ...right, ...claim }, secret),
  ]);
}

/** What isn't even built like a token. */
function garbage(genuine: string): [string, string][] {
  const [head = '', payload = '', signature = ''] = genuine.split('.');
  const texts = [
    'x',
    '.',
    '..',
    '...',
    'a.b',
    'a.b.c',
    'null',
    '{}',
    '[]',
    `${head}.${payload}`,
    `${head}.${payload}.`,
    `.${payload}.${signature}`,
    `${head}..${signature}`,
    `${genuine}.`,
    `.${genuine}`,
    `${genuine}.${signature}`,
    `${genuine}=`,
    `${genuine}A`,
    genuine.slice(0, -4),
    `${genuine} x`,
    `"${genuine}"`,
    `<${genuine}>`,
    'Bearer x',
    `${genuine},${genuine}`,
    genuine.toLowerCase(),
    [...genuine].reverse().join(''),
    'x'.repeat(8000),
    `${head}.${payload}.${signature.replaceAll(/./g, 'A')}`,
    '\xe9\xff',
    'a.'.repeat(4000),
    '%00',
    '{{7*7}}',
    `${base64url('[]')}.${base64url('[]')}.${signature}`,
  ];
  return texts.map((text, n) => [`garbage ${n}`, text]);
}

/** Tokens none of which may open anything, each with what is wrong about it; made for one that does. */
export function forgeries(genuine: string, secret: string): [string, string][] {
  // The genuine token says so: it was made by the service.
  const { userId, sid, iat, exp } = jwt.decode(genuine) as { userId: string; sid: string; iat: number; exp: number };
  const right = { userId, sid, iat, exp };
  return [
    ...unsigned(right, secret),
    ...swapped(right, secret),
    ...pointing(right),
    ...misclaimed(right, secret),
    ...garbage(genuine),
  ];
}

/** Tokens that were genuine once. */
export async function outdated(context: Context): Promise<[string, string][]> {
  const [revoked, inactive, gone] = [await signIn(context), await signIn(context), await signIn(context)];
  await context.database.models.Session.destroy({ where: { userId: revoked.user.id } });
  await inactive.user.update({ isActive: false });
  await gone.user.destroy();
  const expired = await signIn(context);
  await context.database.models.Session.update(
    { expiresAt: new Date(Date.now() - 1000) },
    { where: { userId: expired.user.id } },
  );
  return [
    ['of a revoked session', revoked.token],
    ['of a deactivated account', inactive.token],
    ['of a deleted account', gone.token],
    ['of a session that has expired', expired.token],
  ];
}

/** The operations that look at a token. */
const guarded = operations.filter(([, { access }]) => access.kind !== 'public');

/**
 * Sends every token to every operation that looks at one.
 * @returns how many were sent, and those that were not answered 401 with a challenge
 */
export async function tryEverywhere(url: string, tokens: readonly (readonly [string, string])[]) {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const problems: string[] = [];
  const queue = guarded.flatMap(([name, { method, path }]) =>
    tokens.map(([what, token]) => ({ name, what, token, method: method.toUpperCase(), path: pathOf(path, {}) })),
  );
  const sent = queue.length;
  const work = async () => {
    for (let next = queue.pop(); next; next = queue.pop()) {
      const { name, what, token, method, path } = next;
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const answer = await sendRaw(url, { method, path, headers, agent, ...(method !== 'GET' && { body: '{}' }) });
      const challenge = answer.headers['www-authenticate'];
      if (answer.status !== 401 || challenge !== 'Bearer error="invalid_token"')
        problems.push(`${name} with ${what}: ${answer.status} ${answer.text}`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, work));
  agent.destroy();
  return { sent, problems };
}

/** How the token is answered at the caller's own account. */
export async function statusWith(url: string, token: string): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await sendRaw(url, { method: 'GET', path: '/api/auth/me', headers })).status;
}
