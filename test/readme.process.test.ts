import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { useOwnProgram } from './support/built-program.js';
import { createEmptyDatabase, type TestDatabase } from './support/database.js';
import { scaled } from './support/machine.js';
import { temporaryFolder } from './support/temporary-folder.js';

const repository = fileURLToPath(new URL('..', import.meta.url));

const readme = readFileSync(path.join(repository, 'README.md'), 'utf8');

/** Returns the commands of a document for copying. */
function tour(document: string): string {
  const text = readFileSync(path.join(repository, document), 'utf8');
  const blocks = [...text.matchAll(/^```bash tour\n(.*?)^```$/gms)].map(([, block]) => block ?? '');
  expect(blocks, document).not.to.have.length(0);
  return blocks.join('\n');
}

describe('The commands of the README and the tour of the API, run line by line', function () {
  this.timeout(scaled(180_000));
  // Installs the package in a separate folder.
  const folder = useOwnProgram();
  const home = temporaryFolder();
  const program = path.join(folder.path, 'bin', 'coursectl.js');
  // The answers of a user at a terminal, because the test has no terminal.
  const answered = `npx() {
  shift
  case "$*" in
    setup) node ${program} setup --yes --first-name Ada --last-name King --email admin@example.org --phone '555 0100' \
      --password-stdin <<< 'correct horse battery' ;;
    'users import '*.csv) node ${program} "$@" --yes ;;
    *) node ${program} "$@" ;;
  esac
}`;
  let database: TestDatabase;
  let server: ChildProcess;
  let url: string;

  before(async () => {
    database = await createEmptyDatabase();
    server = spawn(process.execPath, [program, 'serve', '--migrate', '--port', '0', '--json'], {
      cwd: folder.path,
      env: { PATH: process.env.PATH, DATABASE_URL: database.url },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    if (!server.stdout) throw new Error('no stdout');
    for await (const line of createInterface(server.stdout)) {
      ({ url } = JSON.parse(line) as { url: string });
      break;
    }
  });

  after(async () => {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGTERM');
    await ended;
    await database.drop();
    home.remove();
  });

  it('make the settings file readable only by its owner', () => {
    const [, lines = ''] = /^```bash\n(echo DATABASE_URL=.*?)npm start\n```$/ms.exec(readme) ?? [];
    execFileSync('bash', ['--norc', '-c', `set -e; umask 022\n${lines}`], { cwd: home.path });
    expect(statSync(path.join(home.path, '.env')).mode & 0o777).to.equal(0o600);
    rmSync(path.join(home.path, '.env'));
  });

  it('set up, import, log in by email and phone, change the initial password, and run a course', () => {
    // Files in the package or the repository would be published.
    const checkout = () => ['.', 'examples'].map((name) => readdirSync(path.join(folder.path, name)).sort());
    const before = checkout();
    const lines = [tour('README.md'), tour('docs/API-TOUR.md')].join('\n').replaceAll('http://127.0.0.1:3000', url);
    const output = execFileSync('bash', ['--norc', '-c', `set -euo pipefail\n${answered}\n${lines}`], {
      cwd: folder.path,
      env: { PATH: process.env.PATH, HOME: home.path, DATABASE_URL: database.url },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    expect(output).to.include('The system is set up.');
    expect(output).to.include('2 accounts created, 0 rows skipped, 0 rejected');
    expect(readdirSync(home.path).sort()).to.deep.equal(['people.credentials.csv', 'people.csv']);
    expect(output).to.match(/^ok +super admin: exists$/m);
    // The test already has a database server.
    expect(output).to.match(/^(0 warnings, 0 failures|1 warning, 0 failures: server settings)$/m);
    expect(output.match(/"requiresPasswordChange":true/g)).to.have.length(1);
    // With an initial password, the enrollment check and the sessions are permitted, and a trainer's courses are refused.
    const opened = /"requiresPasswordChange":true.*?\n(.*"hasEnrollments":false.*)\n(.*"sessions":\[.*)\n(.*)\n/.exec(
      output,
    );
    expect(opened?.[3]).to.equal('{"error":"Password change required.","code":"PASSWORD_CHANGE_REQUIRED"}');
    expect(opened?.[2]?.match(/"id":/g)).to.have.length(2);
    // The change ends the old session, which is refused; the new session gets its account.
    expect(output).to.match(/"Password changed successfully\.".*\n+\{"error":"[^"]+"[^\n]*\n\{"user":\{/);
    expect(output).to.include('{"message":"Password changed successfully.","user":{');
    expect(output).to.match(/"lastLogin":"\d{4}-\d{2}-\d{2}T/);
    expect(output).to.include('"message":"Enrollment requested successfully."');
    expect(output).to.include('"status":"pending","progress":0').and.to.include('"notes":"Mornings, please."');
    expect(output).to.include('"message":"Enrollment status updated successfully."');
    expect(output).to.match(/"files":\[\{"id":"[^"]+","name":"trainees.csv","contentType":"text\/csv"/);
    expect(output).to.include('"hasEnrollments":true').and.to.include('"status":"active","progress":40');
    expect(output)
      .to.match(/"name":"Year 9","activeMembers":1/)
      .and.to.match(/"outcome":"unchanged"/);
    expect(output).to.match(/enrollment\.status/);
    expect(output).to.match(/juergen@example.org +has signed in\nNothing was written/);
    expect(checkout()).to.deep.equal(before);
  });
});
