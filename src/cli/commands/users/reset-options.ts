import { accountBulkOptions } from './filter.js';

export const resetOptions = {
  '--password-stdin': 'read the temporary password of one account from standard input instead of generating one',
  '--credentials <file>': 'file for generated passwords, which must not exist; needed for several accounts',
  ...accountBulkOptions,
};
