import { auditOperations } from './audit.js';
import { authOperations } from './auth.js';
import { certificateOperations } from './certificates.js';
import { courseOperations } from './courses.js';
import { enrollmentOperations } from './enrollments.js';
import { fileOperations } from './files.js';
import { groupOperations } from './groups.js';
import { identityOperations } from './identities.js';
import { importOperations } from './imports.js';
import { linkOperations } from './links.js';
import { mailOperations } from './mails.js';
import { overviewOperations } from './overview.js';
import { serviceOperations } from './service.js';
import { sessionOperations } from './sessions.js';
import { userOperations } from './users.js';

/**
 * All operations of the API. If a request matches two paths, the first one wins. Therefore fixed paths are declared before
 * paths with parameters.
 */
export const contract = {
  ...authOperations,
  ...linkOperations,
  ...sessionOperations,
  ...identityOperations,
  ...userOperations,
  ...groupOperations,
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

export type Contract = typeof contract;
