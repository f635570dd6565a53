import { listingOptions, sortOption } from '../../core/columns.js';
import { enrollmentColumns } from './columns.js';

export const enrollmentListOptions = {
  '--course <course>': 'only in this course: title or id',
  '--user <user>': 'only of this trainee: email, phone or id',
  '--trainer <user>': "only in this trainer's courses: email, phone or id",
  '--status <status>': 'only pending, active, completed or cancelled ones; several separated by commas',
  '--search <text>': "search in the trainee's name and email",
  ...sortOption(
    'enrolledAt, with --course, --user or --trainer also completedAt or progress, with --course lastName',
    'enrolledAt',
  ),
  ...listingOptions('enrollments', enrollmentColumns),
};

export const assignOptions = {
  '--status <status>': 'active (the default) or pending',
  '--notes <text>': 'a note, which the trainee sees too',
};

export const statusOptions = {
  '--notes <text>': 'replaces the notes; an empty text clears them',
};
