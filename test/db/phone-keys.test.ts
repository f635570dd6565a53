import { expect } from 'chai';
import { phoneKey } from '../../src/schemas/keys.js';
import { buildUser } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { migration } from './support/migration.js';

const step = migration('20260101000012-fold-phone-keys.cjs');

describe('The migration of phone keys', () => {
  const harness = useHarness();

  it('updates stored keys to the current form, except those that another account has', async () => {
    const { User } = harness.context.database.models;
    const queryInterface = harness.context.database.sequelize.getQueryInterface();
    const phones = ['+1 555 010', '+４４ ２０ ７９４６', '٠١٢٣٤', '9\u31648', '12', '１２'];
    for (const [index, phone] of phones.entries()) {
      const { id } = await buildUser(harness.context, { phone: `taken ${index}` });
      await User.update({ phone, phoneKey: phone.replaceAll(' ', '') }, { where: { id } });
    }
    const keys = async () => new Map((await User.findAll()).map((user) => [user.phone, user.phoneKey] as const));
    const former = await keys();
    await step.up(queryInterface);
    const folded = await keys();
    for (const phone of phones.slice(0, -1)) expect(folded.get(phone), phone).to.equal(phoneKey(phone));
    expect(folded.get('１２')).to.equal('１２');
    await step.up(queryInterface);
    expect(await keys()).to.deep.equal(folded);
    await step.down(queryInterface);
    expect(await keys()).to.deep.equal(former);
  });
});
