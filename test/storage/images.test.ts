import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import sharp from 'sharp';
import { createImagePreparer } from '../../src/storage/images.js';
import { emptyPng, redBlueImage } from '../support/images.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { faultOf } from './support/storage-contract.js';

const limits = { maxPixels: 50_000_000, width: 400, height: 300 };
const formats = 'The image must be JPEG, PNG or WebP.';
const damaged = 'The image is damaged.';
const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;

/** Creates an image with noise, so that its file can be truncated in the middle of its data. */
const image = (width = 600, height = 400) =>
  sharp({ create: { width, height, channels: 3, background: 'red', noise }, limitInputPixels: false });

describe('An uploaded image', () => {
  const images = createImagePreparer({ extraNiceness: 0 });
  let folder: ReturnType<typeof temporaryFolder>;
  let target: string;

  after(() => images.close());

  beforeEach(() => {
    folder = temporaryFolder();
    target = path.join(folder.path, 'target.webp');
  });
  afterEach(() => folder.remove());

  function sourceOf(content: Uint8Array | string, name = 'source'): string {
    const file = path.join(folder.path, name);
    writeFileSync(file, content);
    return file;
  }

  const prepare = (content: Uint8Array | string, name?: string, changes: Partial<typeof limits> = {}) =>
    images.prepare(sourceOf(content, name), target, { ...limits, ...changes }, { account: 'one' });

  /** Reads the converted image. */
  const made = () => sharp(readFileSync(target));
  const pixelAt = async (x: number, y: number) => {
    const { data, info } = await made().ensureAlpha().raw().toBuffer({ resolveWithObject: true });
    return [...data.subarray((y * info.width + x) * 4, (y * info.width + x) * 4 + 4)];
  };

  async function expectRefusal(message: string, ...parameters: Parameters<typeof prepare>): Promise<void> {
    const error = await faultOf(prepare(...parameters));
    const code = /damaged|must be JPEG/.test(message) ? 'IMAGE_INVALID' : 'IMAGE_TOO_LARGE';
    expect(error).to.deep.include({ code: 'VALIDATION', details: [{ path: 'image', code, message }] });
    expect(readdirSync(folder.path)).to.deep.equal([parameters[1] ?? 'source']);
  }

  it('becomes a WebP file that only this user can read, is never enlarged, and keeps its aspect ratio', async () => {
    const sizes = [
      ['jpeg', 600, 400, 400, 267],
      ['webp', 30, 20, 30, 20],
      ['png', 100, 900, 33, 300],
      ['png', 1, 1, 1, 1],
      ['png', 5000, 2, 400, 1],
    ] as const;
    for (const [format, width, height, newWidth, newHeight] of sizes) {
      await prepare(await image(width, height).toFormat(format).toBuffer());
      expect(await made().metadata()).to.include({ format: 'webp', width: newWidth, height: newHeight });
      expect(statSync(target).mode & 0o777).to.equal(0o600);
      unlinkSync(target);
    }
  });

  it('is rotated upright', async () => {
    // Orientation 6: the top of the image is at the right.
    const turned = await redBlueImage(200, 100).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    await prepare(turned);
    expect(await made().metadata()).to.include({ width: 100, height: 200 });
    const [top, bottom] = [await pixelAt(50, 20), await pixelAt(50, 180)];
    expect([(top[0] ?? 0) > 200, (top[2] ?? 0) < 60, (bottom[2] ?? 0) > 200]).to.deep.equal([true, true, true]);
    expect((await made().metadata()).orientation).to.equal(undefined);
  });

  it('loses its metadata: place, time and camera', async () => {
    const exif = { IFD0: { Copyright: 'Somebody' }, IFD3: { GPSLatitude: '51/1 30/1 0/1', GPSLatitudeRef: 'N' } };
    const xmp = '<x:xmpmeta xmlns:x="adobe:ns:meta/">home address</x:xmpmeta>';
    for (const format of ['jpeg', 'png', 'webp'] as const) {
      const content = await image().toFormat(format).withExif(exif).withXmp(xmp).withIccProfile('p3').toBuffer();
      const source = sourceOf(content, 'checked');
      expect(await sharp(source).metadata()).to.include.keys('exif', 'xmp', 'icc');
      expect(content.includes('Somebody')).to.equal(true);
      await prepare(content);
      expect(await made().metadata()).not.to.have.any.keys('exif', 'xmp', 'icc', 'iptc', 'comments', 'orientation');
      for (const word of ['Somebody', 'home address', 'EXIF', 'XMP ', 'ICCP'])
        expect(readFileSync(target).includes(word), word).to.equal(false);
    }
  });

  it('keeps its transparency', async () => {
    const background = { r: 255, g: 0, b: 0, alpha: 0 };
    await prepare(
      await sharp({ create: { width: 20, height: 20, channels: 4, background } })
        .png()
        .toBuffer(),
    );
    expect((await made().metadata()).hasAlpha).to.equal(true);
    expect((await pixelAt(10, 10))[3]).to.equal(0);
  });

  it('may be grey, have sixteen bits, or be CMYK', async () => {
    const grey = await image().toColourspace('b-w').jpeg().toBuffer();
    const deep = await image().toColourspace('rgb16').png().toBuffer();
    const printed = await image().toColourspace('cmyk').jpeg().toBuffer();
    for (const content of [grey, deep, printed]) {
      await prepare(content);
      expect(await made().metadata()).to.include({ format: 'webp', width: 400, space: 'srgb' });
    }
  });

  it('is the first frame of an animation', async () => {
    const pixels = Buffer.concat([Buffer.alloc(50 * 50 * 3, 255), Buffer.alloc(50 * 50 * 3, 0)]);
    const raw = { width: 50, height: 100, channels: 3, pageHeight: 50 } as const;
    const animation = await sharp(pixels, { raw })
      .webp({ loop: 0, delay: [100, 100] })
      .toBuffer();
    expect((await sharp(sourceOf(animation, 'checked')).metadata()).pages).to.equal(2);
    await prepare(animation);
    const { width, height, pages = 1 } = await made().metadata();
    expect([width, height, pages]).to.deep.equal([50, 50, 1]);
    expect((await pixelAt(25, 25)).slice(0, 3).every((value) => value > 240)).to.equal(true);
  });

  it('is recognised by its content, not by its name', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>';
    const others: Record<string, string | Uint8Array> = {
      svg,
      nothing: '',
      text: 'This is an image, believe me.',
      PDF: '%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n%%EOF\n',
      PPM: 'P6 1 1 255\nabc',
      BMP: Buffer.concat([Buffer.from('BM'), Buffer.alloc(60)]),
      HTML: '<html><img src=x onerror=alert(1)></html>',
    };
    for (const format of ['gif', 'tiff', 'avif'] as const)
      others[format] = await image(60, 40).toFormat(format).toBuffer();
    for (const content of Object.values(others)) await expectRefusal(formats, content, 'image.jpg');
    unlinkSync(path.join(folder.path, 'image.jpg'));
    await prepare(await image(60, 40).png().toBuffer(), 'notes.txt');
  });

  it('is refused if truncated at any point', async () => {
    const contents = [
      await image().jpeg().toBuffer(),
      await image().jpeg({ progressive: true }).toBuffer(),
      await image().png().toBuffer(),
      await image().webp().toBuffer(),
    ];
    for (const content of contents) {
      for (const share of [0.1, 0.5, 0.999])
        await expectRefusal(damaged, content.subarray(0, Math.floor(content.length * share)));
      const start = await faultOf(prepare(content.subarray(0, 20)));
      expect(start.message).to.be.oneOf([damaged, formats]);
    }
  });

  it('loses appended data', async () => {
    for (const appendix of ['<script>alert(1)</script>', Buffer.from('PK\u0003\u0004appended.zip PK\u0005\u0006')]) {
      const content = Buffer.concat([await image().jpeg().toBuffer(), Buffer.from(appendix)]);
      await prepare(content);
      expect(await made().metadata()).to.include({ format: 'webp', width: 400 });
      const written = readFileSync(target);
      expect(['script', 'PK\u0003\u0004', 'appended'].filter((word) => written.includes(word))).to.deep.equal([]);
    }
  });

  it('is refused if it has too many pixels', () =>
    expectRefusal('The image may have at most 50 megapixels.', emptyPng(20_000, 20_000)));

  it('may have as many pixels as the limit', async () => {
    const maxPixels = 10_000;
    await prepare(emptyPng(100, 100), 'source', { maxPixels });
    unlinkSync(target);
    const message = 'The image may have at most 0.01 megapixels.';
    await expectRefusal(message, emptyPng(100, 101), 'source', { maxPixels });
    await expectRefusal(message, await image(101, 100).webp().toBuffer(), 'source', { maxPixels });
    await expectRefusal(message, await image(101, 100).jpeg().toBuffer(), 'source', { maxPixels });
  });

  it('leaves no partial file after a failed write, and causes an error about a full disk', async () => {
    const source = sourceOf(await image().png().toBuffer());
    // /dev/full is always full. Only the link to it may be removed.
    symlinkSync('/dev/full', target);
    expect(await faultOf(images.prepare(source, target, limits, { account: 'one' }))).to.include({ code: 'DISK_FULL' });
    expect([existsSync('/dev/full'), existsSync(target)]).to.deep.equal([true, false]);
  });

  it('causes an error if its file is missing', async () => {
    const error = await faultOf(images.prepare(path.join(folder.path, 'nothing'), target, limits, { account: 'one' }));
    expect(error.code).to.equal('ENOENT');
  });
});
