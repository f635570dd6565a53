import path from 'node:path';
import { withoutInvisible } from '../../schemas/text.js';

/** In characters. */
const maxNameLength = 255;

/**
 * A file name without folders (which some browsers send), control characters, and invisible marks that make it look like
 * another name ("exe.pdf" for "fdp.exe"). A name that is too long keeps its extension.
 */
export function sanitizeFilename(name: string): string {
  const base = withoutInvisible(path.posix.basename(name.replaceAll('\\', '/')))
    .replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/gu, '')
    .trim();
  if (/^\.*$/.test(base)) return 'upload';
  const letters = Array.from(base);
  if (letters.length <= maxNameLength) return base;
  const extension = Array.from(path.extname(base));
  const end = extension.length <= 20 ? extension : [];
  return [...letters.slice(0, maxNameLength - end.length), ...end].join('');
}
