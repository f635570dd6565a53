import { enrollmentStatuses, initialStatuses, statusRules } from '../src/schemas/enrollment-statuses.js';

/** Returns the module about statuses of enrollments for the web console, which imports nothing from the service. */
export const consoleStatuses = () =>
  `/** The rules of enrollments, generated from src/schemas/enrollment-statuses.ts. Don't edit: \`npm run api:types\` writes this file. */
export const statusRules = ${JSON.stringify(statusRules, null, 2)} as const;

export const enrollmentStatuses = ${JSON.stringify(enrollmentStatuses)} as const;

/** Statuses with which managers may enroll a trainee. */
export const initialStatuses = ${JSON.stringify(initialStatuses)} as const;
`;
