import { readFileSync, statSync } from 'node:fs';
import type { Config } from '../../config/config.js';
import { AppError, isAppError, systemErrorCode } from '../../errors.js';

export interface Logo {
  contentType: string;
  content: Buffer;
}

const maxBytes = 1_000_000;

/** Types of images, recognised by the first bytes of a file instead of its name. */
const imageTypes: readonly (readonly [contentType: string, begins: (content: Buffer) => boolean])[] = [
  ['image/png', (content) => content.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))],
  ['image/webp', (content) => /^RIFF.{4}WEBP/s.test(content.toString('latin1', 0, 12))],
  [
    'image/svg+xml',
    (content) => /^\ufeff?\s*<(?:\?xml|!--|!DOCTYPE svg|svg)[\s>-]/.test(content.toString('utf8', 0, 200)),
  ],
];

/**
 * Reads the file of the setting `PROGRAMME_LOGO`; undefined if the setting isn't set.
 * @throws AppError `CONFIG_INVALID` if the file can't be read, is too large, or is no supported image
 */
export function readLogo({ programme: { logo: file } }: Pick<Config, 'programme'>): Logo | undefined {
  if (file === undefined) return undefined;
  const refused = (why: string, cause?: unknown) =>
    new AppError('CONFIG_INVALID', `PROGRAMME_LOGO, ${file}, ${why}.`, { cause });
  try {
    // Reading a pipe would block the start.
    const status = statSync(file);
    if (!status.isFile()) throw refused("isn't a file: name an SVG, PNG or WebP file, or remove the setting");
    if (status.size > maxBytes) throw refused(`has ${status.size} bytes: at most ${maxBytes} are possible`);
    const content = readFileSync(file);
    const [contentType] = imageTypes.find(([, begins]) => begins(content)) ?? [];
    if (contentType === undefined) throw refused('is no SVG, PNG or WebP image');
    return { contentType, content };
  } catch (error) {
    if (isAppError(error)) throw error;
    throw refused(`can't be read (${systemErrorCode(error)}): put the file there, or remove the setting`, error);
  }
}
