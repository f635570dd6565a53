import { enrollmentStatuses, initialStatuses, statusRules } from '../src/schemas/enrollment-statuses.js';

/** What the web console, which imports nothing of the service, knows of the statuses of enrollments. */
export const consoleStatuses = () =>
  `/** The rules of enrollments, generated from src/schemas/enrollment-statuses.ts. Don't edit: \`npm run api:types\` writes this file. */
export const statusRules = ${JSON.stringify(statusRules, null, 2)} as const;

export const enrollmentStatuses = ${JSON.stringify(enrollmentStatuses)} as const;

/** Managers may enroll somebody with these. */
export const initialStatuses = ${JSON.stringify(initialStatuses)} as const;
`;
