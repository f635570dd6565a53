import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { compiledProgram, run } from '../support/built-program.js';
import { fullDepth } from '../support/depth.js';
import { scaled } from '../support/machine.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { describePages, expect } from './support/browser.js';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** Runs the script of `npm run screenshots`: for the image of the README, and at full depth for every screen. */
describePages('The screenshots of the web console', function () {
  this.timeout(scaled(600_000));
  const folder = temporaryFolder();
  after(() => folder.remove());

  it('are taken of the built console, and are not empty', async () => {
    const consoleFolder = path.join(await compiledProgram(), 'console');
    const script = ['--import', 'tsx', 'scripts/screenshots.ts', folder.path, '--console', consoleFolder];
    const argv = fullDepth ? script : [...script, '--readme'];
    const { exitCode, stdout, stderr } = await run(process.execPath, argv, repository);
    expect(exitCode, stdout + stderr).toBe(0);

    const images = readdirSync(folder.path).sort();
    if (fullDepth) {
      const screens = new Set(images.map((name) => name.replace(/-(light|dark|narrow)\.png$/, '')));
      expect(screens.size).toBeGreaterThan(25);
      expect(images).toEqual(
        [...screens]
          .flatMap((name) => ['dark', 'light', 'narrow'].map((appearance) => `${name}-${appearance}.png`))
          .sort(),
      );
    } else expect(images).toEqual(['overview.png']);
    for (const name of images) {
      const image = sharp(path.join(folder.path, name));
      const { width, height } = await image.metadata();
      expect(width, name).toBe(name.endsWith('-narrow.png') ? 360 : 1280);
      expect(height, name).toBeGreaterThanOrEqual(700);
      const { entropy } = await image.stats();
      // The entropy of a single colour is 0; that of a page with two lines of text is 0.24.
      expect(entropy, name).toBeGreaterThan(0.1);
    }
  });
});
