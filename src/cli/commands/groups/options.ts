import { bulkOptions, repeatable } from '../../core/command/declaration.js';
import { listingOptions } from '../../core/listing/columns.js';
import { rosterOptions } from '../imports/options.js';
import { accountHeadings, filterOptions } from '../users/options.js';
import { groupColumns } from './columns.js';

export const groupListOptions = {
  '--search <text>': 'search in the names',
  ...listingOptions('groups', groupColumns),
};

export const editGroupOptions = {
  ...rosterOptions,
  '--unset <option>': repeatable('give this option its default again, such as course or max-leaving; may be repeated'),
};

export const createGroupOptions = { '--note <text>': 'a note about the group, up to 1,000 characters' };

// The argument <group> names the group.
const { '--group <group>': _, ...accountFilterOptions } = filterOptions;

export const memberOptions = { ...bulkOptions(accountHeadings), ...accountFilterOptions };
