import { AppError, systemErrorCode } from '../errors.js';

/** The failures of a disk that mean: look at it. Others, such as a file that isn't there, are for the caller to judge. */
const sentences: Readonly<Record<string, string>> = {
  EACCES: "can't be used: check that it belongs to the user that runs the service.",
  EPERM: "can't be used: check that it belongs to the user that runs the service.",
  EROFS: 'is on a file system that is read-only: check how it is mounted.',
  ENOTDIR: "isn't a folder: check the path.",
  EEXIST: "isn't a folder: check the path.",
  ELOOP: 'holds a symbolic link where a file should be: check what was put there.',
  EIO: "can't be read or written: check the disk.",
  ENODEV: "isn't there: check that its disk is mounted.",
  ENXIO: "isn't there: check that its disk is mounted.",
  ESTALE: "isn't there any more: check that its network file system is mounted.",
  ETIMEDOUT: "doesn't answer: check that its network file system is mounted.",
  EMFILE: "can't be used: too many files are open; check the limits of the process.",
  ENFILE: "can't be used: too many files are open; check the limits of the system.",
};

/** What a failure of reading or writing below `folder` means; what isn't the disk's fault comes back as it is. */
export function diskFault(folder: string, error: unknown): unknown {
  const code = systemErrorCode(error) ?? '';
  if (code === 'ENOSPC' || code === 'EDQUOT') return new AppError('DISK_FULL', undefined, { cause: error });
  const sentence = Object.hasOwn(sentences, code) ? sentences[code] : undefined;
  if (sentence === undefined) return error;
  return new AppError('STORAGE_UNAVAILABLE', `The folder "${folder}" ${sentence}`, { cause: error });
}
