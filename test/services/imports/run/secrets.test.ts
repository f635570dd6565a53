import { expect } from 'chai';
import { people, recordsOf, useImporting } from '../support/importing.js';

describe('Passwords of an import', () => {
  const importing = useImporting({ BCRYPT_COST: '5' });
  const users = () => importing.context.database.models.User;

  for (const flag of ['--json', '--verbose']) {
    it(`are only in the credentials file, with ${flag}`, async () => {
      const file = importing.write('people.csv', `${people(30)}Ada,King,p00001@example.org,1\n`);
      const { exitCode, stdout, stderr } = await importing.run(file, '--yes', flag);
      expect(exitCode).to.equal(3);
      const passwords = recordsOf(`${importing.folder}/people.credentials.csv`).map(({ password = '' }) => password);
      expect(passwords).to.have.length(30);
      const elsewhere = [
        stdout,
        stderr,
        await importing.contents(),
        ...importing
          .files()
          .filter((name) => name !== 'people.credentials.csv')
          .map((name) => importing.read(name)),
      ].join('\n');
      for (const password of passwords) {
        expect(password).to.have.length(23);
        expect(elsewhere.includes(password), password).to.equal(false);
        expect(elsewhere.includes(password.replaceAll('-', '')), password).to.equal(false);
      }
    });
  }

  it('from the file are hashed at the full cost, and appear in no report file', async () => {
    const given = ['the first password', ' secret "quoted", ', 'пароль', '=1+1;cmd'];
    const rows = given.map(
      (password, index) => `Ada,King,a${index}@example.org,${index},"${password.replaceAll('"', '""')}"`,
    );
    const file = importing.write(
      'people.csv',
      ['firstName,lastName,email,phone,password', ...rows, 'Bob,King,b@example.org,9,'].join('\n'),
    );
    const { counts, credentialsFile } = await importing.json(file);
    expect(counts).to.include({ created: 5 });
    for (const [index, password] of given.entries()) {
      const email = `a${index}@example.org`;
      const user = await users().findOne({ where: { email }, rejectOnEmpty: true });
      expect(user.passwordHash).to.match(/^\$2b\$05\$/);
      const { body } = await importing
        .api('post', '/api/auth/login')
        .send({ identifier: email, password: password.trim() })
        .expect(200);
      expect(body.user.requiresPasswordChange).to.equal(true);
      expect(importing.read('people.credentials.csv')).not.to.include(password);
      expect(await importing.contents()).not.to.include(password);
    }
    expect(recordsOf(credentialsFile).map(({ line, email }) => `${line} ${email}`)).to.deep.equal(['6 b@example.org']);
    const generated = await users().findOne({ where: { email: 'b@example.org' }, rejectOnEmpty: true });
    expect(generated.passwordHash).to.match(/^\$2b\$04\$/);
  });
});
