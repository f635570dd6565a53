import {
  admitted,
  authenticated,
  type Caller,
  coursesOf,
  done,
  hasSeat,
  isOpen,
  type ModelResponse,
  type Person,
  type Programme,
  promote,
  type Role,
  refuse,
  type ServiceChoices,
} from './model.js';
import { accountView, listedAccountView, pageView } from './views.js';

/** Rules of the section "Users" in the contract, and of logins. */

/** Returns an account for the super admin. */
function administered(programme: Programme, caller: Caller, id: string): Person {
  admitted(caller, 'super_admin');
  return programme.people.get(id) ?? refuse(404, 'User not found.');
}

function protect({ role }: Person): void {
  if (role === 'super_admin') refuse(400, "The super admin can't be deactivated, demoted or deleted.");
}

function assertNoCourses({ courses }: Programme, { id }: Person): void {
  if ([...courses.values()].some(({ trainerId }) => trainerId === id))
    refuse(400, 'Trainer still has courses. Assign them to another trainer first.');
}

export function activate(
  programme: Programme,
  caller: Caller,
  { id, isActive }: Pick<Person, 'id' | 'isActive'>,
): ModelResponse {
  const person = administered(programme, caller, id);
  if (!isActive) protect(person);
  // Only a real change ends sessions. An inactive account has no usable session.
  if (person.isActive && !isActive) person.hasSession = false;
  const isBack = isActive && !person.isActive;
  person.isActive = isActive;
  // A seat may be free because only this inactive person was waiting.
  const own = [...programme.enrollments.values()].filter(({ userId }) => userId === id);
  if (isBack) promote(programme, coursesOf(own.filter(({ status }) => status === 'waiting')));
  return done(`User ${isActive ? 'activated' : 'deactivated'} successfully.`, { user: accountView(person) });
}

export function updateUser(
  programme: Programme,
  caller: Caller,
  { id, role, firstName }: { id: string; role: Role | undefined; firstName: string | undefined },
): ModelResponse {
  const person = administered(programme, caller, id);
  if (role !== undefined && role !== person.role) {
    protect(person);
    if (role === 'super_admin') refuse(400, 'Super Admin account already exists. Cannot create another one.');
    assertNoCourses(programme, person);
    if ([...programme.enrollments.values()].some((one) => one.userId === id && isOpen(one)))
      refuse(400, 'Trainee still has enrollments. Remove or complete them first.');
    Object.assign(person, { role, hasSession: false });
  }
  if (firstName !== undefined && firstName !== person.firstName) {
    const own = [...programme.enrollments.values()].filter(({ userId }) => userId === id);
    for (const enrollment of own) enrollment.formerName ??= `${person.firstName} ${person.lastName}`;
    person.firstName = firstName;
  }
  return done('User updated successfully.', { user: accountView(person) });
}

/** Deletes an account with its enrollments. */
export function deleteUser(programme: Programme, caller: Caller, { id }: { id: string }): ModelResponse {
  const person = administered(programme, caller, id);
  protect(person);
  assertNoCourses(programme, person);
  programme.people.delete(id);
  person.hasSession = false;
  const own = [...programme.enrollments.values()].filter(({ userId }) => userId === id);
  for (const enrollment of own) programme.enrollments.delete(enrollment.id);
  promote(programme, coursesOf(own.filter(hasSeat)));
  return done('User deleted successfully.');
}

export function resetPassword(
  programme: Programme,
  caller: Caller,
  { id }: { id: string },
  { temporaryPassword }: ServiceChoices,
): ModelResponse {
  const person = administered(programme, caller, id);
  Object.assign(person, { requiresPasswordChange: true, hasSession: false, password: temporaryPassword });
  return done('Password reset successfully.', { temporaryPassword });
}

/** Specification, section 4.4: a login with the right password. */
export function signIn(programme: Programme, person: Person | undefined, chosen: ServiceChoices): ModelResponse {
  if (!person?.isActive || !programme.people.has(person.id))
    return refuse(401, 'Invalid credentials or account inactive.');
  Object.assign(person, { token: chosen.token, hasSession: true });
  const { isActive: _, ...user } = accountView(person);
  return { status: 200, body: { token: chosen.token, user } };
}

/** Specification, section 4.10: replaces the initial password. */
export function changeFirstPassword(
  _programme: Programme,
  caller: Caller,
  { newPassword }: { newPassword: string },
): ModelResponse {
  const person = authenticated(caller);
  if (!person.requiresPasswordChange) refuse(400, 'Password change not required.');
  Object.assign(person, { requiresPasswordChange: false, password: newPassword });
  const { isActive: _, ...user } = accountView(person);
  return done('Password changed successfully.', { user });
}

/** Lists the people of this run by name. The super admin has another name, because all runs share the account. */
export function listUsers({ people }: Programme, caller: Caller): ModelResponse {
  admitted(caller, 'super_admin');
  const found = [...people.values()].filter(({ role }) => role !== 'super_admin');
  return { status: 200, body: pageView('users', found.map(listedAccountView)) };
}

/** Specification, section 4.7. */
export function showSelf(caller: Caller): ModelResponse {
  const { isActive: _, requiresPasswordChange: __, ...user } = accountView(authenticated(caller));
  return { status: 200, body: { user } };
}
