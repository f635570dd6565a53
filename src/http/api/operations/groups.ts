import Joi from 'joi';
import {
  groupCreationSchema,
  groupListingSchema,
  groupUpdateSchema,
  memberChangeSchema,
} from '../../../schemas/group.js';
import { group, groupDetails, memberChanges } from '../group-shapes.js';
import { created, ok, operations, superAdmin } from '../operation.js';
import * as shapes from '../response-schemas.js';

const operation = operations('Groups');

const params = Joi.object({ id: shapes.idOf('group') });

export const groupOperations = {
  listGroups: operation.get('/api/groups', {
    summary: 'Groups by name',
    access: { kind: 'roles', roles: ['trainer', 'super_admin'] },
    query: groupListingSchema,
    success: ok('One page of groups', shapes.pageOf('groups', group)),
  }),
  createGroup: operation.post('/api/groups', {
    summary: 'Create a group without members',
    access: superAdmin,
    body: groupCreationSchema,
    success: created('The group was created', {
      message: shapes.message('Group created successfully.'),
      group: groupDetails.required(),
    }),
    failures: ['GROUP_EXISTS', 'GROUP_LIMIT'],
  }),
  showGroup: operation.get('/api/groups/:id', {
    summary: 'A group; `GET /api/users?group=` lists its members',
    access: superAdmin,
    params,
    success: ok('The group', { group: groupDetails.required() }),
    failures: ['NOT_FOUND'],
  }),
  updateGroup: operation.put('/api/groups/:id', {
    summary: 'Change the given fields of a group',
    access: superAdmin,
    params,
    body: groupUpdateSchema,
    success: ok('The group was changed', {
      message: shapes.message('Group updated successfully.'),
      group: groupDetails.required(),
    }),
    failures: ['NOT_FOUND', 'GROUP_EXISTS'],
  }),
  deleteGroup: operation.delete('/api/groups/:id', {
    summary: 'Delete a group; the accounts and enrollments of its members stay',
    access: superAdmin,
    params,
    success: ok('The group was deleted', { message: shapes.message('Group deleted successfully.') }),
    failures: ['NOT_FOUND'],
  }),
  changeMembers: operation.put('/api/groups/:id/members', {
    summary: 'Add up to 1,000 people to a group, or remove them',
    description:
      'Each person has an outcome. Everybody but the super admin can be a member. Membership gives no rights, and enrolls nobody.',
    access: superAdmin,
    params,
    body: memberChangeSchema,
    success: ok('The outcomes', memberChanges),
    failures: ['NOT_FOUND'],
  }),
};
