import { expect } from 'chai';
import { phoneKey } from '../../src/schemas/keys.js';
import { buildUser } from '../support/factories.js';
import { useHarness } from '../support/harness.js';
import { migration } from './support/migration.js';

const steps = {
  digits: migration('20260101000012-fold-phone-keys.cjs'),
  slashes: migration('20260101000041-drop-slashes-of-phones.cjs'),
};

const cases = [
  {
    step: steps.digits,
    what: 'digits of every script',
    phones: ['+1 555 010', '+４４ ２０ ７９４６', '٠١٢٣٤', '9\u31648', '12', '１２'],
  },
  {
    step: steps.slashes,
    what: 'slashes and tel:',
    phones: ['+1 555 010', '0151/23', '0152/24', 'TEL:0153', 'tel:', '0154', '0154/'],
  },
];

describe('The migration of phone keys', () => {
  const harness = useHarness();

  for (const { step, what, phones } of cases)
    it(`updates stored keys with ${what} to the current form, except those that another account has`, async () => {
      const { User } = harness.context.database.models;
      const queryInterface = harness.context.database.sequelize.getQueryInterface();
      for (const [index, phone] of phones.entries()) {
        const { id } = await buildUser(harness.context, { phone: `taken ${index}` });
        await User.update({ phone, phoneKey: phone.replaceAll(' ', '') }, { where: { id } });
      }
      const keys = async () => new Map((await User.findAll()).map((user) => [user.phone, user.phoneKey] as const));
      const former = await keys();
      await step.up(queryInterface);
      const made = await keys();
      for (const phone of phones.slice(0, -1)) expect(made.get(phone), phone).to.equal(phoneKey(phone));
      const taken = phones.at(-1) ?? '';
      expect(made.get(taken)).to.equal(taken);
      await step.up(queryInterface);
      expect(await keys()).to.deep.equal(made);
      await step.down(queryInterface);
      expect(await keys()).to.deep.equal(former);
    });
});
