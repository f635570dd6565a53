import * as fields from './fields.js';
import Joi from './joi.js';
import type { PagingWithKey } from './listing.js';
import * as listing from './listing.js';
import { refuse } from './problems.js';
import { groupNameMaximum } from './sort-key.js';

/** `file`: an import added the person. `hand`: a person did. */
export const memberSources = ['hand', 'file'] as const;
export type MemberSource = (typeof memberSources)[number];

/** Name of a group. Cells of files list groups with the excluded separators. */
export const groupName = (label: string) =>
  fields
    .singleLine(label, 1, groupNameMaximum)
    .pattern(/^[^;|]*$/)
    .messages({ 'string.pattern.base': `${label} must not contain ; or |, which separate groups in files.` });

const name = groupName('Name')
  .description('Name of the group, unique regardless of case and repeated spaces')
  .example('Year 9');
const note = fields.nullable(fields.multiLine('Note', 1000));

export interface NewGroup {
  name: string;
  note?: string | null;
}

/** Body of `POST /api/groups`. */
export const groupCreationSchema = Joi.object<NewGroup>({ name: name.required(), note });

/** Body of `PUT /api/groups/:id`. Absent fields stay unchanged. */
export const groupUpdateSchema = Joi.object<Partial<NewGroup>>({ name, note });

export interface GroupListing extends PagingWithKey {
  search?: string;
}

/** Query of `GET /api/groups`. */
export const groupListingSchema = Joi.object<GroupListing, true>({
  search: listing.search.description('Text to search for in the names, or the id of a group'),
  ...listing.pagingWithKey(20),
});

/** Maximum number of people in one change of members. */
const maxMemberChanges = 1000;

export interface MemberChange {
  add?: string[];
  remove?: string[];
}

const people = (label: 'add' | 'remove') => fields.idList(label, maxMemberChanges);

/** Body of `PUT /api/groups/:id/members`. */
export const memberChangeSchema = Joi.object<MemberChange>({
  add: people('add').description('Ids of the accounts to add').example(['0198c1f2-7a3b-7c4d-8e5f-6a7b8c9d0e1f']),
  remove: people('remove')
    .description('Ids of the members to remove')
    .example(['0198c1f2-7a3b-7c4d-8e5f-6a7b8c9d0e20']),
}).custom((change: MemberChange, helpers) => {
  const { add = [], remove = [] } = change;
  if (add.length + remove.length === 0)
    return refuse(helpers, {
      code: 'REQUIRED',
      params: { fields: ['add', 'remove'] },
      message: 'Either add or remove is required.',
    });
  if (add.length + remove.length > maxMemberChanges)
    return refuse(helpers, {
      code: 'TOO_MANY',
      params: { max: maxMemberChanges },
      message: `add and remove may have at most ${maxMemberChanges} ids together.`,
    });
  const removed = new Set(remove);
  return add.some((id) => removed.has(id))
    ? refuse(helpers, {
        code: 'EXCLUSIVE',
        params: { fields: ['add', 'remove'] },
        message: 'add and remove exclude each other for a person.',
      })
    : change;
});
