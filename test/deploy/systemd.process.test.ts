import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { temporaryFolder } from '../support/temporary-folder.js';
import { isInstalled, root } from './files.js';

const unit = path.join(root, 'deploy/coursectl@.service');
const analyze = (...args: string[]) => spawnSync('systemd-analyze', [...args, unit], { encoding: 'utf8' });

(isInstalled('systemd-analyze') ? describe : describe.skip)('The systemd unit (needs systemd-analyze)', () => {
  it('has only settings that systemd knows', () => {
    const { status, stderr } = analyze('verify');
    // The exit code is 0 even for unknown names.
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
  });

  it('listens on the port that an instance is named after', () => {
    expect(readFileSync(unit, 'utf8')).to.match(/^ExecStart=.* serve .*--port %i$/m);
  });

  it('uses the same user and folder as the commands in the operations manual', () => {
    const manual = readFileSync(path.join(root, 'docs/OPERATIONS.md'), 'utf8');
    const [command = ''] = /^systemd-run [^`]+/m.exec(manual) ?? [];
    const properties = Array.from(command.matchAll(/--property=(\S+)/g), ([, property = '']) => property);
    const folder = temporaryFolder();
    const own = path.join(folder.path, 'command.service');
    writeFileSync(own, ['[Service]', 'ExecStart=/usr/bin/env coursectl doctor', ...properties].join('\n'));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', own], { encoding: 'utf8' });
    folder.remove();
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
    const settings = readFileSync(unit, 'utf8').split('\n');
    expect(settings).to.include.members(properties);
    const variables = Array.from(command.matchAll(/--setenv=(\S+)/g), ([, variable]) => variable);
    expect(settings).to.include(`Environment=${variables.join(' ')}`);
  });

  it('prints advice if services cannot read the program or Node', () => {
    const [, command = ''] = /^ExecStartPre=\/bin\/sh -c '([^']+)'$/m.exec(readFileSync(unit, 'utf8')) ?? [];
    const script = command.replaceAll('\\\n', ' ').replaceAll('$$', '$');
    const folder = temporaryFolder();
    const program = path.join(folder.path, 'coursectl');
    const start = () => {
      const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', script], {
        env: { PATH: folder.path },
        encoding: 'utf8',
      });
      return { status, stdout, advice: /Install both for all users: docs\/OPERATIONS\.md/.test(stderr) };
    };
    const refused = { status: 1, stdout: '', advice: true };
    expect(start(), 'not on the PATH').to.deep.equal(refused);
    writeFileSync(program, '#!/usr/bin/env node\n', { mode: 0o755 });
    expect(start(), 'without Node').to.deep.equal(refused);
    writeFileSync(program, '#!/bin/sh\necho 0.1.0\n');
    expect(start(), 'installed').to.deep.equal({ status: 0, stdout: '', advice: false });
    chmodSync(program, 0o644);
    expect(start(), 'not to be run').to.deep.equal(refused);
    folder.remove();
  });

  it('keeps groups in step at night, as the user of the service and with its restrictions', () => {
    const names = ['coursectl-sync@.service', 'coursectl-sync@.timer'].map((name) => path.join(root, 'deploy', name));
    for (const name of names) {
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', name], { encoding: 'utf8' });
      expect({ status, stderr }, name).to.deep.equal({ status: 0, stderr: '' });
    }
    const sync = readFileSync(names[0] ?? '', 'utf8');
    const [, shared = ''] = /\nDynamicUser=([^[]+)/.exec(readFileSync(unit, 'utf8')) ?? [];
    const settings = shared.split('\n').filter((line) => /^\w+=/.test(line));
    expect(settings).to.have.length.greaterThan(20);
    expect(sync.split('\n')).to.include.members(settings);
    // Rejected rows and a held sync are failures that an operator must see.
    expect(sync).to.not.match(/^SuccessExitStatus=/m);
    expect(sync).to.match(
      /^ExecStart=\/usr\/bin\/env coursectl users sync \$\{FILE\} --roster \$\{ROSTER\} --existing --yes --quiet$/m,
    );
  });

  it('restricts the service to an exposure level below 2.0', () => {
    const { status, stdout } = analyze('security', '--offline=yes', '--threshold=20');
    expect(stdout).to.match(/Overall exposure level for coursectl@\S+: 1\.\d/);
    expect(status).to.equal(0);
  });
});
