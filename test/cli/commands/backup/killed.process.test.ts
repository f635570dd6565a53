import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { buildImage } from '../../../support/factories.js';
import { scaled } from '../../../support/machine.js';
import { type RunningProcess, useSubprocesses } from '../../../support/subprocess.js';
import { elsewhere, pathsIn, useInstallation } from './support/installation.js';

describe('coursectl backup and restore, killed', function () {
  this.timeout(scaled(120_000));
  const programs = useSubprocesses();
  const cli = useInstallation(300);
  const at = (name: string) => path.join(cli.folder, name);
  const names = (folder: string) => (existsSync(at(folder)) ? readdirSync(at(folder)) : []);

  /** Kills a command with SIGKILL once the condition holds. @returns whether the command was still running */
  async function killAt(running: RunningProcess, isThere: () => boolean): Promise<boolean> {
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

  it('leaves no manifest when a backup is killed, and restore refuses the backup', async () => {
    const running = programs.start(['backup', 'copy'], { cwd: cli.folder, env: cli.env });
    const isThere = () => names('copy/files/material').length > 150;
    expect(await killAt(running, isThere), 'killed in time').to.equal(true);
    expect(names('copy')).to.not.include('manifest.json');
    const { exitCode, message } = await cli.refusal(['restore', 'copy'], { env: elsewhere });
    expect(exitCode).to.equal(1);
    expect(message).to.match(/is incomplete: it has no manifest\.json/);
    expect(existsSync(at('elsewhere'))).to.equal(false);
  });

  describe('a restore', () => {
    const restore = (folder = 'copy') => cli.run(['restore', folder], { env: elsewhere });

    beforeEach(async () => {
      // An image is a file of another kind than the materials.
      const context = await cli.context();
      const [trainer] = await context.database.models.User.findAll();
      if (!trainer) throw new Error('The installation has no account.');
      await buildImage(context, trainer, Buffer.from('An image.'));
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
      'while it copies the files': () => names('elsewhere/files/material').length > 100,
    };
    for (const [stage, isThere] of Object.entries(stages))
      it(`leaves no database when killed ${stage}, and the next restore starts again`, async () => {
        const running = programs.start(['restore', 'copy'], { cwd: cli.folder, env: elsewhere });
        expect(await killAt(running, isThere), 'killed in time').to.equal(true);
        const { message } = await cli.refusal(['users', 'list'], { env: elsewhere });
        expect(message).to.match(/^A restore was interrupted: .*Run it again: coursectl restore <folder>\./);
        const { exitCode, stderr } = await restore();
        expect(exitCode, stderr).to.equal(0);
        await assertComplete();
      });

    it('locks out other restores until it ends or is killed, also while it is paused', async () => {
      const running = programs.start(['restore', 'copy'], { cwd: cli.folder, env: elsewhere });
      const isThere = () => names('elsewhere/files/material').length > 0;
      for (const deadline = Date.now() + scaled(30_000); !isThere() && Date.now() < deadline; ) await sleep(1);
      running.kill('SIGSTOP');
      const staged = pathsIn(at('elsewhere'));
      const { exitCode, message } = await cli.refusal(['restore', 'copy'], { env: elsewhere });
      expect({ exitCode, message }).to.deep.equal({
        exitCode: 1,
        message: `Another restore into ${at('elsewhere')} is running. Wait for its end.`,
      });
      expect(pathsIn(at('elsewhere'))).to.deep.equal(staged);
      running.kill('SIGKILL');
      await running.ended.catch(() => undefined);
      expect((await restore()).exitCode).to.equal(0);
      await assertComplete();
      expect(readdirSync(at('elsewhere')).filter((name) => name.startsWith('restore.lock'))).to.deep.equal([]);
    });

    describe('killed just before its end', () => {
      const file = () => at('elsewhere/coursectl.sqlite');

      beforeEach(async () => {
        expect((await restore()).exitCode).to.equal(0);
        renameSync(file(), `${file()}.restoring`);
      });

      it('prevents all commands from creating an empty database, and doctor reports it', async () => {
        const message = `A restore was interrupted: ${file()}.restoring exists, but no database. Run it again: coursectl restore <folder>. To cancel the restore, remove that file.`;
        for (const words of ['serve', 'serve --migrate', 'migrate up', 'setup --yes', 'backup another', 'users list']) {
          const { exitCode, message } = await cli.refusal(words.split(' '), { env: elsewhere });
          expect({ words, exitCode, message }).to.deep.equal({ words, exitCode: 1, message: message });
        }
        const { exitCode, stdout } = await cli.run(['doctor'], { env: elsewhere });
        expect(exitCode).to.equal(1);
        expect(stdout.replaceAll(/\n +/g, ' ')).to.include(`FAILED   connection: ${message}`);
        expect(existsSync(file())).to.equal(false);
        // Another program created an empty file.
        writeFileSync(file(), '');
        expect((await cli.refusal(['migrate', 'up'], { env: elsewhere })).message).to.equal(message);
        expect((await restore()).exitCode).to.equal(0);
        await assertComplete();
      });

      it('replaces the files of the interrupted restore, also those that another backup has', async () => {
        expect((await cli.run(['backup', 'other'])).exitCode).to.equal(0);
        const [material = ''] = names('elsewhere/files/material');
        writeFileSync(at(`elsewhere/files/material/${material}`), 'A part');
        const { exitCode, stderr } = await restore('other');
        expect(exitCode, stderr).to.equal(0);
        await assertComplete();
      });
    });
  });
});
