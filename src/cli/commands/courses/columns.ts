import type { presentMaterial } from '../../../presenters/material.js';
import type { presentPerson } from '../../../presenters/user.js';
import type { Column } from '../../core/listing/columns.js';
import { type Course, seatsCell, stateOn, trainerName } from './output.js';

/** Returns the columns of courses. @param day today, in the time zone of the programme */
export const courseColumnsOn = (day: string): readonly Column<Course>[] => [
  { name: 'title', value: ({ title }) => title, fit: 'wrap', minimum: 20, priority: 0 },
  { name: 'startDate', heading: 'BEGINS', value: ({ startDate }) => startDate, fit: 'whole', priority: 2 },
  { name: 'endDate', heading: 'ENDS', value: ({ endDate }) => endDate, fit: 'whole', priority: 3 },
  { name: 'seats', value: seatsCell, fit: 'whole', priority: 0 },
  { name: 'trainer', value: trainerName, priority: 1 },
  { name: 'state', value: (course) => stateOn(day, course), fit: 'whole', priority: 0 },
  { name: 'waiting', value: ({ waitingCount }) => waitingCount || null, priority: 4, hideEmpty: true },
  { name: 'category', value: ({ category }) => category, priority: 5 },
  { name: 'level', value: ({ level }) => level, fit: 'whole', priority: 6 },
  { name: 'courseType', heading: 'TYPE', value: ({ courseType }) => courseType, fit: 'whole', priority: 7 },
  {
    name: 'enrollUntil',
    heading: 'REQUESTS UNTIL',
    value: ({ enrollUntil }) => enrollUntil,
    fit: 'whole',
    priority: 8,
  },
  { name: 'location', value: ({ location }) => location, priority: 9 },
  { name: 'language', value: ({ language }) => language, priority: 10 },
  { name: 'id', value: ({ id }) => id, fit: 'id', priority: 11 },
  { name: 'isPublished', heading: 'PUBLISHED', value: ({ isPublished }) => isPublished, priority: 12 },
  { name: 'isFeatured', heading: 'FEATURED', value: ({ isFeatured }) => isFeatured, priority: 13 },
  { name: 'autoAccept', heading: 'AUTO ACCEPT', value: ({ autoAccept }) => autoAccept, priority: 14 },
  { name: 'waitingMax', heading: 'WAITING MAX', value: ({ waitingMax }) => waitingMax, priority: 15 },
  { name: 'createdAt', heading: 'CREATED', value: ({ createdAt }) => createdAt, priority: 16 },
  { name: 'updatedAt', heading: 'CHANGED', value: ({ updatedAt }) => updatedAt, priority: 17 },
  { name: 'trainerId', value: ({ trainerId }) => trainerId, fit: 'id', priority: 18 },
];

export const courseColumns = courseColumnsOn('');

export const trainerColumns: readonly Column<ReturnType<typeof presentPerson>>[] = [
  { name: 'name', value: ({ firstName, lastName }) => `${firstName} ${lastName}`, minimum: 16, priority: 0 },
  { name: 'email', value: ({ email }) => email, fit: 'whole', priority: 0 },
  { name: 'id', value: ({ id }) => id, fit: 'id', priority: 'on request' },
];

export const fileColumns: readonly Column<ReturnType<typeof presentMaterial>>[] = [
  { name: 'name', value: ({ name }) => name, fit: 'wrap', minimum: 20, priority: 0 },
  { name: 'contentType', heading: 'TYPE', value: ({ contentType }) => contentType, priority: 3 },
  { name: 'bytes', value: ({ bytes }) => bytes, priority: 1 },
  { name: 'createdAt', heading: 'ADDED', value: ({ createdAt }) => createdAt, priority: 2 },
  { name: 'id', value: ({ id }) => id, fit: 'id', priority: 0 },
];
