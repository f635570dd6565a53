import { execFile } from 'node:child_process';
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import fc from 'fast-check';
import jwt from 'jsonwebtoken';
import { loadConfig } from '../../../src/config/config.js';
import { createTokens, secretFileName } from '../../../src/services/credentials/tokens.js';
import { failureOf } from '../../db/support/failure.js';
import { base64url } from '../../support/base64url.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

const claims = { userId: 'user-1', sid: 'session-1' };
const now = new Date('2026-03-01T12:00:00.700Z');
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const expiresAt = later(3600);
const secret = 'a secret for tests only, longer than 32 bytes';

/** URL of the loader with which `node --import` runs TypeScript. */
const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

const folder = temporaryFolder();
after(() => folder.remove());

function tokensWith(env: Record<string, string> = { JWT_SECRET: secret }) {
  return createTokens(loadConfig({ env: { DATA_DIR: 'data', ...env }, cwd: folder.path }));
}

/** Returns a token with any header and payload, and a genuine HMAC signature. */
function signed(header: object, payload: unknown, key = secret, hash = 'sha256'): string {
  const content = `${base64url(header)}.${base64url(payload)}`;
  return `${content}.${createHmac(hash, key).update(content).digest('base64url')}`;
}

const hs256 = { alg: 'HS256', typ: 'JWT' };
const payload = { ...claims, iat: 1_772_366_400, exp: 1_772_370_000 };

describe('Tokens', () => {
  const tokens = tokensWith();
  const verify = (token: string) => tokens.verify(token, now);

  it('contain only user, session, issue time and expiry', () => {
    const token = tokens.issue(claims, now, expiresAt);
    expect(jwt.decode(token, { complete: true })).to.deep.include({ header: hs256, payload });
    for (const valid of [token, signed(hs256, payload)]) expect(verify(valid)).to.deep.equal(claims);
    expect(tokens.verify(token, later(3598))).to.deep.equal(claims);
    expect(tokens.verify(token, later(3600))).to.equal(undefined);
  });

  it('are refused with extensions in their header', () => {
    for (const extension of [
      { crit: ['b64'], b64: false },
      { crit: ['exp'] },
      { crit: [] },
      { b64: true },
      { b64: false },
    ])
      expect(verify(signed({ ...hs256, ...extension }, payload)), JSON.stringify(extension)).to.equal(undefined);
  });

  it('are refused if another field or type marks another purpose', () => {
    for (const claim of [
      { aud: 'https://courses.example.org' },
      { aud: [] },
      { purpose: 'download' },
      { scope: '' },
      { iss: 'us' },
    ])
      expect(verify(signed(hs256, { ...payload, ...claim })), JSON.stringify(claim)).to.equal(undefined);
    for (const header of [{ typ: 'at+jwt' }, { typ: undefined }, { typ: 'jwt' }, { cty: 'JWT' }, { kid: '1' }])
      expect(verify(signed({ ...hs256, ...header }, payload)), JSON.stringify(header)).to.equal(undefined);
  });

  it('are refused without a valid expiry, user or session, and from the future', () => {
    const payloads: unknown[] = [null, 5, true, 'text', [], [payload], ''];
    for (const exp of [undefined, 'never', null, [payload.exp]]) payloads.push({ ...payload, exp });
    for (const nbf of [payload.exp - 1, 'soon']) payloads.push({ ...payload, nbf });
    for (const wrong of [1, null, ['user-1'], { $ne: '' }, undefined, true])
      payloads.push({ ...payload, userId: wrong }, { ...payload, sid: wrong });
    for (const wrong of payloads)
      expect(verify(signed(hs256, JSON.stringify(wrong))), JSON.stringify(wrong)).to.equal(undefined);
  });

  it('are accepted only with HS256', () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const foreign = [
      jwt.sign(payload, null, { algorithm: 'none' }),
      `${base64url({ alg: 'none', typ: 'JWT' })}.${base64url(payload)}.`,
      `${base64url({ alg: 'NoNe' })}.${base64url(payload)}.`,
      signed({ alg: 'HS384', typ: 'JWT' }, payload, secret, 'sha384'),
      signed({ alg: 'HS512', typ: 'JWT' }, payload, secret, 'sha512'),
      signed({ alg: 'HS512', typ: 'JWT' }, payload),
      jwt.sign(payload, privateKey, { algorithm: 'RS256' }),
    ];
    for (const token of foreign) expect(verify(token), token).to.equal(undefined);
  });

  it('must be signed with a configured secret', () => {
    expect(verify(signed(hs256, payload, 'another secret'))).to.equal(undefined);
    const [header, , signature] = tokens.issue(claims, now, expiresAt).split('.');
    expect(verify(`${header}.${base64url({ ...payload, userId: 'admin' })}.${signature}`)).to.equal(undefined);
  });

  it('are refused without an error for any input', () => {
    for (const token of ['', '.', '..', 'a.b.c', 'null', 'Bearer x']) expect(verify(token), token).to.equal(undefined);
    const part = fc.oneof(fc.string(), fc.json().map(base64url), fc.constant(base64url(hs256)));
    const anything = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.tuple(part, part, part).map((parts) => parts.join('.')),
    );
    fc.assert(fc.property(anything, (token) => verify(token) === undefined));
  });
});

describe('Secrets in rotation', () => {
  const previous = 'the secret that was in use before this one';
  const rotated = tokensWith({ JWT_SECRET: secret, JWT_SECRET_PREVIOUS: previous });

  it('verify with both secrets, and sign with the current one', () => {
    expect(tokensWith().verify(rotated.issue(claims, now, expiresAt), now)).to.deep.equal(claims);
    const old = tokensWith({ JWT_SECRET: previous }).issue(claims, now, expiresAt);
    expect(rotated.verify(old, now)).to.deep.equal(claims);
    expect(rotated.verify(old, later(3600))).to.equal(undefined);
    expect(tokensWith().verify(old, now)).to.equal(undefined);
  });
});

describe('The generated secret', () => {
  let serial = 0;
  /** Returns the path of a data folder that doesn't exist yet. */
  const newFolder = () => path.join(folder.path, `generated-${++serial}`);
  const start = (dataDir: string) => tokensWith({ DATA_DIR: dataDir });

  it('is stored in the data folder, readable only for this user', () => {
    const dataDir = newFolder();
    const token = start(dataDir).issue(claims, now, expiresAt);
    const file = path.join(dataDir, secretFileName);
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    expect(Buffer.from(readFileSync(file, 'utf8'), 'base64')).to.have.length(48);
    expect(readdirSync(dataDir)).to.deep.equal([secretFileName]);
    expect(start(dataDir).verify(token, now)).to.deep.equal(claims);
    expect(start(newFolder()).verify(token, now)).to.equal(undefined);
    const other = newFolder();
    tokensWith({ DATA_DIR: other, JWT_SECRET: secret }).issue(claims, now, expiresAt);
    expect(existsSync(other)).to.equal(false);
  });

  it('is the same for programs that start concurrently', async () => {
    const dataDir = newFolder();
    const program = `
      import { existsSync } from 'node:fs';
      import { loadConfig } from '${new URL('../../../src/config/config.ts', import.meta.url).href}';
      import { createTokens } from '${new URL('../../../src/services/credentials/tokens.ts', import.meta.url).href}';
      const config = loadConfig({ env: { DATA_DIR: ${JSON.stringify(dataDir)} }, cwd: '/' });
      const start = Date.parse(process.argv[2]);
      while (Date.now() < start);
      // Not time 0, which jsonwebtoken replaces by the current time.
      console.log(createTokens(config).issue({ userId: 'u', sid: 's' }, new Date(1000), new Date(2000)));`;
    const file = path.join(folder.path, 'start.mts');
    writeFileSync(file, program);
    const startAt = new Date(Date.now() + 1500).toISOString();
    const run = () => promisify(execFile)(process.execPath, ['--import', tsx, file, startAt]);
    const outputs = await Promise.all([run(), run(), run(), run()]);
    const [first] = outputs;
    expect(outputs).to.deep.equal(outputs.map(() => first));
    expect(first?.stdout).to.match(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    expect(readdirSync(dataDir)).to.deep.equal([secretFileName]);
  });

  it('causes an error that names the remedy if its file is damaged', async () => {
    const dataDir = newFolder();
    mkdirSync(dataDir);
    writeFileSync(path.join(dataDir, secretFileName), 'half a sec');
    const { code, message } = await failureOf(() => start(dataDir));
    expect(code).to.equal('FILE_UNUSABLE');
    expect(message)
      .to.include(path.join(dataDir, secretFileName))
      .and.to.match(/is damaged\. Delete the file; a new one/);
    expect(message).not.to.include('half a sec');
  });

  it('causes an error that names the remedy if it cannot be stored or read', async () => {
    const notAFolder = newFolder();
    writeFileSync(notAFolder, '');
    const secretIsAFolder = newFolder();
    mkdirSync(path.join(secretIsAFolder, secretFileName), { recursive: true });
    for (const dataDir of [notAFolder, path.join(notAFolder, 'below'), secretIsAFolder]) {
      const { code, message } = await failureOf(() => start(dataDir));
      expect(code, dataDir).to.equal('FILE_UNUSABLE');
      expect(message).to.match(
        /can't be kept in .*jwt-secret \(E[A-Z]+\)\. Make DATA_DIR writable, or set JWT_SECRET\.$/,
      );
    }
  });

  it('causes an error that names the remedy if its folder is read-only', async () => {
    const dataDir = newFolder();
    mkdirSync(dataDir);
    chmodSync(dataDir, 0o500);
    chmodSync(folder.path, 0o755);
    const superuser = process.getuid?.() === 0;
    // The superuser may write anywhere, so this part runs as another user.
    if (superuser) process.seteuid?.(65534);
    try {
      const { code, message } = await failureOf(() => start(dataDir));
      expect(code).to.equal('FILE_UNUSABLE');
      expect(message).to.include('(EACCES). Make DATA_DIR writable, or set JWT_SECRET.');
    } finally {
      if (superuser) process.seteuid?.(0);
    }
  });

  it('is read from a read-only folder', () => {
    const dataDir = newFolder();
    const token = start(dataDir).issue(claims, now, expiresAt);
    chmodSync(dataDir, 0o500);
    expect(start(dataDir).verify(token, now)).to.deep.equal(claims);
  });
});
