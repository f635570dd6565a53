import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { useOwnProgram } from './support/built-program.js';
import { createEmptyDatabase, type TestDatabase } from './support/database.js';
import { scaled } from './support/machine.js';

const repository = fileURLToPath(new URL('..', import.meta.url));

/** The lines of the README's tour, as somebody would copy them. */
function tour(): string {
  const readme = readFileSync(path.join(repository, 'README.md'), 'utf8');
  const blocks = [...readme.matchAll(/^```bash tour\n(.*?)^```$/gms)].map(([, block]) => block ?? '');
  expect(blocks.length).to.be.greaterThan(3);
  return blocks.join('\n');
}

describe('The tour of the README, copied line by line', function () {
  this.timeout(scaled(180_000));
  // The package as it is installed, in a folder of its own.
  const folder = useOwnProgram();
  const program = path.join(folder.path, 'bin', 'coursectl.js');
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
  });

  it('sets up, imports, logs in by email and phone, changes the initial password, and runs a course', () => {
    // Where passwords would be packed, or committed.
    const checkout = () => ['.', 'examples'].map((name) => readdirSync(path.join(folder.path, name)).sort());
    const before = checkout();
    const script = `set -euo pipefail\nnpx() { shift; node ${program} "$@"; }\n${tour().replaceAll('http://127.0.0.1:3000', url)}`;
    const output = execFileSync('bash', ['--norc', '-c', script], {
      cwd: folder.path,
      env: { PATH: process.env.PATH, DATABASE_URL: database.url },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    expect(output).to.include('The system is set up.');
    expect(output)
      .to.match(/40 accounts to create/)
      .and.to.match(/40 accounts created, 0 rows skipped, 0 rejected/);
    expect(output.match(/"requiresPasswordChange":true/g)).to.have.length(2);
    expect(output).to.include('{"error":"Password change required.","code":"PASSWORD_CHANGE_REQUIRED"}');
    expect(output).to.include('{"message":"Password changed successfully.","user":{');
    expect(output).to.match(/"lastLogin":"\d{4}-\d{2}-\d{2}T/);
    expect(output).to.include('"message":"Enrollment requested successfully."');
    expect(output).to.include('"status":"pending","progress":0').and.to.include('"notes":"Mornings, please."');
    expect(output).to.include('"message":"Enrollment status updated successfully."');
    expect(output).to.match(/"files":\[\{"id":"[^"]+","name":"trainees.csv","contentType":"text\/csv"/);
    expect(output).to.include('"hasEnrollments":true').and.to.include('"status":"active","progress":40');
    expect(output).to.match(/enrollment\.status/);
    expect(checkout()).to.deep.equal(before);
  });
});
