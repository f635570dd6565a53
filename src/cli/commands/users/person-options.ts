import { AppError } from '../../../errors.js';

/** Options for the fields that every account has. */
export const personOptions = {
  '--first-name <name>': '2 to 50 characters',
  '--last-name <name>': '2 to 50 characters',
  '--email <address>': 'unique; used to sign in',
  '--phone <number>': 'unique; used to sign in',
};

export const passwordOption = { '--password-stdin': 'read the password from standard input' };

/** Refuses to print a generated password where it would be logged. */
export const passwordNotInJson = (): AppError =>
  new AppError(
    'USAGE',
    'A generated password is never part of --json output, which is often logged. Add --credentials <file> or --password-stdin, or leave out --json.',
  );
