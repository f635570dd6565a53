import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { buildPicture } from '../../../support/factories.js';
import { scaled } from '../../../support/machine.js';
import { type Running, useSubprocesses } from '../../../support/subprocess.js';
import { elsewhere, pathsIn, useInstallation } from './support/installation.js';

describe('coursectl backup and restore, killed', function () {
  this.timeout(scaled(120_000));
  const programs = useSubprocesses();
  const cli = useInstallation(300);
  const at = (name: string) => path.join(cli.folder, name);
  const names = (folder: string) => (existsSync(at(folder)) ? readdirSync(at(folder)) : []);

  /** Kills a command with SIGKILL as soon as it has come so far. @returns whether it had not ended before */
  async function killAt(running: Running, isThere: () => boolean): Promise<boolean> {
    let isOver = false;
    const ended = running.ended.then(
      () => {
        isOver = true;
      },
      () => undefined,
    );
    const deadline = Date.now() + scaled(30_000);
    while (!isThere() && !isOver && Date.now() < deadline) await sleep(1);
    running.kill('SIGKILL');
    await ended;
    return !isOver;
  }

  const points = {
    'when the folder exists': () => existsSync(at('copy')),
    'when the database is being copied': () => names('copy').includes('database.sqlite'),
    'when the first file is copied': () => names('copy/files/material').length > 0,
    'when half of the files are copied': () => names('copy/files/material').length > 150,
  };
  for (const [point, isThere] of Object.entries(points))
    it(`a backup killed ${point} has no manifest, and restore refuses it`, async () => {
      const running = programs.start(['backup', 'copy'], { cwd: cli.folder, env: cli.env });
      expect(await killAt(running, isThere), 'killed in time').to.equal(true);
      expect(names('copy')).to.not.include('manifest.json');
      const { exitCode, said } = await cli.refusal(['restore', 'copy'], { env: elsewhere });
      expect(exitCode).to.equal(1);
      expect(said).to.match(/is incomplete: it has no manifest\.json|There is no backup in/);
      expect(existsSync(at('elsewhere'))).to.equal(false);
    });

  describe('a restore', () => {
    const kinds = ['image', 'material'];
    const restore = () => cli.run(['restore', 'copy'], { env: elsewhere });

    beforeEach(async () => {
      // A file of another kind than the materials.
      const context = await cli.context();
      const [trainer] = await context.database.models.User.findAll();
      if (!trainer) throw new Error('The installation has no account.');
      await buildPicture(context, trainer, Buffer.from('A picture.'));
      expect((await cli.run(['backup', 'copy'])).exitCode).to.equal(0);
    });

    async function assertComplete() {
      const { sweep } = await cli.json<{ sweep: object }>(['files', 'sweep'], { env: elsewhere });
      expect(sweep).to.deep.include({ missing: [], unknown: [] });
      expect(pathsIn(at('elsewhere')).filter((name) => name.startsWith('files/'))).to.have.length(301);
      expect(pathsIn(at('elsewhere')).filter((name) => name.includes('restoring'))).to.deep.equal([]);
      const { users } = await cli.json<{ users: object[] }>(['users', 'list'], { env: elsewhere });
      expect(users).to.have.length(1);
    }

    const stages = {
      'while it copies the database': () => existsSync(at('elsewhere/coursectl.sqlite.restoring')),
      'while it copies the files': () => names('elsewhere/files/.restoring/material').length > 100,
    };
    for (const [stage, isThere] of Object.entries(stages))
      it(`killed ${stage} leaves no database, and is begun again by the next one`, async () => {
        const running = programs.start(['restore', 'copy'], { cwd: cli.folder, env: elsewhere });
        expect(await killAt(running, isThere), 'killed in time').to.equal(true);
        const { said } = await cli.refusal(['users', 'list'], { env: elsewhere });
        expect(said).to.match(/^A restore was interrupted: .*Finish it: coursectl restore <folder>\./);
        const { exitCode, stderr } = await restore();
        expect(exitCode, stderr).to.equal(0);
        await assertComplete();
      });

    it('keeps others out until it ends, also while it is paused, and no longer when it is killed', async () => {
      const running = programs.start(['restore', 'copy'], { cwd: cli.folder, env: elsewhere });
      const isThere = () => names('elsewhere/files/.restoring/material').length > 0;
      for (const deadline = Date.now() + scaled(30_000); !isThere() && Date.now() < deadline; ) await sleep(1);
      running.kill('SIGSTOP');
      const staged = pathsIn(at('elsewhere'));
      const { exitCode, said } = await cli.refusal(['restore', 'copy'], { env: elsewhere });
      expect({ exitCode, said }).to.deep.equal({
        exitCode: 1,
        said: `Another restore into ${at('elsewhere')} is running. Wait for its end.`,
      });
      expect(pathsIn(at('elsewhere'))).to.deep.equal(staged);
      running.kill('SIGKILL');
      await running.ended.catch(() => undefined);
      expect((await restore()).exitCode).to.equal(0);
      await assertComplete();
      expect(readdirSync(at('elsewhere')).filter((name) => name.startsWith('restore.lock'))).to.deep.equal([]);
    });

    /** What a restore leaves that was killed in the end. */
    function leaveManifest() {
      mkdirSync(at('elsewhere/restoring'));
      copyFileSync(at('copy/manifest.json'), at('elsewhere/restoring/manifest.json'));
    }

    /** What a restore leaves that was killed when all was prepared, and files of these kinds were in place. */
    async function leavePrepared(inPlace: readonly string[]) {
      expect((await restore()).exitCode).to.equal(0);
      leaveManifest();
      renameSync(at('elsewhere/coursectl.sqlite'), at('elsewhere/coursectl.sqlite.restoring'));
      for (const kind of kinds) {
        if (inPlace.includes(kind)) continue;
        mkdirSync(at('elsewhere/files/.restoring'), { recursive: true });
        renameSync(at(`elsewhere/files/${kind}`), at(`elsewhere/files/.restoring/${kind}`));
      }
    }

    const steps = {
      'before the files are in place': [],
      'between pictures and materials': ['image'],
      'between files and database': kinds,
    };
    for (const [step, inPlace] of Object.entries(steps))
      it(`killed ${step} is finished by the next one`, async () => {
        await leavePrepared(inPlace);
        const { exitCode, stderr } = await restore();
        expect(exitCode, stderr).to.equal(0);
        await assertComplete();
      });

    it('killed before its end keeps all commands from making an empty database, and doctor says so', async () => {
      await leavePrepared(kinds);
      const file = at('elsewhere/coursectl.sqlite');
      const message = `A restore was interrupted: there is ${file}.restoring, but no database yet. Finish it: coursectl restore <folder>. To give it up, remove that file and the folder ${at('elsewhere/restoring')}.`;
      for (const words of ['serve', 'serve --migrate', 'migrate up', 'setup --yes', 'backup another', 'users list']) {
        const { exitCode, said } = await cli.refusal(words.split(' '), { env: elsewhere });
        expect({ words, exitCode, said }).to.deep.equal({ words, exitCode: 1, said: message });
      }
      const { exitCode, stdout } = await cli.run(['doctor'], { env: elsewhere });
      expect(exitCode).to.equal(1);
      expect(stdout.replaceAll(/\n +/g, ' ')).to.include(`FAILED   connection: ${message}`);
      expect(existsSync(file)).to.equal(false);
      // Some other program has made an empty file.
      writeFileSync(file, '');
      expect((await cli.refusal(['migrate', 'up'], { env: elsewhere })).said).to.equal(message);
      expect((await restore()).exitCode).to.equal(0);
      await assertComplete();
    });

    it('is not finished with another backup', async () => {
      expect((await cli.run(['backup', 'other'])).exitCode).to.equal(0);
      await leavePrepared(kinds);
      const { exitCode, said } = await cli.refusal(['restore', 'other'], { env: elsewhere });
      expect(exitCode).to.equal(1);
      expect(said).to.match(
        /^A restore of another backup, begun at .*, was interrupted\. Finish it: restore that backup\. To give it up, remove the folder .*elsewhere\/restoring\.$/,
      );
      expect(existsSync(at('elsewhere/coursectl.sqlite'))).to.equal(false);
    });

    it('is begun again when its files were removed', async () => {
      await leavePrepared(kinds);
      rmSync(at('elsewhere/files'), { recursive: true });
      const { exitCode, stderr } = await restore();
      expect(exitCode, stderr).to.equal(0);
      await assertComplete();
    });

    describe('killed when all is in place', () => {
      beforeEach(async () => {
        expect((await restore()).exitCode).to.equal(0);
        leaveManifest();
      });

      it('is refused again, because there is a database', async () => {
        const { exitCode, said } = await cli.refusal(['restore', 'copy'], { env: elsewhere });
        expect(exitCode).to.equal(1);
        expect(said).to.match(/coursectl\.sqlite exists: a backup is restored only where there is no database\./);
      });

      for (const backup of ['copy', 'other'])
        it(`leaves nothing that hinders a later restore of ${backup === 'copy' ? 'the same' : 'another'} backup`, async () => {
          if (backup === 'other') expect((await cli.run(['backup', 'other'])).exitCode).to.equal(0);
          renameSync(at('elsewhere/coursectl.sqlite'), at('former.sqlite'));
          renameSync(at('elsewhere/files'), at('former-files'));
          const { exitCode, stdout, stderr } = await cli.run(['restore', backup], { env: elsewhere });
          expect(exitCode, stderr).to.equal(0);
          expect(stdout).to.match(/\n {2}301 files: \d+ bytes\nRun: coursectl doctor\n$/);
          await assertComplete();
        });
    });
  });
});
