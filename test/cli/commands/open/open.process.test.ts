import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect } from 'chai';
import { scaled } from '../../../support/machine.js';
import { useCommandLine } from '../../../support/run-cli.js';
import { useSubprocesses } from '../../../support/subprocess.js';
import { freePort } from '../../../support/test-server.js';

describe('coursectl open', function () {
  this.timeout(scaled(30_000));
  const cli = useCommandLine(() => ({}));
  const processes = useSubprocesses();
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  /** Starts a server that answers every request with a page of this type. @returns its address */
  async function serving(type: string): Promise<string> {
    const server = createServer((_request, response) => response.setHeader('content-type', type).end());
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    cli.env.PORT = String(port);
    return `http://127.0.0.1:${port}`;
  }

  it('opens the address in the browser of the environment', async () => {
    const url = await serving('text/html; charset=utf-8');
    const [browser, opened] = ['browser', 'opened'].map((name) => path.join(cli.folder, name)) as [string, string];
    writeFileSync(browser, `#!/bin/sh\necho "$1" > ${opened}.part && mv ${opened}.part ${opened}\n`);
    chmodSync(browser, 0o755);
    const env = { ...cli.env, PATH: process.env.PATH ?? '', BROWSER: browser };
    const ended = await processes.start(['open'], { cwd: cli.folder, env }).ended;
    expect(ended).to.deep.equal({ exitCode: 0, stdout: `Opened ${url}\n`, stderr: '' });
    // The browser runs in the background.
    while (!existsSync(opened)) await new Promise(setImmediate);
    expect(readFileSync(opened, 'utf8')).to.match(new RegExp(`^${url}/?\n$`));
  });

  it('prints only the address with --print, or without a browser', async () => {
    const url = await serving('text/html');
    expect(await cli.run(['open', '--print'])).to.include({ exitCode: 0, stdout: `${url}\n`, stderr: '' });
    cli.env.SSH_CONNECTION = '192.0.2.1 1 192.0.2.2 22';
    const remote = await cli.run(['open']);
    expect(remote).to.include({ exitCode: 0, stdout: `${url}\n` });
    expect(remote.stderr).to.equal('No browser can be opened here. Open this address in a browser:\n');
    expect(JSON.parse((await cli.run(['open', '--json'])).stdout)).to.deep.equal({ url, opened: false });
  });

  it('explains the next step if no service answers, or a service without the console', async () => {
    cli.env.PORT = String(await freePort());
    const silent = await cli.run(['open']);
    expect(silent.exitCode).to.equal(1);
    expect(silent.stderr).to.equal(
      `error: Nothing answers at http://127.0.0.1:${cli.env.PORT}. Start the service with: coursectl serve. If it has another address, set HOST and PORT.\n`,
    );
    await serving('application/json');
    expect((await cli.run(['open'])).stderr).to.match(
      / has no web console: it is not coursectl, or CONSOLE is off\.\n$/,
    );
    cli.env.CONSOLE = 'off';
    expect((await cli.run(['open'])).stderr).to.match(
      /^error: The setting CONSOLE is off: there is no web console to open\. /,
    );
  });
});
