import { enrollmentStatuses, initialStatuses } from '../../../schemas/enrollment-statuses.js';
import { bulkOptions, exportOptions } from '../../core/command/declaration.js';
import { listingOptions, sortOption } from '../../core/listing/columns.js';
import { either } from '../../core/output/output.js';
import { accountHeadings, filterOptions } from '../users/options.js';
import { enrollmentColumns } from './output.js';

export const enrollmentFilterOptions = {
  '--course <course>': 'only in this course: title or id',
  '--trainee <user>': 'only of this trainee: email, phone or id',
  '--group <group>': 'only of members of this group: name or id',
  '--trainer <user>': "only in this trainer's courses: email, phone or id",
  '--status <status>': `only ${either(enrollmentStatuses)} ones; several separated by commas`,
  '--progress <number>': 'only with this progress, in per cent',
  '--starts-within <days>': 'only in courses that start today or within this number of days',
  '--search <text>': "search in the trainee's name and email",
};

export const enrollmentExportOptions = { ...enrollmentFilterOptions, ...exportOptions };

export const enrollmentListOptions = {
  ...enrollmentFilterOptions,
  ...sortOption('enrolledAt; with --course, --trainee or --trainer also completedAt and progress', 'enrolledAt'),
  ...listingOptions('enrollments', enrollmentColumns),
};

export const enrollmentOptions = {
  '--trainee <user>': 'the trainee of the enrollment: email, phone or id',
  '--course <course>': 'the course of the enrollment: title or id',
};

const { '--role <role>': _, ...traineeFilterOptions } = filterOptions;

/** Without this option, commands at the terminal mail nobody. */
const notifyOption = { '--notify': 'also send each trainee a mail, if the course is published' };

export const assignOptions = {
  '--status <status>': `${either(initialStatuses)}; active by default`,
  '--when-full <what>':
    'if the course has not enough seats: reject (default), or wait (put the others on its waiting list)',
  '--reply <text>': 'a message to the trainees',
  ...notifyOption,
  ...bulkOptions(accountHeadings),
  ...traineeFilterOptions,
};

/** Headings of columns that may name enrollments. */
export const enrollmentHeadings = ['id'];

export const statusOptions = {
  '--reply <text>': 'replaces the reply to the trainees; an empty text clears it',
  ...notifyOption,
  ...bulkOptions(enrollmentHeadings),
  ...enrollmentFilterOptions,
};

export const removeOptions = {
  ...bulkOptions(enrollmentHeadings),
  ...enrollmentFilterOptions,
};
