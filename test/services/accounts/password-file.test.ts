import path from 'node:path';
import { expect } from 'chai';
import { PasswordFile } from '../../../src/services/accounts/password-file.js';
import { buildUser } from '../../support/factories.js';
import { useHarness } from '../../support/harness.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { recordsOf } from '../imports/support/importing.js';

describe('A file of generated passwords', () => {
  const harness = useHarness();

  it('keeps only the last password of an account whose transaction is repeated', async () => {
    const [ada, ben] = [await buildUser(harness.context), await buildUser(harness.context)];
    const folder = temporaryFolder();
    try {
      const file = await PasswordFile.create(path.join(folder.path, 'passwords.csv'));
      await file.keep(ada, 'first');
      await file.keep(ada, 'second');
      await file.keep(ben, 'third');
      await file.close();
      expect(recordsOf(file.path).map(({ password }) => password)).to.deep.equal(['second', 'third']);
    } finally {
      folder.remove();
    }
  });
});
