import { dryRunOption, exportOptions, repeatable, yesOption } from '../../core/command/declaration.js';
import { listingOptions, sortOption } from '../../core/listing/columns.js';
import { courseColumns, fileColumns, trainerColumns } from './columns.js';

export const courseDetailOptions = {
  '--include <keys>': 'seats: also show how many seats are taken and left',
};

export const courseFilterOptions = {
  '--category <category>': 'only courses of this category',
  '--level <level>': 'only beginner, intermediate or advanced courses',
  '--type <type>': 'only online, classroom or hybrid courses',
  '--trainer <user>': "only this trainer's courses: email, phone or id",
  '--published': 'only published courses',
  '--unpublished': 'only courses that are not published',
  '--seats-left': 'only courses that have seats left',
  '--full': 'only courses that have no seats left',
  '--ended <which>': '"true": only ended courses; "false": only the others; "all" (default): both',
  '--starts-within <days>': 'only courses that start today or within this number of days',
  '--search <text>': 'search in title, category and tags',
};

export const courseExportOptions = { ...courseFilterOptions, ...exportOptions };

export const courseListOptions = {
  ...courseFilterOptions,
  ...sortOption('createdAt, updatedAt, title, category, startDate or soonest (upcoming ones first)'),
  ...courseDetailOptions,
  ...listingOptions('courses', courseColumns),
};

export const trainerListOptions = {
  '--search <text>': 'search in names and email',
  ...listingOptions('trainers', trainerColumns),
};

export const importCourseOptions = {
  '--trainer <user>': 'the trainer of rows that name none: email, phone or id',
  ...dryRunOption,
  ...yesOption,
};

export const undoCourseImportOptions = { ...dryRunOption, ...yesOption };

export const deleteCourseOptions = {
  '--force': 'delete it even if it has active enrollments',
  ...yesOption,
};

/** Options for the fields of a course. */
const courseFieldOptions = {
  '--title <title>': '3 to 200 characters',
  '--description <text>': 'what it is about',
  '--short-description <text>': 'the description in one sentence',
  '--category <category>': '2 to 100 characters',
  '--level <level>': 'beginner, intermediate or advanced',
  '--language <language>': 'language of instruction',
  '--type <type>': 'online, classroom or hybrid',
  '--tag <word>': repeatable('keyword for the search; may be repeated'),
  '--requirements <text>': 'what trainees should know or bring',
  '--learning-outcomes <text>': 'what trainees will learn',
  '--max-students <number>': 'maximum number of trainees; "none" for no limit',
  '--start-date <date>': 'first day, as YYYY-MM-DD',
  '--end-date <date>': 'last day, as YYYY-MM-DD',
  '--enroll-until <date>': 'last day to ask for a place, as YYYY-MM-DD',
  '--waiting-max <number>': 'how many may wait when it is full: "none" for no limit, 0 for no waiting list',
  '--auto-accept': 'accept requests immediately while seats last',
  '--location <place>': 'where it takes place',
  '--featured': 'mark it as featured',
};

export const createCourseOptions = {
  ...courseFieldOptions,
  '--trainer <user>': 'the trainer of the course: email, phone or id',
};

export const editCourseOptions = {
  ...courseFieldOptions,
  '--no-auto-accept': 'let the trainer decide about each request',
  '--no-featured': 'no longer mark it as featured',
};

export const fileListOptions = listingOptions('files', fileColumns);
