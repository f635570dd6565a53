import { listingOptions, sortOption } from '../../core/columns.js';
import { yesOption } from '../../core/declaration.js';
import { enrollmentColumns } from './columns.js';

export const enrollmentListOptions = {
  '--course <course>': 'only in this course: title or id',
  '--trainee <user>': 'only of this trainee: email, phone or id',
  '--trainer <user>': "only in this trainer's courses: email, phone or id",
  '--status <status>': 'only pending, active, completed or cancelled ones; several separated by commas',
  '--search <text>': "search in the trainee's name and email",
  ...sortOption(
    'enrolledAt, with --course, --trainee or --trainer also completedAt or progress, with --course lastName',
    'enrolledAt',
  ),
  ...listingOptions('enrollments', enrollmentColumns),
};

/** Names an enrollment by what it links. */
export const enrollmentOptions = {
  '--trainee <user>': 'whose enrollment it is: email, phone or id',
  '--course <course>': 'the course that it is in: title or id',
};

export const assignOptions = {
  '--status <status>': 'active (the default) or pending',
  '--notes <text>': 'a note, which the trainee sees too',
};

export const statusOptions = {
  ...enrollmentOptions,
  '--notes <text>': 'replaces the notes; an empty text clears them',
};

export const removeOptions = {
  ...enrollmentOptions,
  ...yesOption,
};
