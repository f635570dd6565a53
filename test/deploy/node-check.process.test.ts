import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { temporaryFolder } from '../support/temporary-folder.js';
import { root } from './files.js';

describe('The check of the nodes for HAProxy', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder.remove());

  /** Whether the check accepts a node whose server reports these values. */
  function accepts({ galera = '', member = '' }): boolean {
    const client = `#!/bin/sh\ncase "$*" in *wsrep_*) printf '${galera}' ;; *MEMBER_STATE*MEMBER_ROLE*) printf '${member}' ;; esac\n`;
    writeFileSync(path.join(folder.path, 'mysql'), client, { mode: 0o700 });
    const check = path.join(root, 'deploy/haproxy-node-check');
    const env = { PATH: `${folder.path}:/usr/bin:/bin` };
    return spawnSync(check, ['127.0.0.1', '3307', '127.0.0.1', '3306'], { env }).status === 0;
  }

  it('accepts a node of Galera that is synced with the majority', () => {
    const message = (state: string, status: string) =>
      `wsrep_local_state_comment\\t${state}\\nwsrep_cluster_status\\t${status}\\n`;
    expect(accepts({ galera: message('Synced', 'Primary') })).to.equal(true);
    expect(accepts({ galera: message('Joined', 'Primary') })).to.equal(false);
    expect(accepts({ galera: message('Initialized', 'non-Primary') })).to.equal(false);
  });

  it('accepts only the primary of a group of MySQL servers', () => {
    expect(accepts({ member: 'ONLINE PRIMARY\\n' })).to.equal(true);
    expect(accepts({ member: 'ONLINE SECONDARY\\n' })).to.equal(false);
    expect(accepts({ member: 'RECOVERING PRIMARY\\n' })).to.equal(false);
    expect(accepts({ member: 'OFFLINE \\n' })).to.equal(false);
    expect(accepts({})).to.equal(false);
  });
});
