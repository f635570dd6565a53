import { expect } from 'chai';
import { useImporting } from '../support/importing.js';

describe('Passwords in a file', () => {
  const importing = useImporting();

  it('meet the same policy as everywhere else', async () => {
    Object.assign(importing.env, { PASSWORD_BLOCKLIST: 'on', PASSWORD_MIN_LENGTH: '8' });
    const file = importing.write(
      'people.csv',
      [
        'firstName,lastName,email,phone,password',
        'Ada,King,a@example.org,1,password',
        'Bob,King,b@example.org,2,short77',
        'Cid,King,c@example.org,3,c@example.org',
        'Dan,King,d@example.org,4,difference engine',
        '',
      ].join('\n'),
    );
    const { counts, rejectsFile } = await importing.json(file);
    expect(counts).to.include({ created: 1, rejected: 3 });
    const rejected = importing.read(rejectsFile?.split('/').at(-1) ?? '');
    expect(rejected).to.include('Password is one of the most common ones. Choose another.');
    expect(rejected).to.include('Password must be at least 8 characters.');
    expect(rejected).to.include("Password must not be the account's own email, phone or name.");
  });
});
