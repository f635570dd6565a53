/** Options for the fields that every account has. */
export const personOptions = {
  '--first-name <name>': '2 to 50 characters',
  '--last-name <name>': '2 to 50 characters',
  '--email <address>': 'unique; used to sign in',
  '--phone <number>': 'unique; used to sign in',
};

export const passwordOption = { '--password-stdin': 'read the password from standard input' };
