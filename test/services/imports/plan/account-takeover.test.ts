import { expect } from 'chai';
import { operator } from '../../../../src/services/core.js';
import { applyImport } from '../../../../src/services/imports/queue/apply.js';
import { buildCourse, buildUser, factoryPassword, signIn, tokenFor } from '../../../support/factories.js';
import { scaled } from '../../../support/machine.js';
import { useImporting } from '../support/importing.js';
import { applyOptions, importFirstBatch } from '../support/running.js';
import { runToEnd, submitInterrupted } from '../support/submitting.js';

const header = 'firstName,lastName,email,phone,role,course';
const update = ['--on-existing', 'update'];
/** Data of a future account that the attacker knows. */
const bob = { email: 'bob@corp.test', phone: '+44 20 7946 0001' };

describe('An account that has taken the phone of another person in the file', () => {
  const importing = useImporting();
  const { models } = importing;
  const write = (...rows: string[]) => importing.write('people.csv', `${[header, ...rows].join('\n')}\n`);
  const row = `Bob,Trainer,${bob.email},${bob.phone},trainer,`;
  const outcomes = async (id: string) =>
    (await importing.ledger(id)).map(({ outcome, code }) => [outcome, code].filter(Boolean).join(' '));

  /** A trainee who has set the phone of another person in the profile. */
  async function squatter(phone = bob.phone) {
    const attacker = await signIn(importing.context, { email: 'mallory@example.org' });
    await importing.api('put', '/api/auth/profile', attacker.token).send({ phone }).expect(200);
    return attacker;
  }

  it('gets no name, email, role or course of the row, whatever --on-existing is', async () => {
    const { user } = await squatter();
    await buildCourse(importing.context, await buildUser(importing.context, { role: 'trainer' }), { title: 'Knots' });
    const before = JSON.stringify(await user.reload());
    for (const policy of ['update', 'skip', 'fail'])
      for (const line of [row, `Bob,Trainee,${bob.email},${bob.phone},,Knots`]) {
        const run = await importing.json(write(line), '--on-existing', policy);
        expect(await outcomes(run.id), policy).to.deep.equal(['rejected ACCOUNTS_DIFFER']);
        expect((await importing.ledger(run.id))[0]?.reason).to.equal(
          `Phone belongs to ${user.firstName} ${user.lastName} <${user.email}>, who has another email. Correct the row, or import it with match phone if it is the same person.`,
        );
      }
    expect(JSON.stringify(await user.reload())).to.equal(before);
    expect(await models().Enrollment.count()).to.equal(0);
    const login = { identifier: bob.email, password: factoryPassword };
    await importing.api('post', '/api/auth/login').send(login).expect(401);
  });

  it('can be matched with --match phone, and the plan shows old and new name, email and role', async () => {
    const { user, token } = await squatter();
    const file = write(row, `Mal,Lory,other@example.org,9,,`);
    const { stdout } = await importing.run(file, '--dry-run', ...update, '--match', 'phone');
    expect(stdout).to.include(
      `\nUpdates that change a name, an email or a role:\n  line 2  ${user.firstName} ${user.lastName} <mallory@example.org> trainee  ->  Bob Trainer <bob@corp.test> trainer\nFor example:\n`,
    );
    expect(stdout).to.include(' --match phone ');
    const plan = await importing.plan(file, { onExisting: 'update', match: 'phone' });
    expect(plan.identityChanges).to.deep.equal([
      {
        line: 2,
        userId: user.id,
        before: { firstName: user.firstName, lastName: user.lastName, email: 'mallory@example.org', role: 'trainee' },
        after: { firstName: 'Bob', lastName: 'Trainer', email: bob.email, role: 'trainer' },
      },
    ]);
    const run = await importing.json(file, ...update, '--match', 'phone');
    expect(await outcomes(run.id)).to.deep.equal(['updated', 'created']);
    expect(await user.reload()).to.include({ email: bob.email, role: 'trainer' });
    await importing.api('get', '/api/auth/me', token).expect(401);
  });

  it('is not matched with --match phone if it took the phone after the plan was shown', async () => {
    const { context } = importing;
    await buildCourse(context, await buildUser(context, { role: 'trainer' }), { title: 'Knots' });
    for (const onExisting of ['update', 'skip'] as const) {
      const { user, token } = await signIn(context, { email: `${onExisting}@example.org` });
      const known = await buildUser(context, { phone: '4' });
      const file = write(
        `Bob,Trainee,${onExisting}${bob.email},${bob.phone},,Knots`,
        `New,Name,${onExisting}new@corp.test,4,,`,
      );
      const plan = await importing.plan(file, { onExisting, match: 'phone' });
      expect(plan.counts).to.include({ created: 1, rejected: 0 });
      await importing.api('put', '/api/auth/profile', token).send({ phone: bob.phone }).expect(200);
      const before = JSON.stringify(await user.reload());
      const { id } = await applyImport(context, operator, plan, applyOptions());
      expect(await outcomes(id)).to.deep.equal([
        'rejected ACCOUNTS_DIFFER',
        onExisting === 'update' ? 'updated' : 'skipped ALREADY_EXISTS',
      ]);
      expect(JSON.stringify(await user.reload())).to.equal(before);
      expect(await models().Enrollment.count()).to.equal(0);
      await models().User.destroy({ where: { id: [user.id, known.id] } });
    }
  });

  it('is not matched with match phone if the service resumes an import, because nobody reviews the new plan', async () => {
    const { context } = importing;
    await buildCourse(context, await buildUser(context, { role: 'trainer' }), { title: 'Knots' });
    const { user, token } = await signIn(context, { email: 'mallory@example.org' });
    const known = await buildUser(context, { phone: '4' });
    const others = Array.from({ length: 60 }, (_, index) => `New,Person,n${index}@example.org,9${index},,`);
    const last = [`Bob,Trainer,${bob.email},${bob.phone},trainer,`, 'New,Name,new@corp.test,4,,'];
    const csv = `${[header, ...others, ...last].join('\n')}\n`;
    const { id } = await submitInterrupted(importing, csv, { onExisting: 'update', match: 'phone' });
    await importing.api('put', '/api/auth/profile', token).send({ phone: bob.phone }).expect(200);
    const before = JSON.stringify(await user.reload());
    expect(await runToEnd(importing, id)).to.include({ status: 'completed' });
    expect((await outcomes(id)).slice(-2)).to.deep.equal(['rejected ACCOUNTS_DIFFER', 'updated']);
    expect(JSON.stringify(await user.reload())).to.equal(before);
    expect(await known.reload()).to.include({ email: 'new@corp.test' });
    await importing.api('get', '/api/auth/me', token).expect(200);
  }).timeout(scaled(60_000));

  it('appears in the plan for each update of a name, but not for an update of the phone alone', async () => {
    const build = (index: number) => buildUser(importing.context, { email: `n${index}@example.org` });
    const people = await Promise.all(Array.from({ length: 30 }, (_, index) => build(index)));
    const only = await build(99);
    const rows = people.map(({ email, phone }) => `New,Name,${email},${phone},,`);
    const { stdout } = await importing.run(
      write(...rows, `${only.firstName},${only.lastName},${only.email},777,,`),
      '--dry-run',
      ...update,
    );
    expect(stdout.match(/^ {2}line \d+ .* {2}-> {2}New Name <n\d+@example\.org> trainee$/gm)).to.have.length(30);
  });

  it('loses its sessions if an import changes its email, and again on undo', async () => {
    const { user, token } = await signIn(importing.context, { phone: '1', email: 'old@example.org' });
    const file = write(`${user.firstName},${user.lastName},new@example.org,1,,`);
    const run = await importing.json(file, ...update, '--match', 'phone');
    await importing.api('get', '/api/auth/me', token).expect(401);
    const second = await tokenFor(importing.context, user);
    await importing.api('get', '/api/auth/me', second).expect(200);
    const undo = await importing.cli('imports', 'undo', run.id, '--yes');
    expect(undo.stdout).to.include('1 restored');
    await importing.api('get', '/api/auth/me', second).expect(401);
  });

  it('is updated by its own row, even if the row of the other person is rejected', async () => {
    const { user } = await squatter();
    const run = await importing.json(write(row, 'Mal,Lory,mallory@example.org,+44 5,,'), ...update);
    expect(await outcomes(run.id)).to.deep.equal(['rejected ACCOUNTS_DIFFER', 'updated']);
    expect(await user.reload()).to.include({ phone: '+44 5', email: 'mallory@example.org' });
  });

  it('gets no values of the other row, even if its own row, which changes its phone, is already written', async () => {
    const { user } = await squatter();
    const others = Array.from({ length: 60 }, (_, index) => `New,Person,n${index}@example.org,9${index},,`);
    const csv = `${[header, 'Mal,Lory,mallory@example.org,+44 5,,', ...others, row].join('\n')}\n`;
    const broken = await importFirstBatch(
      importing.context,
      importing.write('people.csv', csv),
      {},
      { onExisting: 'update' },
    );
    expect(await user.reload()).to.include({ phone: '+44 5' });
    const whole = await importing.json(`${importing.folder}/people.csv`, ...update);
    expect(whole.id).to.equal(broken.id);
    expect((await outcomes(whole.id)).at(-1)).to.equal('rejected ACCOUNTS_DIFFER');
  }).timeout(scaled(60_000));
});

/** An id as documents, spreadsheets and other programs write it. */
const spellingsOf = (id: string) => [
  id,
  id.toUpperCase(),
  id.replaceAll('-', ''),
  id.replaceAll('-', '\u2011'),
  id.replaceAll('-', '_'),
  id.replaceAll('-', ' '),
  ` ${id}\u00a0`,
  `\u200b${id}`,
  `${id.slice(0, 18)}\u00ad${id.slice(18)}`,
  `{${id}}`,
  `"${id}"`,
  `${id},`,
  id.replace(/[^-]/g, (sign) => String.fromCodePoint((sign.codePointAt(0) ?? 0) + 0xfee0)),
];

describe('A course whose title looks like the id of another course', () => {
  const importing = useImporting();

  it('is not found by this title at the terminal or in a file, even if the other course is gone', async () => {
    const { context } = importing;
    const trainer = await buildUser(context, { role: 'trainer' });
    const meant = await buildCourse(context, trainer, { title: 'Knots' });
    const attacker = await buildUser(context, { role: 'trainer' });
    const gone = '0198c1f0-1111-7222-8333-444455556666';
    const others = [gone, gone.toUpperCase()];
    const references = [...spellingsOf(meant.id), ...others];
    for (const title of references) await buildCourse(context, attacker, { title });
    const rows = references.map((reference, index) => {
      const cell = reference.replaceAll('"', '""');
      return `Tess,Trainee,t${index}@example.org,9${index},,"${cell}"`;
    });
    const { id } = await importing.json(importing.write('people.csv', `${[header, ...rows].join('\n')}\n`));
    const ledger = await importing.ledger(id);
    const enrolled = await importing.models().Enrollment.findAll();
    expect(ledger.map(({ code }) => code)).to.deep.equal(
      references.map((reference) => (others.includes(reference) ? 'COURSE_UNKNOWN' : null)),
    );
    expect(enrolled.map(({ courseId }) => courseId)).to.deep.equal(spellingsOf(meant.id).map(() => meant.id));
    expect((await importing.cli('courses', 'show', `{${meant.id.toUpperCase()}}`)).stdout).to.include('Knots');
    for (const reference of others)
      expect((await importing.cli('courses', 'show', reference)).exitCode, reference).to.equal(1);
  });
});

describe('A phone that looks like an email address', () => {
  const importing = useImporting();
  const { cli } = importing;

  it("is never found by that address at the terminal, and a phone that looks like an id isn't found by that id", async () => {
    const { user, token } = await signIn(importing.context);
    const gone = '0198c1f0-1111-7222-8333-444455556666';
    for (const reference of ['bob@corp.test', ' BOB@corp.test', 'bob＠corp.test', gone]) {
      await importing.api('put', '/api/auth/profile', token).send({ phone: reference }).expect(200);
      for (const command of [
        ['users', 'edit', reference, '--role', 'trainer'],
        ['users', 'reset-password', reference],
        ['enrollments', 'list', '--trainee', reference],
      ]) {
        const { exitCode, stdout } = await cli(...command);
        expect([exitCode, stdout], command.join(' ')).to.deep.equal([1, '']);
      }
    }
    expect(await user.reload()).to.include({ role: 'trainee' });
  });

  it("is never found by another spelling or a part of another account's id, or by a name", async () => {
    const trainer = await buildUser(importing.context, { role: 'trainer', firstName: 'Grace' });
    const { token } = await signIn(importing.context);
    const { id } = trainer;
    const right = [id.toUpperCase(), id.replaceAll('-', ' '), `{${id}}`];
    for (const reference of [...right, `/api/users/${id}`, id.slice(0, 35), `${id}0`, 'Grace']) {
      await importing.api('put', '/api/auth/profile', token).send({ phone: reference }).expect(200);
      const { exitCode } = await cli('users', 'edit', reference, '--last-name', reference.slice(0, 4));
      expect(exitCode, reference).to.equal(right.includes(reference) ? 0 : 1);
    }
    expect((await trainer.reload()).lastName).to.equal(right.at(-1)?.slice(0, 4));
  });

  it('is refused everywhere except in the profile', async () => {
    const admin = await signIn(importing.context, { role: 'super_admin' });
    const { id, email } = await buildUser(importing.context);
    const msg = 'Phone must not contain @.';
    const phone = 'bob﹫corp.test';
    const person = { firstName: 'Mal', lastName: 'Lory', email: 'mal@example.org', phone, password: 'a password' };
    for (const answer of [
      importing.api('post', '/api/auth/register', admin.token).send({ ...person, role: 'trainee' }),
      importing.api('put', `/api/users/${id}`, admin.token).send({ phone }),
    ]) {
      const { body } = await answer.expect(400);
      expect(body.errors).to.deep.equal([
        { type: 'field', path: 'phone', location: 'body', msg, code: 'PHONE_INVALID', params: {} },
      ]);
    }
    const edited = await cli('users', 'edit', email, '--phone', phone);
    expect([edited.exitCode, edited.stderr]).to.deep.equal([2, `error: ${msg}\n`]);
    await importing.api('put', '/api/auth/profile', admin.token).send({ phone }).expect(200);
    await importing.models().User.destroy({ where: {} });
    await importing.api('post', '/api/auth/setup').send(person).expect(400);
  });

  it("doesn't sign in if it is the email of another account, even of one that may not sign in", async () => {
    const { token, user } = await signIn(importing.context, { password: 'known to mallory' });
    await importing.api('put', '/api/auth/profile', token).send({ phone: bob.email }).expect(200);
    const login = (where: string) =>
      importing.api('post', `/api/auth/${where}`).send({ identifier: bob.email, password: 'known to mallory' });
    const { body } = await login('login').expect(200);
    expect(body.user.id).to.equal(user.id);
    const owner = await buildUser(importing.context, { email: bob.email, role: 'trainer' });
    await login('login').expect(401);
    await login('trainee-login').expect(401);
    await owner.update({ isActive: false });
    await login('login').expect(401);
    await login('trainee-login').expect(401);
  });
});
