import { expect } from 'chai';
import { mailSettings } from '../support/environment.js';
import { buildUser, signIn } from '../support/factories.js';
import { fileOf, useTrainerImporting } from './support/trainer-importing.js';

const newPeople = (file: number, count: number) =>
  fileOf(...Array.from({ length: count }, (_, at) => `new${file}x${at}@example.org`));

const isInvited = { inviteState: 'queued' };

describe('The invitations of a trainer', () => {
  const importing = useTrainerImporting({ ...mailSettings, TRAINER_INVITES_PER_DAY: '30' });
  const { models } = importing;
  const apply = (id: string) => importing.call('post', `/${id}/apply`).send({});
  const invited = () => models().User.count({ where: isInvited });

  it('stay below the limit with 20 imports at once', async () => {
    const ids: string[] = [];
    for (let file = 0; file < 20; file += 1)
      ids.push((await importing.upload(newPeople(file, 4)).expect(202)).body.import.id);
    for (const id of ids) await importing.settle(id);
    await importing.stopWorker();
    const responses = await Promise.all(ids.map(apply));
    const [accepted, refused] = [202, 400].map((status) => responses.filter((one) => one.status === status));
    expect([accepted?.length, refused?.length]).to.deep.equal([7, 13]);
    for (const { headers, body } of refused ?? []) {
      expect(headers['error-code']).to.equal('INVITE_LIMIT');
      expect(body.params).to.deep.equal({ max: 30 });
      expect(body.error).to.include('28 are invited already, and this file has 4.');
    }
    importing.startWorker();
    for (const { body } of accepted ?? []) await importing.settle(body.import.id);
    expect(await invited()).to.equal(28);
    const waiting = await models().Import.findAll({ where: { status: 'planned' } });
    expect(waiting).to.have.length(13);
    // The super admin counts neither.
    const { token } = await signIn(importing.context, { role: 'super_admin' });
    const { body } = await importing
      .call('post', '', token)
      .attach('file', Buffer.from(newPeople(21, 40)), 'people.csv')
      .field({ invite: 'true', missingPhone: 'allow' })
      .expect(202);
    expect((await importing.settle(body.import.id)).createdCount).to.equal(40);
  });

  it('count existing people and rejected rows not', async () => {
    const known = await Promise.all(
      Array.from({ length: 40 }, (_, at) => buildUser(importing.context, { email: `known${at}@example.org` })),
    );
    const emails = known.map(({ email }) => email);
    const { id } = await importing.planFile(
      `${newPeople(1, 30)}\n${fileOf(...emails)
        .split('\n')
        .slice(1)
        .join('\n')}`,
    );
    await apply(id).expect(202);
    const { counts } = await importing.settle(id);
    expect(counts).to.include({ created: 30, skipped: 40, enrolled: 70 });
  });

  it('count for 24 hours, even if the import is undone', async () => {
    const { id } = await importing.importPeople(newPeople(1, 30));
    await importing.call('post', `/${id}/undo`).expect(200);
    expect(await invited()).to.equal(0);
    const next = await importing.planFile(newPeople(2, 1));
    expect((await apply(next.id)).headers['error-code']).to.equal('INVITE_LIMIT');
    const dayMs = 86_400_000;
    const yesterday = new Date(Date.now() - dayMs - 1000);
    const where = { where: { id } };
    await models().Import.update({ invitesReservedAt: yesterday }, where);
    // The import waited for a day, and has ended now.
    expect((await apply(next.id)).headers['error-code']).to.equal('INVITE_LIMIT');
    await models().Import.update({ finishedAt: yesterday }, where);
    await apply(next.id).expect(202);
  });

  it('are released by an import that ends early, and reserved again by its resumption', async () => {
    const first = await importing.planFile(newPeople(1, 30));
    const second = await importing.planFile(newPeople(2, 30));
    await importing.stopWorker();
    await apply(first.id).expect(202);
    await importing.call('post', `/${first.id}/cancel`).expect(200);
    importing.startWorker();
    await apply(second.id).expect(202);
    const response = await importing.call('post', `/${first.id}/resume`);
    expect(response.headers['error-code']).to.equal('INVITE_LIMIT');
    await importing.settle(second.id);
    expect(await invited()).to.equal(30);
  });

  it('are also limited without a plan', async () => {
    const upload = (file: string) => importing.upload(file, { plan: 'false' }).expect(202);
    const runs = [await upload(newPeople(1, 20)), await upload(newPeople(2, 20))];
    for (const { body } of runs) await importing.settle(body.import.id);
    expect(await invited()).to.equal(20);
    const { status, error } = await importing.show(runs[1]?.body.import.id);
    expect([status, error.code]).to.deep.equal(['failed', 'INVITE_LIMIT']);
  });
});

for (const [how, settings, code] of [
  ['without mail', {}, 'MAIL_NOT_SET_UP'],
  ['with TRAINER_INVITES_PER_DAY=0', { ...mailSettings, TRAINER_INVITES_PER_DAY: '0' }, 'INVITE_LIMIT'],
] as const)
  describe(`Imports by trainers ${how}`, () => {
    const importing = useTrainerImporting(settings);

    it('enroll only existing trainees', async () => {
      await buildUser(importing.context, { email: 'known@example.org' });
      await buildUser(importing.context, { email: 'idle@example.org', isActive: false });
      const done = await importing.importPeople(fileOf('known@example.org', 'new@example.org', 'idle@example.org'));
      expect(done.counts).to.include({ created: 0, skipped: 1, rejected: 2, enrolled: 1 });
      const { rows } = (await importing.call('get', `/${done.id}/rows?outcome=rejected`).expect(200)).body;
      expect(rows.map((row: { code: string }) => row.code)).to.deep.equal([code, 'NOT_ENROLLABLE']);
    });
  });
