import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { createImagePreparer, type ImagePreparer } from '../../src/storage/images.js';
import { useBuiltProgram } from '../support/built-program.js';
import { cpuSeconds } from '../support/child-processes.js';
import { atDepth } from '../support/depth.js';
import { emptyPng, jpegOfScans, progressiveJpeg } from '../support/pictures.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until, whileRunning } from '../support/until.js';
import { faultOf } from './support/storage-contract.js';

const limits = { maxPixels: 25_000_000, width: 400, height: 300 };
const tooMuchMemory =
  'The image takes too much memory to prepare. Send it smaller, or saved without interlacing and with 8 bits a channel.';

const isRunning = (pid: number) => existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(statusOf(pid));
const statusOf = (pid: number) => readFileSync(`/proc/${pid}/status`, 'utf8');
const peakBytes = (pid: number) => Number(/VmHWM:\s+(\d+) kB/.exec(statusOf(pid))?.[1]) * 1024;

describe('the process that prepares pictures', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let target: string;
  let images: ImagePreparer;

  const use = (changes?: Parameters<typeof createImagePreparer>[0]) => {
    images = createImagePreparer(changes);
  };
  beforeEach(() => {
    folder = temporaryFolder();
    target = path.join(folder.path, 'target.webp');
    use();
  });
  afterEach(async () => {
    await images.close();
    folder.remove();
  });

  const prepare = (content: Uint8Array, maxPixels = limits.maxPixels, signal?: AbortSignal) => {
    const source = path.join(folder.path, 'source');
    writeFileSync(source, content);
    return images.prepare(source, target, { ...limits, maxPixels }, { account: 'one', signal });
  };
  const prepareSmall = () => prepare(emptyPng(40, 30));
  const pidNow = () => images.pid() ?? 0;

  async function expectRefusal(message: string, content: Uint8Array, maxPixels?: number): Promise<void> {
    const error = await faultOf(prepare(content, maxPixels));
    expect(error).to.deep.include({ code: 'VALIDATION', details: [{ path: 'image', message }] });
    expect(readdirSync(folder.path)).to.deep.equal(['source']);
  }

  it('is started by the first picture, reused, and ended when idle', async () => {
    use({ idleMs: 300 });
    expect(images.pid()).to.equal(undefined);
    await prepareSmall();
    const pid = pidNow();
    await prepareSmall();
    expect(pidNow()).to.equal(pid);
    await until(() => images.pid() === undefined && !isRunning(pid));
    await prepareSmall();
    expect(pidNow()).not.to.equal(pid);
  });

  it('is ended by closing, during a picture too', async () => {
    await prepareSmall();
    const pid = pidNow();
    const before = cpuSeconds(pid);
    const fault = faultOf(prepare(jpegOfScans(4096, 60)));
    await whileRunning(
      fault,
      until(() => cpuSeconds(pid) > before),
    );
    await images.close();
    expect(await fault).to.include({ code: 'INTERRUPTED' });
    expect(isRunning(pid)).to.equal(false);
    expect(await faultOf(prepareSmall())).to.include({ code: 'OVERLOADED' });
  });

  it('ends with the service, however that ends', async () => {
    const source = path.join(folder.path, 'source');
    writeFileSync(source, emptyPng(40, 30));
    const script = `
      import { createImagePreparer } from ${JSON.stringify(new URL('../../src/storage/images.ts', import.meta.url).href)};
      const images = createImagePreparer();
      await images.prepare(${JSON.stringify(source)}, ${JSON.stringify(target)}, ${JSON.stringify(limits)}, { account: 'one' });
      console.log(images.pid());
      process.kill(process.pid, 'SIGKILL');`;
    const argv = ['--import', 'tsx', '--input-type=module', '--eval', script];
    const cwd = fileURLToPath(new URL('../..', import.meta.url));
    const { stdout } = (await promisify(execFile)(process.execPath, argv, { cwd }).catch(
      (error: unknown) => error,
    )) as {
      stdout: string;
    };
    const pid = Number(stdout);
    expect(pid).to.be.greaterThan(1);
    await until(() => !isRunning(pid));
  });

  describe('of the built program', () => {
    const built = useBuiltProgram();

    it('is found, and prepares pictures', async () => {
      const source = path.join(folder.path, 'source');
      writeFileSync(source, emptyPng(40, 30));
      const script = `
        import { createImagePreparer } from ${JSON.stringify(path.join(built.path, 'dist', 'storage', 'images.js'))};
        const images = createImagePreparer();
        const task = [${JSON.stringify(source)}, ${JSON.stringify(target)}, ${JSON.stringify(limits)}, { account: 'one' }];
        console.log(JSON.stringify(await images.prepare(...task)));`;
      // It ends by itself: an idle process doesn't keep the program running.
      const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
      expect(JSON.parse(stdout)).to.include({ width: 40, height: 30, bytes: statSync(target).size });
    });

    it('is ended before an otherwise finished program ends', async () => {
      const source = path.join(folder.path, 'source');
      writeFileSync(source, emptyPng(40, 30));
      const script = `
        import { createImagePreparer } from ${JSON.stringify(path.join(built.path, 'dist', 'storage', 'images.js'))};
        const images = createImagePreparer();
        await images.prepare(${JSON.stringify(source)}, ${JSON.stringify(target)}, ${JSON.stringify(limits)}, { account: 'one' });
        await images.close();
        console.log('closed');`;
      const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
      expect(stdout).to.equal('closed\n');
    });
  });

  it('has a low priority, and no secret of the service', async () => {
    process.env.JWT_SECRET_OF_A_TEST = 'never to be seen by a decoder';
    try {
      await prepareSmall();
    } finally {
      delete process.env.JWT_SECRET_OF_A_TEST;
    }
    const process_ = `/proc/${pidNow()}`;
    expect(readFileSync(`${process_}/environ`, 'utf8')).not.to.include('never to be seen');
    const niceness = Number(readFileSync(`${process_}/stat`, 'utf8').split(') ')[1]?.split(' ')[16]);
    expect(niceness).to.equal(Math.min(19, getPriority() + 10));
  });

  it('refuses a JPEG of 883 scans at a small part of their cost', async () => {
    await prepareSmall();
    const before = cpuSeconds(pidNow());
    await prepare(jpegOfScans(4096, 64));
    const allowed = cpuSeconds(pidNow()) - before;
    await expectRefusal('The image may have at most 64 scans. Save it again as a plain JPEG.', jpegOfScans(4096, 883));
    await expectRefusal('The image may have at most 64 scans. Save it again as a plain JPEG.', jpegOfScans(4096, 65));
    expect(cpuSeconds(pidNow()) - before - allowed).to.be.lessThan(allowed);
  });

  it('finds scans where decoders find them', async () => {
    // What comes before a marker is passed over, and what is in a comment or behind the end of the image is no scan.
    const content = jpegOfScans(64, 40);
    const scans = content.subarray(content.indexOf(Buffer.from([0xff, 0xda])), -2);
    const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0xff, 0xff]), Buffer.alloc(0xfffd, scans)]);
    const [start, rest] = [content.subarray(0, 2), content.subarray(2)];
    await prepare(Buffer.concat([start, comment, rest, content.subarray(2)]));
    const padded = jpegOfScans(64, 70).toString('latin1').replaceAll('\xff\xda', '\xff\xff\xff\xda');
    await expectRefusal(
      'The image may have at most 64 scans. Save it again as a plain JPEG.',
      Buffer.from(padded, 'latin1'),
    );
  });

  it('refuses an interlaced PNG of 16 bits before it is decoded', async () => {
    await prepareSmall();
    const pid = pidNow();
    const before = peakBytes(pid);
    const maxPixels = 10_000_000;
    await expectRefusal(tooMuchMemory, emptyPng(4000, 4000, { bits: 16, colour: 6, interlaced: true }), 16_000_000);
    expect(pidNow()).to.equal(pid);
    expect(peakBytes(pid) - before).to.be.lessThan(20_000_000);
    // As many pixels line by line, and half the bytes, are nothing special.
    await prepare(emptyPng(3000, 3000, { bits: 16, colour: 6, interlaced: false }), maxPixels);
    await prepare(emptyPng(3000, 3000, { bits: 8, colour: 6, interlaced: true }), maxPixels);
    expect(pidNow()).to.equal(pid);
  });

  it('is killed by a picture that exceeds the memory limit, and replaced', async () => {
    use({ extraBytes: 1024 * 1024 });
    await prepareSmall();
    const pid = pidNow();
    // 8 bytes a pixel, of which the file says nothing in its beginning.
    await expectRefusal(tooMuchMemory, await progressiveJpeg(2000, 2000, 'cmyk'), 4_000_000);
    expect(isRunning(pid)).to.equal(false);
    await prepareSmall();
  });

  it('prepares the largest permitted pictures of all formats within its memory', async () => {
    const side = atDepth(3000, 5000);
    const forms = [
      await progressiveJpeg(side, side),
      emptyPng(side, side, { bits: 8, colour: 6, interlaced: true }),
      emptyPng(side, side, { bits: 16, colour: 6, interlaced: false }),
    ];
    for (const content of forms) {
      await prepare(content, side * side);
      expect(statSync(target).size).to.be.greaterThan(100);
    }
    expect(peakBytes(pidNow())).to.be.lessThan(400_000_000);
  });

  it('is killed at its deadline by a picture that takes too long, and replaced', async () => {
    use({ deadlineMs: 20 });
    const content = jpegOfScans(4096, 60);
    const message = 'The image takes too long to prepare. Send it with fewer pixels.';
    await expectRefusal(message, content);
    expect(images.pid()).to.equal(undefined);
    await images.close();
    use();
    await prepare(content);
  });

  it('is killed when its picture is cancelled, and replaced for the next', async () => {
    await prepareSmall();
    const pid = pidNow();
    const leaving = new AbortController();
    const content = jpegOfScans(4096, 60);
    const before = cpuSeconds(pid);
    const fault = faultOf(prepare(content, limits.maxPixels, leaving.signal));
    await whileRunning(
      fault,
      until(() => cpuSeconds(pid) > before),
    );
    const next = prepareSmall();
    leaving.abort();
    expect(await fault).to.include({ code: 'INTERRUPTED' });
    expect(isRunning(pid)).to.equal(false);
    expect(await next).to.include({ width: 40 });
  });

  it('leaves no partial file when it is killed from outside, and is replaced', async () => {
    await prepareSmall();
    const pid = pidNow();
    const before = cpuSeconds(pid);
    const fault = faultOf(prepare(jpegOfScans(4096, 60)));
    await whileRunning(
      fault,
      until(() => cpuSeconds(pid) > before),
    );
    process.kill(pid, 'SIGSEGV');
    expect((await fault).message).to.equal('The image is damaged.');
    expect(existsSync(target)).to.equal(false);
    await prepareSmall();
  });
});
