import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect } from 'chai';
import { root } from './files.js';
import { isInstalled } from './programs.js';

const unit = path.join(root, 'deploy/coursectl.service');
const analyze = (...args: string[]) => spawnSync('systemd-analyze', [...args, unit], { encoding: 'utf8' });

(isInstalled('systemd-analyze') ? describe : describe.skip)('The systemd unit (needs systemd-analyze)', () => {
  it('has no settings that systemd does not know', () => {
    const { status, stderr } = analyze('verify');
    // It ends with 0 for unknown names.
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
  });

  it('leaves the service little that it may do: an exposure below 2.0', () => {
    const { status, stdout } = analyze('security', '--offline=yes', '--threshold=20');
    expect(stdout).to.match(/Overall exposure level for coursectl.service: 1\.\d/);
    expect(status).to.equal(0);
  });
});
