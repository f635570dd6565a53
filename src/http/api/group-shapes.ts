import Joi from 'joi';
import { publicCodes } from './failures.js';
import { component } from './json-schema.js';
import {
  boolean,
  count,
  id,
  nullableEnum,
  nullableText,
  nullableTimestamp,
  text,
  timestamp,
} from './response-schemas.js';

export const groupName = component(
  'GroupName',
  'A group by its name',
  Joi.object({ id, name: text.description('Name of the group').example('Year 9') }),
);

export const group = component(
  'Group',
  'A group of people',
  groupName.append({
    activeMembers: count.description('Number of members whose account is active, up to 1,000').example(28),
    activeMembersCapped: Joi.valid(true).description('Set if there are more active members than 1,000').example(true),
    syncedAt: nullableTimestamp.description('End of the last sync with a file; null for none').example(null),
    isHeld: boolean.description('Whether the last sync was held, because too many members would leave').example(false),
  }),
);

/** Fields of a held sync. */
export const heldSync = {
  leaving: count.description('Number of members who would leave').example(14),
  members: count.description('Number of members whom files added').example(90),
  limit: count.description('Number of members who may leave without an approval').example(9),
  file: text.description('Name of the file').example('people.csv'),
  at: timestamp.description('Time of the sync').example('2026-11-13T02:00:00.000Z'),
};

export const groupDetails = component(
  'GroupDetails',
  'A group of people, for the super admin',
  group.append({
    note: nullableText,
    createdAt: timestamp,
    updatedAt: timestamp,
    roster: component(
      'Roster',
      'The syncs of a group with files; null if there was none',
      Joi.object({
        options: Joi.object()
          .unknown()
          .required()
          .description('Options of the next syncs, which the first one has set')
          .example({ course: 'First Aid' }),
        syncedAt: timestamp.description('End of the last sync').example('2026-03-02T02:00:00.000Z'),
        formerMembers: count
          .description('Number of members whom syncs took out, and who have not come back')
          .example(3),
        held: Joi.object(heldSync).allow(null).required().description('The last sync, if it was held; null otherwise'),
      })
        .allow(null)
        .required(),
    ),
  }),
);

export const memberChanges = component(
  'MemberChanges',
  'The outcome for each person',
  Joi.object({
    counts: Joi.object({ done: count, unchanged: count, refused: count })
      .required()
      .description('Number of people by outcome'),
    outcomes: Joi.array()
      .items(
        Joi.object({
          id,
          name: nullableText.description('Name of the account; null if it does not exist').example('Ada Lovelace'),
          change: Joi.valid('add', 'remove').required().description('The requested change').example('add'),
          outcome: Joi.valid('done', 'unchanged', 'refused').required(),
          code: nullableEnum(publicCodes).description('Code of the refusal; null otherwise').example(null),
          message: nullableText.description('Reason of the refusal, for people; null otherwise').example(null),
        }),
      )
      .required()
      .description('Removals, then additions'),
  }),
);
