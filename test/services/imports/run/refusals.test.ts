import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect } from 'chai';
import { hashedPeople, people, useImporting } from '../support/importing.js';

describe('coursectl users import with bad input', () => {
  const importing = useImporting();

  /** Expects that the command ends with the exit code and the message, and writes nothing. */
  async function expectRefusal(args: readonly string[], exitCode: number, message: string | RegExp) {
    const [before, files] = [await importing.contents(), importing.files().map((name) => name)];
    const { stdout, stderr, ...ended } = await importing.run(...args, '--yes');
    expect(stderr.replaceAll(`${importing.folder}/`, '')).to.match(
      typeof message === 'string' ? new RegExp(`^error: ${message.replace(/[.?()]/g, '\\$&')}\n$`) : message,
    );
    expect({ ...ended, stdout }).to.deep.equal({ exitCode, stdout: '' });
    expect(await importing.contents()).to.equal(before);
    expect(importing.files()).to.deep.equal(files);
    const asJson = await importing.run(...args, '--yes', '--json');
    expect(asJson).to.include({ exitCode, stderr: '' });
    expect(JSON.parse(asJson.stdout)).to.have.nested.property('error.code');
  }

  it('refuses a missing file', async () => {
    const file = path.join(importing.folder, 'people.csv');
    await expectRefusal([file], 2, 'The file people.csv does not exist.');
  });

  it('refuses a pipe, which can be read only a single time', async () => {
    const pipe = path.join(importing.folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    await expectRefusal([pipe], 2, 'The file pipe is a pipe or a device. Save it as a file.');
  });

  it('refuses invalid quotes far inside the file', async () => {
    const file = importing.write('people.csv', `${hashedPeople(300)}"Ada"x,King,a@b.org,1,,\n`);
    await expectRefusal([file], 2, /^error: The row that begins on line 302 has text after/);
  });

  it('never overwrites a file at the path of an option', async () => {
    const file = importing.write('people.csv', people(2));
    const taken = importing.write('taken.csv', '');
    const message = 'The file taken.csv exists already and is never overwritten. Name another one.';
    await expectRefusal([file, '--credentials', taken], 2, message);
    await expectRefusal([file, '--rejects', taken], 2, message);
    await expectRefusal([file, '--rejects', file], 2, message.replace('taken', 'people'));
    expect(importing.read('taken.csv')).to.equal('');
  });

  it('writes no file into a missing folder', async () => {
    const file = importing.write('people.csv', people(2));
    await expectRefusal(
      [file, '--credentials', path.join(importing.folder, 'people.csv', 'credentials.csv')],
      2,
      "The file people.csv/credentials.csv can't be written (its folder is a file). Correct the path, or name another file.",
    );
  });

  it('needs different files for passwords and rejected rows', async () => {
    const file = importing.write('people.csv', people(2));
    const same = path.join(importing.folder, 'out.csv');
    await expectRefusal(
      [file, '--credentials', same, '--rejects', same],
      2,
      'Passwords and rejected rows need separate files. Name two.',
    );
  });

  it('creates no super admin', async () => {
    const file = importing.write('people.csv', people(2));
    await expectRefusal([file, '--role', 'super_admin'], 2, 'Role must be one of trainee, trainer.');
  });

  it('writes to the paths of the options', async () => {
    const file = importing.write('people.csv', `${people(2)}A,B,nobody,\n`);
    const [credentials, rejects] = [path.join(importing.folder, 'a.csv'), path.join(importing.folder, 'b.csv')];
    const result = await importing.json(file, '--credentials', credentials, '--rejects', rejects);
    expect(result).to.include({ exitCode: 3, credentialsFile: credentials, rejectsFile: rejects });
    expect(importing.files()).to.deep.equal(['a.csv', 'b.csv', 'people.csv']);
  });
});
