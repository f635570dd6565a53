import { auditOperations } from './operations/audit.js';
import { authOperations } from './operations/auth.js';
import { courseOperations } from './operations/courses.js';
import { enrollmentOperations } from './operations/enrollments.js';
import { fileOperations } from './operations/files.js';
import { importOperations } from './operations/imports.js';
import { overviewOperations } from './operations/overview.js';
import { serviceOperations } from './operations/service.js';
import { sessionOperations } from './operations/sessions.js';
import { userOperations } from './operations/users.js';

/**
 * The whole API, an entry an operation. A route that isn't here doesn't exist. Of two paths that a request could mean, the
 * first one is meant: those that are spelt out stand before those with parameters.
 */
export const contract = {
  ...authOperations,
  ...sessionOperations,
  ...userOperations,
  ...courseOperations,
  ...enrollmentOperations,
  ...fileOperations,
  ...importOperations,
  ...auditOperations,
  ...overviewOperations,
  ...serviceOperations,
};

/** The operations by their names, each with a type of its own. */
export type Contract = typeof contract;
