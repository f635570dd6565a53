import { expect } from 'chai';
import { userViews } from '../../src/presenters/user.js';
import { accountFields } from '../../src/schemas/account-fields.js';

describe('A response that shows an account', () => {
  for (const [name, { shown, hidden }] of Object.entries(userViews))
    it(`shows or hides each field: ${name}`, () => {
      const hint = `Add the field to "shown" or to "hidden" of ${name} in src/presenters/user.ts`;
      expect([...shown, ...hidden], hint).to.have.members(Object.keys(accountFields));
    });
});
