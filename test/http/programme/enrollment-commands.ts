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
      ({ course, notes, strangers }, programme) => {
        const fields = { courseId: idOf(course, programme), notes };
        const body = given.withStrangers(fields, strangers, programme);
        return {
          question: { method: 'POST', path: '/api/enrollments', body },
          rule: (caller, chosen) => enrollments.requestEnrollment(programme, caller, fields, chosen),
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
        ...{ course: given.course, trainee: given.trainee, status: entryStatus, notes: given.notes },
        strangers: given.strangers('status'),
      }),
      ({ course, trainee, status, notes, strangers }, programme) => {
        const who = { courseId: idOf(course, programme), traineeId: idOf(trainee, programme) };
        const fields = { ...who, status, notes };
        const body = given.withStrangers(fields, strangers, programme);
        return {
          question: { method: 'POST', path: '/api/enrollments/assign', body },
          rule: (caller, chosen) => enrollments.assign(programme, caller, fields, chosen),
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
        ...{ status: entryStatus, notes: given.notes, strangers: given.strangers('status') },
      }),
      ({ course, trainees: named, status, notes, strangers }, programme) => {
        const traineeIds = [...new Set(named.map((trainee) => idOf(trainee, programme)))];
        const fields = { courseId: idOf(course, programme), traineeIds, status, notes };
        const body = given.withStrangers(fields, strangers, programme);
        return {
          question: { method: 'POST', path: '/api/enrollments/bulk', body },
          rule: (caller, chosen) => enrollments.assignMany(programme, caller, fields, chosen),
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
        ...{ enrollment: given.enrollment, status: given.status, notes: given.notes },
        strangers: given.strangers('status'),
      }),
      ({ enrollment, status, notes, strangers }, programme) => {
        const id = idOf(enrollment, programme);
        const fields = { status, notes };
        const body = given.withStrangers(fields, strangers, programme);
        return {
          question: { method: 'PUT', path: `/api/enrollments/${id}/status`, body },
          rule: (caller, chosen) => enrollments.changeStatus(programme, caller, id, fields, chosen),
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
        progress: fc.constantFrom(0, 50, 100, 101, 0.5),
        strangers: given.strangers(),
      }),
      ({ enrollment, progress, strangers }, programme) => {
        const id = idOf(enrollment, programme);
        const body = given.withStrangers({ progress }, strangers, programme);
        return {
          question: { method: 'PUT', path: `/api/enrollments/${id}/progress`, body },
          rule: (caller) => enrollments.setProgress(programme, caller, id, progress),
        };
      },
    ),
  ),
  weighted(
    1,
    operation('remove enrollment', managers, given.enrollment, (enrollment, programme) => {
      const id = idOf(enrollment, programme);
      return {
        question: { method: 'DELETE', path: `/api/enrollments/${id}` },
        rule: (caller) => enrollments.removeOne(programme, caller, id),
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
      ({ named, strangers }, programme) => {
        const enrollmentIds = [...new Set(named.map((enrollment) => idOf(enrollment, programme)))];
        const body = given.withStrangers({ enrollmentIds }, strangers, programme);
        return {
          question: { method: 'DELETE', path: '/api/enrollments/bulk/remove', body },
          rule: (caller) => enrollments.removeMany(programme, caller, enrollmentIds),
        };
      },
    ),
  ),
];
