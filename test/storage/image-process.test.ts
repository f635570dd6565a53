import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { createImagePreparer, type ImagePreparer } from '../../src/storage/images.js';
import { childrenOf, isRunning } from '../support/child-processes.js';
import { atDepth } from '../support/depth.js';
import { emptyPng, jpegOfScans, progressiveJpeg } from '../support/images.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until, whileRunning } from '../support/until.js';
import { faultOf } from './support/storage-contract.js';

const limits = { maxPixels: 25_000_000, width: 400, height: 300 };
const tooMuchMemory =
  'The image takes too much memory to prepare. Send it smaller, or saved without interlacing and with 8 bits a channel.';

describe('The process that prepares an image', () => {
  /** Takes seconds to decode, because each scan of a JPEG covers the whole image. */
  const slow = jpegOfScans(4096, 883);
  let folder: ReturnType<typeof temporaryFolder>;
  let source: string;
  let target: string;
  let images: ImagePreparer;

  const use = (changes?: Parameters<typeof createImagePreparer>[0]) => {
    images = createImagePreparer({ extraNiceness: 0, ...changes });
  };
  beforeEach(() => {
    folder = temporaryFolder();
    source = path.join(folder.path, 'source');
    target = path.join(folder.path, 'target.webp');
    use();
  });
  afterEach(() => {
    images.close();
    folder.remove();
  });

  const prepare = (
    content: Uint8Array,
    { maxPixels = limits.maxPixels, signal = undefined as AbortSignal | undefined } = {},
  ) => {
    writeFileSync(source, content);
    return images.prepare(source, target, { ...limits, maxPixels }, { account: 'one', signal });
  };

  /** Starts the conversion of a slow image. */
  async function begin(signal?: AbortSignal): Promise<{ pid: number; fault: ReturnType<typeof faultOf> }> {
    const others = childrenOf(process.pid);
    const newOnes = () => childrenOf(process.pid).filter((pid) => !others.includes(pid));
    const fault = faultOf(prepare(slow, { signal }));
    await whileRunning(
      fault,
      until(() => newOnes().length === 1),
    );
    return { pid: newOnes()[0] ?? 0, fault };
  }

  async function expectRefusal(message: string, content: Uint8Array, maxPixels?: number): Promise<void> {
    const error = await faultOf(prepare(content, { maxPixels }));
    const code = /damaged|must be a JPEG/.test(message) ? 'IMAGE_INVALID' : 'IMAGE_TOO_LARGE';
    expect(error).to.deep.include({ code: 'VALIDATION', details: [{ path: 'image', code, message }] });
    expect(readdirSync(folder.path)).to.deep.equal(['source']);
  }

  it('has a low priority and no secrets of the service', async () => {
    use({ extraNiceness: 3 });
    process.env.JWT_SECRET_OF_A_TEST = 'never to be seen by a decoder';
    try {
      const { pid } = await begin();
      // The environment is final only after exec().
      await until(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('image-worker'));
      expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).to.equal('');
      const niceness = () => Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[16]);
      await until(() => niceness() === Math.min(19, getPriority() + 3));
    } finally {
      delete process.env.JWT_SECRET_OF_A_TEST;
    }
  });

  it('is killed when the preparer is closed, and no other process starts', async () => {
    const { pid, fault } = await begin();
    images.close();
    expect(await fault).to.include({ code: 'INTERRUPTED' });
    expect(isRunning(pid)).to.equal(false);
    expect(await faultOf(prepare(emptyPng(40, 30)))).to.include({ code: 'OVERLOADED' });
  });

  it('ends when the service ends for any reason', async () => {
    writeFileSync(source, slow);
    const script = `
      import { readFileSync } from 'node:fs';
      import { createImagePreparer } from ${JSON.stringify(new URL('../../src/storage/images.ts', import.meta.url).href)};
      const images = createImagePreparer({ extraNiceness: 0 });
      void images.prepare(${JSON.stringify(source)}, ${JSON.stringify(target)}, ${JSON.stringify(limits)}, { account: 'one' });
      const children = () => readFileSync('/proc/self/task/' + process.pid + '/children', 'utf8').split(' ').filter(Boolean);
      const before = children();
      setInterval(() => {
        const pid = children().find((child) => !before.includes(child));
        if (pid !== undefined) { console.log(pid); process.kill(process.pid, 'SIGKILL'); }
      }, 10);`;
    const cwd = fileURLToPath(new URL('../..', import.meta.url));
    const argv = ['--import', 'tsx', '--input-type=module', '--eval', script];
    const { stdout } = (await faultOf(promisify(execFile)(process.execPath, argv, { cwd }))) as unknown as {
      stdout: string;
    };
    expect(Number(stdout)).to.be.greaterThan(1);
    await until(() => !isRunning(Number(stdout)));
  });

  it('is killed at its deadline', async () => {
    use({ deadlineMs: 1500 });
    await expectRefusal('The image takes too long to prepare. Send it with fewer pixels.', slow);
  });

  it('is killed when it uses too much memory', async () => {
    use({ extraBytes: 1024 * 1024 });
    await expectRefusal(tooMuchMemory, await progressiveJpeg(2000, 2000, 'cmyk'), 4_000_000);
    const deep = emptyPng(2000, 2000, { bits: 16, colour: 6, interlaced: true });
    await expectRefusal(tooMuchMemory, deep, 4_000_000);
  });

  it('prepares the largest permitted images of all formats within its memory, and ends afterwards', async () => {
    const before = childrenOf(process.pid);
    const side = atDepth(3000, 5000);
    const forms = [
      await progressiveJpeg(side, side),
      emptyPng(side, side, { bits: 8, colour: 6, interlaced: true }),
      emptyPng(side, side, { bits: 16, colour: 6, interlaced: false }),
    ];
    for (const content of forms) await prepare(content, { maxPixels: side * side });
    expect(childrenOf(process.pid)).to.deep.equal(before);
  });

  it('is killed when its image is cancelled, and the next image is prepared', async () => {
    const leaving = new AbortController();
    const { pid, fault } = await begin(leaving.signal);
    const next = prepare(emptyPng(40, 30));
    leaving.abort();
    expect(await fault).to.include({ code: 'INTERRUPTED' });
    expect(isRunning(pid)).to.equal(false);
    await next;
  });

  it('leaves no partial file when the decoder crashes', async () => {
    const { pid, fault } = await begin();
    process.kill(pid, 'SIGSEGV');
    expect((await fault).message).to.equal('The image is damaged.');
    expect(existsSync(target)).to.equal(false);
  });
});
