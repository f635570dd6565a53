import { accountBulkOptions } from './filter.js';

export const resetOptions = {
  '--password-stdin': 'for one account: read the temporary password from standard input instead of generating it',
  '--credentials <file>': 'write generated passwords to this file, which must not exist; needed for several accounts',
  ...accountBulkOptions,
};
