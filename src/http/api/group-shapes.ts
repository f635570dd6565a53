import Joi from 'joi';
import { publicCodes } from './failures.js';
import { component } from './json-schema.js';
import { count, id, nullableEnum, nullableText, text, timestamp } from './response-schemas.js';

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
  }),
);

export const groupDetails = component(
  'GroupDetails',
  'A group of people, for the super admin',
  group.append({
    note: nullableText,
    createdAt: timestamp,
    updatedAt: timestamp,
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
