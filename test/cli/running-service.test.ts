import { expect } from 'chai';
import { type RunningServer, startServer } from '../../src/http/server/server.js';
import { testEnvironment } from '../support/environment.js';
import { useHarness } from '../support/harness.js';
import { useCommandLine } from '../support/run-cli.js';

describe('While a service runs', () => {
  const harness = useHarness();
  let server: RunningServer;
  const cli = useCommandLine(() => ({
    ...testEnvironment,
    DATABASE_URL: harness.databaseUrl,
    PORT: new URL(server.url).port,
  }));
  before(async () => {
    server = await startServer(harness.context);
  });
  after(() => server.close());

  it('serve refuses to start; doctor finds no problem', async () => {
    const { exitCode, message } = await cli.refusal(['serve']);
    expect(exitCode).to.equal(1);
    expect(message).to.equal(
      `A coursectl service is running at ${server.url} already. Use it, stop it, or set PORT to another port.`,
    );
    const { stdout } = await cli.run(['doctor']);
    expect(stdout).to.include(`ok       address: a coursectl service is running at ${server.url}\n`);
  });

  it('setup reports the service, or asks for a restart after a change of settings', async () => {
    const setUp = async (...options: string[]) =>
      (await cli.run(['setup', '--yes', ...options], { stdin: 'difference engine' })).stdout;
    const person = [
      '--first-name',
      'Ada',
      '--last-name',
      'King',
      '--email',
      'ada@x.org',
      '--phone',
      '1',
      '--password-stdin',
    ];
    const isRunning = `The system is set up. The service is running at ${server.url}.\n`;
    expect(await setUp(...person)).to.match(
      /^The system is set up\. The service is running at .*\.\nNext:\n {2}coursectl users import/,
    );
    expect(await setUp()).to.equal(isRunning);
    const { NODE_ENV: _, JWT_SECRET: __, ...unset } = cli.env;
    const { stdout } = await cli.run(['setup', '--yes', '--production'], { env: { ...unset, BCRYPT_COST: '12' } });
    expect(stdout).to.include(`Restart the service at ${server.url}: it has the settings of its start.`);
  });
});
