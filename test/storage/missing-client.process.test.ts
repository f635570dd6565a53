import { mkdirSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { run, useOwnProgram } from '../support/built-program.js';
import { testEnvironment } from '../support/environment.js';
import { scaled } from '../support/machine.js';

describe('The program without the optional S3 client', function () {
  this.timeout(scaled(60_000));
  const own = useOwnProgram();
  const bucket = { FILE_STORAGE: 's3', S3_BUCKET: 'files', S3_ENDPOINT: 'http://127.0.0.1:1' };
  const message =
    'FILE_STORAGE=s3 needs the package @aws-sdk/client-s3. Run: npm install --global @aws-sdk/client-s3@3, or in a checkout: npm ci';
  const coursectl = (args: readonly string[], env = {}) =>
    run(process.execPath, ['bin/coursectl.js', ...args], own.path, { ...testEnvironment, DATA_DIR: 'data', ...env });

  before(() => {
    const packages = path.join(own.path, 'node_modules');
    const installed = realpathSync(packages);
    rmSync(packages);
    mkdirSync(packages);
    for (const name of readdirSync(installed).filter((entry) => entry !== '@aws-sdk'))
      symlinkSync(path.join(installed, name), path.join(packages, name));
  });

  it('works with files in a folder, and names the package to install for a bucket, at the start and in doctor', async () => {
    expect(await coursectl(['migrate', 'up'])).to.include({ exitCode: 0 });
    const { exitCode, stderr } = await coursectl(['serve', '--port', '0'], bucket);
    expect(exitCode).to.be.above(0);
    expect(stderr).to.include(message);
    const storage = async (env = {}) => {
      const { checks } = JSON.parse((await coursectl(['doctor', '--json'], env)).stdout) as {
        checks: { name: string; status: string; detail: string }[];
      };
      return checks.find(({ name }) => name === 'file storage');
    };
    expect(await storage()).to.include({ status: 'ok' });
    expect(await storage(bucket)).to.include({ status: 'failed', detail: message });
  });
});
