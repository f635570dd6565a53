import { readFileSync, statSync } from 'node:fs';
import type { Config } from '../../config/config.js';
import { AppError, isAppError, systemErrorCode } from '../../errors.js';

/** The programme's logo, as it is sent. */
export interface Logo {
  contentType: string;
  content: Buffer;
}

const maxBytes = 1_000_000;

/** By what the files begin with, whatever their names end with. */
const imageTypes: readonly (readonly [contentType: string, begins: (content: Buffer) => boolean])[] = [
  ['image/png', (content) => content.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))],
  ['image/webp', (content) => /^RIFF.{4}WEBP/s.test(content.toString('latin1', 0, 12))],
  [
    'image/svg+xml',
    (content) => /^\ufeff?\s*<(?:\?xml|!--|!DOCTYPE svg|svg)[\s>-]/.test(content.toString('utf8', 0, 200)),
  ],
];

/**
 * The file that the setting `PROGRAMME_LOGO` names; nothing where it isn't set.
 * @throws AppError `CONFIG_INVALID` when it can't be read, is too large, or is no such image
 */
export function readLogo({ programme: { logo: file } }: Pick<Config, 'programme'>): Logo | undefined {
  if (file === undefined) return undefined;
  const refused = (why: string, cause?: unknown) =>
    new AppError('CONFIG_INVALID', `PROGRAMME_LOGO, ${file}, ${why}.`, { cause });
  try {
    // A pipe would keep the start waiting.
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
