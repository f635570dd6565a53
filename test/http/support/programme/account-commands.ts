import fc from 'fast-check';
import { factoryPassword } from '../../../support/factories.js';
import { type Commands, everybody, get, operation, trainees, weighted } from './command.js';
import { castNames } from './model.js';
import * as given from './references.js';
import { idOf } from './references.js';
import * as users from './user-rules.js';

/** Commands of user administration, and of people about their own accounts. */

const administration: Commands = [
  weighted(
    2,
    operation(
      'activate or deactivate',
      ['superAdmin'],
      fc.record({ user: given.trainee, isActive: fc.boolean(), strangers: given.strangers() }),
      ({ user, isActive, strangers }, programme, caller) => {
        const id = idOf(user, programme, caller);
        const body = given.withStrangers({ isActive }, strangers, programme);
        return {
          question: { method: 'PUT', path: `/api/users/${id}/status`, body },
          rule: () => users.activate(programme, caller, id, isActive),
        };
      },
    ),
  ),
  weighted(
    2,
    operation('deactivate and activate', ['superAdmin'], fc.constantFrom(...castNames), (name, programme, caller) => {
      const { [name]: person } = programme.cast;
      const activate = (isActive: boolean) => ({
        question: { method: 'PUT', path: `/api/users/${person.id}/status`, body: { isActive } } as const,
        rule: () => users.activate(programme, caller, person.id, isActive),
      });
      // With the token of a session that must not come back.
      const me = { question: get('/api/auth/me'), rule: () => users.showSelf(person), by: person };
      return [activate(false), me, activate(true), me];
    }),
  ),
  weighted(
    3,
    operation(
      'update user',
      ['superAdmin'],
      fc.record({
        user: given.anybody,
        role: given.maybe(fc.constantFrom('trainer' as const, 'trainee' as const, 'super_admin' as const)),
        firstName: given.maybe(fc.constant('Renamed')),
        strangers: given.strangers('role'),
      }),
      ({ user, role, firstName, strangers }, programme, caller) => {
        const id = idOf(user, programme, caller);
        const body = given.withStrangers({ role, firstName }, strangers, programme);
        return {
          question: { method: 'PUT', path: `/api/users/${id}`, body },
          rule: () => users.updateUser(programme, caller, id, { role, firstName }),
        };
      },
    ),
  ),
  weighted(
    1,
    operation('delete user', ['superAdmin'], given.anybody, (user, programme, caller) => {
      const id = idOf(user, programme, caller);
      return {
        question: { method: 'DELETE', path: `/api/users/${id}` },
        rule: () => users.deleteUser(programme, caller, id),
      };
    }),
  ),
  weighted(
    1,
    operation('reset password', ['superAdmin'], given.anybody, (user, programme, caller) => {
      const id = idOf(user, programme, caller);
      return {
        question: { method: 'POST', path: `/api/users/${id}/reset-password` },
        rule: (chosen) => users.resetPassword(programme, caller, id, chosen),
      };
    }),
  ),
];

/** Signing in and first passwords let those go on who have been sent away. */
const ownAccount: Commands = [
  weighted(
    2,
    operation('sign in', everybody, fc.constant(null), (_, programme, caller) => ({
      question: {
        method: 'POST',
        path: '/api/auth/login',
        body: { identifier: caller?.email ?? 'nobody@example.org', password: caller?.password ?? factoryPassword },
      },
      rule: (chosen) => users.signIn(programme, caller, chosen),
    })),
  ),
  weighted(
    2,
    operation('change first password', ['newcomer', ...trainees], given.strangers(), (strangers, programme, caller) => {
      const newPassword = 'a password of my own';
      const body = given.withStrangers({ newPassword }, strangers, programme);
      return {
        question: { method: 'PUT', path: '/api/auth/first-password-change', body },
        rule: () => users.changeFirstPassword(caller, newPassword),
      };
    }),
  ),
];

export const accountCommands: Commands = [...administration, ...ownAccount];
