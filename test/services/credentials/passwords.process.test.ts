import { createHash } from 'node:crypto';
import os from 'node:os';
import bcryptjs from 'bcryptjs';
import { expect } from 'chai';
import { AppError, isAppError } from '../../../src/errors.js';
import {
  createPasswordHasher,
  generatePassword,
  type PasswordHasher,
} from '../../../src/services/credentials/passwords.js';
import { run } from '../../support/built-program.js';

const lowestCost = 4;

/** Passwords that implementations might handle differently. */
const passwords = [
  'secret',
  ' spaces ',
  'pässwörd',
  '密码密码密码',
  '🔑🔑🔑🔑🔑🔑',
  'x'.repeat(72),
  'x'.repeat(73),
  '🔑'.repeat(1000),
  'e\u0301\u0301\u0301\u0301\u0301',
];

const malformed = [
  '',
  'x',
  '$2b$10$',
  `$2b$04$${'!'.repeat(53)}`,
  `$2b$99$${'a'.repeat(53)}`,
  `$3x$04$${'a'.repeat(53)}`,
  'é'.repeat(60),
  '$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$RdescudvJCsgt3ub+b3dWQ',
];

for (const implementation of ['native', 'bcryptjs'] as const) {
  describe(`The ${implementation} password hasher`, () => {
    let hasher: PasswordHasher;
    before(async () => {
      hasher = await createPasswordHasher(implementation);
    });
    after(() => hasher.close());

    it('creates a bcrypt hash of the given cost, with a new salt each time', async () => {
      const [one, other] = await Promise.all([hasher.hash('secret', lowestCost), hasher.hash('secret', lowestCost)]);
      expect(hasher.implementation).to.equal(implementation);
      expect(one).to.match(/^\$2b\$04\$[./A-Za-z0-9]{53}$/);
      expect(one).not.to.equal(other);
      expect(await hasher.hash('secret', 6)).to.match(/^\$2b\$06\$/);
    });

    it('matches only the correct password', async () => {
      for (const password of passwords) {
        const hash = await hasher.hash(password, lowestCost);
        expect(await hasher.compare(password, hash), password).to.equal(true);
        expect(await hasher.compare(`${password.slice(1)}!`, hash), password).to.equal(false);
      }
    });

    it('passes up to 72 bytes to bcrypt unchanged, and longer passwords as base64 of their SHA-256', async () => {
      const asTheyAre = ['secret', 'x'.repeat(72), 'é'.repeat(36)];
      for (const password of asTheyAre)
        expect(await hasher.compare(password, await bcryptjs.hash(password, lowestCost)), password).to.equal(true);
      for (const password of ['x'.repeat(73), 'é'.repeat(37), 'generated '.repeat(10)]) {
        const digest = createHash('sha256').update(password).digest('base64');
        expect(await hasher.compare(password, await bcryptjs.hash(digest, lowestCost)), password).to.equal(true);
      }
    });

    it('truncates no password, and never matches an impossible password or an invalid hash', async () => {
      const long = 'x'.repeat(90);
      const pairs = [
        ...[`${long}y`, 'x'.repeat(72), `${long}xx`].map((other) => [`${long}x`, other] as const),
        ...([
          ['secret', 'secret\0'],
          ['secret', 'secret\0and more'],
          ['\ufffdsecret', '\ud800secret'],
        ] as const),
        ...([
          [`${long}\ufffd`, `${long}\ud800`],
          [`${long}\ufffd`, `${long}\udfff`],
        ] as const),
      ] as const;
      for (const [password, presented] of pairs)
        expect(await hasher.compare(presented, await hasher.hash(password, lowestCost))).to.equal(false);
      for (const hash of malformed) expect(await hasher.compare('secret', hash), hash).to.equal(false);
    });
  });
}

describe('The queue of a password hasher', () => {
  let hasher: PasswordHasher;
  before(async () => {
    hasher = await createPasswordHasher('native');
  });
  after(() => hasher.close());

  it('refuses callers when the queue is full', async () => {
    // One running hash and 64 queued ones for each core, but at least 640 queued ones.
    const cores = os.availableParallelism();
    const room = cores + Math.max(640, 64 * cores);
    const outcomes = await Promise.allSettled(
      Array.from({ length: room + 100 }, () => hasher.hash('secret', lowestCost)),
    );
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    expect(refusals).to.have.length(100);
    for (const refusal of refusals) expect(isAppError(refusal, 'OVERLOADED')).to.equal(true);
    expect(await hasher.compare('secret', await hasher.hash('secret', lowestCost))).to.equal(true);
  });

  it('alternates between owners', async () => {
    const cores = os.availableParallelism();
    const ended: string[] = [];
    const ask = (owner: string, cost: number) => hasher.hash('secret', cost, { owner }).then(() => ended.push(owner));
    // The hash of `one` is much cheaper. Even if its thread waits for the processor, it ends before hashes that start
    // later.
    const many = Array.from({ length: 20 + cores }, () => ask('many', 9));
    await Promise.all([...many, ask('one', lowestCost)]);
    // Only the running hashes and one more hash of `many` on each core end before `one`.
    expect(ended.indexOf('one')).to.be.below(2 * cores + 1);
  });

  it('computes no hash for callers that have left the queue', async () => {
    const busy = Array.from({ length: os.availableParallelism() }, () => hasher.hash('secret', 10));
    const [leaving, evicting] = [new AbortController(), new AbortController()];
    const waiting = [leaving, evicting].map(({ signal }) =>
      hasher.hash('secret', lowestCost, { owner: 'x', signal }).catch((error: unknown) => error),
    );
    leaving.abort();
    evicting.abort(new AppError('OVERLOADED'));
    const [left, evicted] = await Promise.all(waiting);
    expect([isAppError(left, 'INTERRUPTED'), isAppError(evicted, 'OVERLOADED')]).to.deep.equal([true, true]);
    await Promise.all(busy);
  });
});

describe('The two password hashers', () => {
  it("accept each other's hashes", async () => {
    const hashers = await Promise.all([createPasswordHasher('native'), createPasswordHasher('bcryptjs')]);
    const [native, bcryptjs] = hashers;
    for (const password of passwords) {
      expect(await bcryptjs.compare(password, await native.hash(password, lowestCost)), password).to.equal(true);
      expect(await native.compare(password, await bcryptjs.hash(password, lowestCost)), password).to.equal(true);
    }
    await Promise.all(hashers.map((hasher) => hasher.close()));
  });

  it('are chosen by availability: native if a build exists', async () => {
    const hasher = await createPasswordHasher();
    expect(hasher.implementation).to.equal('native');
    await hasher.close();
  });
});

describe('A separate program', () => {
  it('hashes with bcryptjs in worker threads, without output, and ends', async () => {
    const program = `
      import { createPasswordHasher } from ${JSON.stringify(new URL('../../../src/services/credentials/passwords.ts', import.meta.url).href)};
      const hasher = await createPasswordHasher('bcryptjs');
      let ticks = 0;
      const ticking = setInterval(() => (ticks += 1), 1);
      const hash = await hasher.hash('secret', 10);
      clearInterval(ticking);
      console.log(hasher.implementation, await hasher.compare('secret', hash), await hasher.compare('wrong', hash), ticks > 5);
      await hasher.close();`;
    expect(
      await run(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', program], process.cwd()),
    ).to.deep.equal({
      exitCode: 0,
      stdout: 'bcryptjs true false true\n',
      stderr: '',
    });
  });
});

describe('generatePassword', () => {
  const generated = Array.from({ length: 2000 }, generatePassword);

  it('returns 20 unambiguous characters in four groups, never twice', () => {
    expect(new Set(generated).size).to.equal(generated.length);
    for (const password of generated) expect(password).to.match(/^[2-9a-hjkmnp-tv-z]{5}(-[2-9a-hjkmnp-tv-z]{5}){3}$/);
  });

  it('uses all characters equally often', () => {
    const counts = new Map<string, number>();
    for (const character of generated.join('').replaceAll('-', ''))
      counts.set(character, (counts.get(character) ?? 0) + 1);
    expect(counts.size).to.equal(30);
    // 40,000 characters: 1,333 each, with a standard deviation of 36.
    for (const [character, count] of counts) expect(count, character).to.be.within(1080, 1590);
  });
});
