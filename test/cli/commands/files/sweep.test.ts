import { existsSync, mkdirSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { v7 as uuidv7 } from 'uuid';
import { holdRemovals } from '../../../../src/services/files/removal-hold.js';
import { emptySweep } from '../../../support/empty-sweep.js';
import { buildCourse, buildMaterial, buildUser } from '../../../support/factories.js';
import { useHarnessAndCli } from '../../../support/harness-cli.js';

const yesterday = new Date(Date.now() - 24 * 60 * 60_000);

describe('coursectl files sweep', () => {
  const { cli } = useHarnessAndCli();
  const stored = (key: string) => path.join(cli.folder, 'data', 'files', key);

  async function material(state: 'live' | 'marked') {
    const context = await cli.context();
    const course = await buildCourse(context, await buildUser(context, { role: 'trainer' }));
    return buildMaterial(context, course, { state });
  }

  function old(file: string): string {
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, '');
    utimesSync(file, yesterday, yesterday);
    return file;
  }

  it('reports no problems if all files are known or the storage does not exist yet', async () => {
    const { sweep } = await cli.json<{ sweep: object }>(['files', 'sweep']);
    expect(sweep).to.deep.equal({ ...emptySweep, unknownRemoved: false });
    const { storageKey } = await material('live');
    const { exitCode, stdout, stderr } = await cli.run(['files', 'sweep']);
    expect({ exitCode, stderr }).to.deep.equal({ exitCode: 0, stderr: '' });
    expect(stdout.split('\n')).to.deep.equal([
      '0 orphaned files removed',
      '0 incomplete uploads removed',
      '0 objects unknown to the database found',
      '0 files missing in the storage',
      '0 files of the wrong size in the storage',
      '',
    ]);
    expect(existsSync(stored(storageKey))).to.equal(true);
  });

  it('reports orphaned files that can not be removed, and exits with 1', async () => {
    const { storageKey } = await material('marked');
    rmSync(stored(storageKey));
    mkdirSync(stored(storageKey));
    const { exitCode, stdout } = await cli.run(['files', 'sweep']);
    expect(exitCode).to.equal(1);
    expect(stdout).to.match(
      /^0 orphaned files removed\n1 orphaned file could not be removed; the next cleanup tries again: [^\n]+\n/,
    );
    expect(stdout).to.include(stored(storageKey));
    const { sweep } = await cli.json<{ sweep: { failure: string } }>(['files', 'sweep']);
    expect(sweep).to.include({ removed: 0, held: 0, failed: 1 });
    expect(sweep.failure).to.include(stored(storageKey));
  });

  it('removes orphaned files, but only after a running backup has ended', async () => {
    const { storageKey } = await material('marked');
    const upload = old(path.join(cli.folder, 'data', 'uploads', uuidv7()));
    const during = await holdRemovals(await cli.context(), () => cli.run(['files', 'sweep']));
    expect(during.exitCode).to.equal(0);
    expect(during.stdout).to.match(
      /^0 orphaned files removed\n1 orphaned file kept during a backup: run the command again when the backup has ended\n/,
    );
    expect(existsSync(upload)).to.equal(false);
    expect((await cli.run(['files', 'sweep'])).stdout).to.match(/^1 orphaned file removed\n0 incomplete uploads/);
    expect(existsSync(stored(storageKey))).to.equal(false);
  });

  it('lists objects unknown to the database, and removes them only with --remove-unknown', async () => {
    const key = `material/${uuidv7()}`;
    const file = old(stored(key));
    const { exitCode, stdout } = await cli.run(['files', 'sweep']);
    expect(exitCode).to.equal(0);
    expect(stdout).to.include(`1 object unknown to the database found\n  ${key}\n`);
    expect(existsSync(file)).to.equal(true);
    const { sweep } = await cli.json<{ sweep: object }>(['files', 'sweep', '--remove-unknown']);
    expect(sweep)
      .to.include({ unknownRemoved: true })
      .and.to.deep.include({ unknown: [key] });
    expect(existsSync(file)).to.equal(false);
  });

  it('lists missing files and files of another size, and exits with 1', async () => {
    const [missing, cut] = [(await material('live')).storageKey, (await material('live')).storageKey];
    await material('live');
    rmSync(stored(missing));
    truncateSync(stored(cut), 5);
    const { exitCode, stdout } = await cli.run(['files', 'sweep', '--remove-unknown']);
    expect(exitCode).to.equal(1);
    expect(stdout).to.include(`1 file missing in the storage\n  ${missing}\n`);
    expect(stdout).to.include(`1 file of the wrong size in the storage\n  ${cut}: 5 bytes instead of 13\n`);
    expect(existsSync(stored(cut))).to.equal(true);
    const { sweep } = await cli.json<{ sweep: object }>(['files', 'sweep']);
    const wrongSize = [{ key: cut, bytes: 13, storedBytes: 5 }];
    expect(sweep).to.deep.include({ missing: [missing], wrongSize });
  });

  for (const name of ['uploads', 'imports', 'files'])
    it(`reports a folder of ${name} that can not be read`, async () => {
      mkdirSync(path.join(cli.folder, 'data'));
      const folder = path.join(cli.folder, 'data', name);
      writeFileSync(folder, 'in the way');
      const message = `The folder "${folder}" isn't a folder: check the path.`;
      expect(await cli.refusal(['files', 'sweep'])).to.deep.equal({ exitCode: 1, message });
    });
});
