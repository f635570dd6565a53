import { AppError, isDiskFull, systemErrorCode } from '../errors.js';

/** The errors that the operator must fix. Others, such as a missing file, are left to the caller. */
const sentences: Readonly<Record<string, string>> = {
  EACCES: "can't be used: check that it belongs to the user that runs the service.",
  EPERM: "can't be used: check that it belongs to the user that runs the service.",
  EROFS: 'is on a file system that is read-only: check how it is mounted.',
  ENOTDIR: "isn't a folder: check the path.",
  EEXIST: "isn't a folder: check the path.",
  ELOOP: 'contains a symbolic link in place of a file: check who created it.',
  EIO: "can't be read or written: check the disk.",
  ENODEV: "isn't available: check that its disk is mounted.",
  ENXIO: "isn't available: check that its disk is mounted.",
  EBUSY: 'is in use, or has a file system mounted in it: check what is mounted there.',
  EXDEV: 'is on several file systems: check what is mounted in it.',
  ESTALE: "isn't available any more: check that its network file system is mounted.",
  ETIMEDOUT: "doesn't answer: check that its network file system is mounted.",
  EMFILE: "can't be used: too many files are open; check the limits of the process.",
  ENFILE: "can't be used: too many files are open; check the limits of the system.",
};

/** Translates an error of reading or writing below `folder`; returns errors that the disk didn't cause unchanged. */
export function diskFault(folder: string, error: unknown): unknown {
  const code = systemErrorCode(error) ?? '';
  if (isDiskFull(code)) return new AppError('DISK_FULL', undefined, { cause: error });
  const sentence = Object.hasOwn(sentences, code) ? sentences[code] : undefined;
  if (sentence === undefined) return error;
  return new AppError('STORAGE_UNAVAILABLE', `The folder "${folder}" ${sentence}`, { cause: error });
}
