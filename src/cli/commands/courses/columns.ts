import type { presentMaterial } from '../../../presenters/material.js';
import type { presentPerson } from '../../../presenters/user.js';
import type { Column } from '../../core/listing/columns.js';
import { type Course, seatsText, trainerName } from './output.js';

export const courseColumns: readonly Column<Course>[] = [
  { name: 'title', value: ({ title }) => title, fit: 'wrap', minimum: 20, priority: 0 },
  { name: 'category', value: ({ category }) => category, priority: 3 },
  { name: 'level', value: ({ level }) => level, fit: 'whole', priority: 4 },
  { name: 'courseType', heading: 'TYPE', value: ({ courseType }) => courseType, fit: 'whole', priority: 5 },
  { name: 'trainer', value: trainerName, priority: 1 },
  { name: 'isPublished', heading: 'PUBLISHED', value: ({ isPublished }) => isPublished, priority: 2 },
  {
    name: 'seats',
    value: (course) => (course.seatsTaken === undefined ? null : seatsText(course)),
    fit: 'whole',
    priority: 0,
  },
  { name: 'startDate', heading: 'BEGINS', value: ({ startDate }) => startDate, fit: 'whole', priority: 'on request' },
  { name: 'endDate', heading: 'ENDS', value: ({ endDate }) => endDate, fit: 'whole', priority: 'on request' },
  {
    name: 'enrollUntil',
    heading: 'REQUESTS UNTIL',
    value: ({ enrollUntil }) => enrollUntil,
    fit: 'whole',
    priority: 'on request',
  },
  { name: 'autoAccept', heading: 'AUTO ACCEPT', value: ({ autoAccept }) => autoAccept, priority: 'on request' },
  { name: 'waitingMax', heading: 'WAITING MAX', value: ({ waitingMax }) => waitingMax, priority: 'on request' },
  { name: 'location', value: ({ location }) => location, priority: 'on request' },
  { name: 'language', value: ({ language }) => language, priority: 'on request' },
  { name: 'isFeatured', heading: 'FEATURED', value: ({ isFeatured }) => isFeatured, priority: 'on request' },
  { name: 'createdAt', heading: 'CREATED', value: ({ createdAt }) => createdAt, priority: 'on request' },
  { name: 'updatedAt', heading: 'CHANGED', value: ({ updatedAt }) => updatedAt, priority: 'on request' },
  { name: 'trainerId', value: ({ trainerId }) => trainerId, fit: 'id', priority: 'on request' },
  { name: 'id', value: ({ id }) => id, fit: 'id', priority: 'on request' },
];

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
