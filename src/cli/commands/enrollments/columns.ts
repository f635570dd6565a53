import type { Column } from '../../core/columns.js';
import { type Enrollment, traineeName } from './output.js';

export const enrollmentColumns: readonly Column<Enrollment>[] = [
  { name: 'trainee', value: traineeName, minimum: 15, priority: 0 },
  { name: 'email', value: ({ user }) => user.email, fit: 'whole', priority: 4 },
  { name: 'course', value: ({ course }) => course.title, minimum: 15, priority: 0 },
  { name: 'status', value: ({ status }) => status, fit: 'whole', priority: 1 },
  { name: 'progress', value: ({ progress }) => progress, priority: 2 },
  { name: 'enrolledAt', heading: 'ENROLLED', value: ({ enrolledAt }) => enrolledAt, priority: 3 },
  { name: 'completedAt', heading: 'COMPLETED', value: ({ completedAt }) => completedAt, priority: 'on request' },
  { name: 'notes', value: ({ notes }) => notes, fit: 'wrap', minimum: 20, priority: 'on request' },
  { name: 'userId', heading: 'TRAINEE ID', value: ({ userId }) => userId, fit: 'id', priority: 'on request' },
  { name: 'courseId', value: ({ courseId }) => courseId, fit: 'id', priority: 'on request' },
  { name: 'id', value: ({ id }) => id, fit: 'id', priority: 0 },
];
