import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { run } from './support/built-program.js';
import { onMysql, serverUrl } from './support/database.js';

const repository = fileURLToPath(new URL('../', import.meta.url));

(onMysql ? describe : describe.skip)('The bench of imports (needs a MySQL or MariaDB server)', function () {
  this.timeout(180_000);

  it('measures every scenario, at a size that says nothing of speed', async () => {
    const { exitCode, stdout, stderr } = await run(
      'npm',
      ['run', '--silent', 'bench', '--', 'import', '--scale', '0.001', '--rounds', '1'],
      repository,
      { BENCH_DATABASE_URL: serverUrl() },
    );
    expect(exitCode, stderr).to.equal(0);
    const lines = stdout.split('\n').filter((line) => /^(ok|n\/a) /.test(line));
    expect(lines.map((line) => line.slice(5).replace(/:.*/, ''))).to.deep.equal([
      'generated passwords, 100 rows',
      'password hashes in the file, 100 rows',
      '100 rows beside 1000 accounts',
      'supplied passwords at cost 10, 50 rows',
      'peak resident memory',
      'planning 1000 rows',
    ]);
  });
});
