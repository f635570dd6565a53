import fc from 'fast-check';
import { type Commands, managers, operation, trainees, weighted } from './command.js';
import * as enrollments from './enrollment-rules.js';
import * as given from './references.js';
import { idOf } from './references.js';

/** Commands that change enrollments. */

const entryStatus = given.maybe(fc.constantFrom('pending' as const, 'active' as const));

export const enrollmentCommands: Commands = [
  weighted(
    5,
    operation(
      'request enrollment',
      trainees,
      fc.record({ course: given.course, notes: given.notes, strangers: given.strangers() }),
      ({ course, notes, strangers }, programme, caller) => {
        const fields = { courseId: idOf(course, programme, caller), notes };
        const body = given.withStrangers(fields, strangers, programme);
        return {
          question: { method: 'POST', path: '/api/enrollments', body },
          rule: (chosen) => enrollments.requestEnrollment(programme, caller, fields, chosen),
        };
      },
    ),
  ),
  weighted(
    4,
    operation(
      'assign',
      managers,
      fc.record({
        course: given.course,
        trainee: given.trainee,
        status: entryStatus,
        notes: given.notes,
        strangers: given.strangers('status'),
      }),
      ({ course, trainee, status, notes, strangers }, programme, caller) => {
        const who = { courseId: idOf(course, programme, caller), traineeId: idOf(trainee, programme, caller) };
        const fields = { ...who, status, notes };
        const body = given.withStrangers(fields, strangers, programme);
        return {
          question: { method: 'POST', path: '/api/enrollments/assign', body },
          rule: (chosen) => enrollments.assign(programme, caller, fields, chosen),
        };
      },
    ),
  ),
  weighted(
    3,
    operation(
      'assign many',
      managers,
      fc.record({
        course: given.course,
        trainees: fc.array(given.trainee, { minLength: 1, maxLength: 4 }),
        status: entryStatus,
        notes: given.notes,
        strangers: given.strangers('status'),
      }),
      ({ course, trainees: named, status, notes, strangers }, programme, caller) => {
        const traineeIds = [...new Set(named.map((trainee) => idOf(trainee, programme, caller)))];
        const fields = { courseId: idOf(course, programme, caller), traineeIds, status, notes };
        const body = given.withStrangers(fields, strangers, programme);
        return {
          question: { method: 'POST', path: '/api/enrollments/bulk', body },
          rule: (chosen) => enrollments.assignMany(programme, caller, fields, chosen),
        };
      },
    ),
  ),
  weighted(
    8,
    operation(
      'change status',
      [...managers, ...trainees],
      fc.record({
        enrollment: given.enrollment,
        status: given.status,
        expectedStatus: given.maybe(given.status),
        notes: given.notes,
        strangers: given.strangers('status'),
      }),
      ({ enrollment, status, expectedStatus, notes, strangers }, programme, caller) => {
        const id = idOf(enrollment, programme, caller);
        const fields = { status, expectedStatus, notes };
        const body = given.withStrangers(fields, strangers, programme);
        return {
          question: { method: 'PUT', path: `/api/enrollments/${id}/status`, body },
          rule: (chosen) => enrollments.changeStatus(programme, caller, id, fields, chosen),
        };
      },
    ),
  ),
  weighted(
    4,
    operation(
      'set progress',
      [...managers, ...trainees],
      fc.record({
        enrollment: given.enrollment,
        progress: fc.constantFrom(0, 20, 50, 80, 99, 100, 101, 0.5),
        strangers: given.strangers(),
      }),
      ({ enrollment, progress, strangers }, programme, caller) => {
        const id = idOf(enrollment, programme, caller);
        const body = given.withStrangers({ progress }, strangers, programme);
        return {
          question: { method: 'PUT', path: `/api/enrollments/${id}/progress`, body },
          rule: () => enrollments.setProgress(programme, caller, id, progress),
        };
      },
    ),
  ),
  weighted(
    1,
    operation('remove enrollment', managers, given.enrollment, (enrollment, programme, caller) => {
      const id = idOf(enrollment, programme, caller);
      return {
        question: { method: 'DELETE', path: `/api/enrollments/${id}` },
        rule: () => enrollments.removeOne(programme, caller, id),
      };
    }),
  ),
  weighted(
    1,
    operation(
      'remove many',
      managers,
      fc.record({
        named: fc.array(given.enrollment, { minLength: 1, maxLength: 3 }),
        strangers: given.strangers(),
      }),
      ({ named, strangers }, programme, caller) => {
        const enrollmentIds = [...new Set(named.map((enrollment) => idOf(enrollment, programme, caller)))];
        const body = given.withStrangers({ enrollmentIds }, strangers, programme);
        return {
          question: { method: 'DELETE', path: '/api/enrollments/bulk/remove', body },
          rule: () => enrollments.removeMany(programme, caller, enrollmentIds),
        };
      },
    ),
  ),
];
