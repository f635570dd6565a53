import { expect } from 'chai';
import { mailSettings } from '../../support/environment.js';
import { signIn } from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';
import { tokenOf, useMailServer } from '../../support/mailbox.js';

const person = { firstName: 'Katherine', lastName: 'Johnson', email: 'kate@example.org', phone: '+1 757 555 0118' };

describe('An invited and deactivated person', () => {
  const harness = useHarness(mailSettings);
  const mailbox = useMailServer(harness);
  let token: string;
  let id: string;
  const models = () => harness.context.database.models;
  const post = (path: string, body: object) => harness.api('post', path, token).send(body);
  const setActive = (isActive: boolean) =>
    harness.api('put', `/api/users/${id}/status`, token).send({ isActive }).expect(200);
  /** Prepares the state of the first invitation. @returns the token of its link, if it was sent */
  const invitations: Readonly<Record<string, () => Promise<string | undefined>>> = {
    'not sent yet': async () => undefined,
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
    ({ token } = await signIn(harness.context, { role: 'super_admin' }));
    const invited = { ...person, role: 'trainee', credentials: 'invite', message: 'Welcome!' };
    ({ id } = (await post('/api/users', invited).expect(201)).body.user);
  });

  for (const [state, prepare] of Object.entries(invitations))
    it(`has one working invitation after reactivation (first invitation: ${state})`, async () => {
      const old = await prepare();
      await setActive(false);
      await setActive(true);
      const user = await models().User.findByPk(id, { rejectOnEmpty: true });
      expect([user.isActive, user.inviteState]).to.deep.equal([true, 'queued']);
      expect(await models().Mail.count({ where: { kind: 'invitation', state: 'queued' } })).to.equal(1);
      const [mail, ...others] = await mailbox.deliver();
      if (!mail || others.length > 0) throw new Error('One mail should have arrived.');
      expect(mail.text.includes('Welcome!')).to.equal(state !== 'expired');
      expect(await models().Link.count({ where: { userId: id } })).to.equal(1);
      const use = (link: string) =>
        harness.api('post', '/api/links/set-password').send({ token: link, newPassword: 'chosen by Kate' });
      if (old !== undefined) expect((await use(old)).headers['error-code']).to.equal('LINK_INVALID');
      await use(tokenOf(mail)).expect(200);
    });
});
