import path from 'node:path';
import { withoutInvisible } from '../../schemas/text.js';

const maxNameLength = 255;

/**
 * Removes folders (which some browsers send), control characters, and invisible marks that disguise a name ("exe.pdf" for
 * "fdp.exe"). A long name is shortened and keeps its extension.
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
