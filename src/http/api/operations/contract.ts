import { auditOperations } from './audit.js';
import { authOperations } from './auth.js';
import { certificateOperations } from './certificates.js';
import { courseOperations } from './courses.js';
import { enrollmentOperations } from './enrollments.js';
import { fileOperations } from './files.js';
import { importOperations } from './imports.js';
import { linkOperations } from './links.js';
import { mailOperations } from './mails.js';
import { overviewOperations } from './overview.js';
import { serviceOperations } from './service.js';
import { sessionOperations } from './sessions.js';
import { userOperations } from './users.js';

/**
 * The whole API, an entry an operation. A route that isn't here doesn't exist. Of two paths that a request could mean, the
 * first one is meant: those that are spelt out stand before those with parameters.
 */
export const contract = {
  ...authOperations,
  ...linkOperations,
  ...sessionOperations,
  ...userOperations,
  ...courseOperations,
  ...enrollmentOperations,
  ...certificateOperations,
  ...fileOperations,
  ...importOperations,
  ...auditOperations,
  ...mailOperations,
  ...overviewOperations,
  ...serviceOperations,
};

/** The operations by their names, each with a type of its own. */
export type Contract = typeof contract;
