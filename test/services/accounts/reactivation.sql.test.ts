import { expect } from 'chai';
import { mailSettings } from '../../support/environment.js';
import { signIn } from '../../support/factories.js';
import { tokenOf, useMailServer } from '../../support/mailbox.js';
import { useImporting } from '../imports/support/importing.js';

const person = { firstName: 'Katherine', lastName: 'Johnson', email: 'kate@example.org', phone: '+1 757 555 0118' };
const header = 'firstName,lastName,email,phone,isActive';
const fileOf = (isActive: boolean) => `${header}\n${[...Object.values(person), isActive].join()}\n`;

describe('Somebody who was invited and deactivated', () => {
  const importing = useImporting(mailSettings);
  const mailbox = useMailServer(importing);
  let token: string;
  let id: string;
  const { models } = importing;
  const post = (path: string, body: object) => importing.api('post', path, token).send(body);
  const setActive = (isActive: boolean) =>
    importing.api('put', `/api/users/${id}/status`, token).send({ isActive }).expect(200);
  const importFile = (isActive: boolean) =>
    importing.json(importing.write('people.csv', fileOf(isActive)), '--on-existing', 'update');
  const cli = async (...args: string[]) => expect((await importing.cli(...args)).exitCode).to.equal(0);

  /** Deactivates the person, and activates them again. */
  const ways: Readonly<Record<string, () => Promise<unknown>>> = {
    'by a request': async () => {
      await setActive(false);
      await setActive(true);
    },
    'at the terminal': async () => {
      await cli('users', 'deactivate', person.email, '--yes');
      await cli('users', 'activate', person.email);
    },
    'by a bulk change': async () => {
      const change = (action: string) => post('/api/users/bulk', { action, ids: [id] }).expect(200);
      await change('deactivate');
      await change('activate');
    },
    'by an import': async () => {
      await setActive(false);
      expect((await importFile(true)).counts.updated).to.equal(1);
    },
    'by the undo of an import that deactivated them': async () => {
      const { id: importId, counts } = await importFile(false);
      expect(counts.updated).to.equal(1);
      await cli('imports', 'undo', importId, '--yes');
    },
  };

  /** What had become of the invitation. @returns the token of its link, if it had left */
  const invitations: Readonly<Record<string, () => Promise<string | undefined>>> = {
    'still to leave': async () => undefined,
    sent: async () => {
      const [mail] = await mailbox.deliver();
      return mail && tokenOf(mail);
    },
    expired: async () => {
      const [mail] = await mailbox.deliver();
      const where = { userId: id };
      await models().Link.update({ expiresAt: new Date(0) }, { where });
      await models().Mail.destroy({ where });
      return mail && tokenOf(mail);
    },
    failed: async () => {
      await models().Mail.update({ state: 'failed', nextAt: null }, { where: { userId: id } });
      await models().User.update({ inviteState: 'failed' }, { where: { id }, silent: true });
      return undefined;
    },
  };

  beforeEach(async () => {
    ({ token } = await signIn(importing.context, { role: 'super_admin' }));
    const invited = { ...person, role: 'trainee', credentials: 'invite', message: 'Welcome!' };
    ({ id } = (await post('/api/users', invited).expect(201)).body.user);
  });

  for (const [way, reactivate] of Object.entries(ways))
    for (const [state, prepare] of Object.entries(invitations)) {
      // The way makes no difference to the rarer states.
      if (state !== 'sent' && state !== 'still to leave' && way !== 'by a request') continue;
      it(`has one working invitation when activated ${way}; the one before was ${state}`, async () => {
        const old = await prepare();
        await reactivate();
        const user = await models().User.findByPk(id, { rejectOnEmpty: true });
        expect([user.isActive, user.inviteState]).to.deep.equal([true, 'queued']);
        expect(await models().Mail.count({ where: { kind: 'invitation', state: 'queued' } })).to.equal(1);
        const [mail, ...others] = await mailbox.deliver();
        if (!mail || others.length > 0) throw new Error('One mail should have arrived.');
        expect(mail.text.includes('Welcome!')).to.equal(state !== 'expired');
        expect(await models().Link.count({ where: { userId: id } })).to.equal(1);
        const use = (link: string) =>
          importing.api('post', '/api/links/set-password').send({ token: link, newPassword: 'chosen by Kate' });
        if (old !== undefined) expect((await use(old)).headers['error-code']).to.equal('LINK_INVALID');
        await use(tokenOf(mail)).expect(200);
      });
    }
});
