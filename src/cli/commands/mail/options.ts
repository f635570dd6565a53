import type { presentMail } from '../../../presenters/mail.js';
import { bulkOptions } from '../../core/command/declaration.js';
import { type Column, listingOptions } from '../../core/listing/columns.js';

type Mail = ReturnType<typeof presentMail>;

export const mailColumns: readonly Column<Mail>[] = [
  { name: 'createdAt', heading: 'QUEUED', value: ({ createdAt }) => createdAt, priority: 1 },
  { name: 'kind', value: ({ kind }) => kind, fit: 'whole', priority: 0 },
  { name: 'address', heading: 'TO', value: ({ address }) => address, minimum: 20, priority: 0 },
  { name: 'state', value: ({ state }) => state, fit: 'whole', priority: 0 },
  { name: 'attempts', value: ({ attempts }) => attempts, priority: 5 },
  { name: 'nextAt', heading: 'NEXT', value: ({ nextAt }) => nextAt, priority: 4, hideEmpty: true },
  { name: 'finishedAt', heading: 'ENDED', value: ({ finishedAt }) => finishedAt, priority: 'on request' },
  {
    name: 'lastError',
    heading: 'WHY',
    value: ({ lastError }) => lastError,
    fit: 'wrap',
    minimum: 24,
    priority: 0,
    hideEmpty: true,
  },
  { name: 'id', value: ({ id }) => id, fit: 'id', priority: 3 },
];

export const filterOptions = {
  '--state <state>': 'only mails in this state: queued, sending, deferred, sent, failed or withdrawn',
  '--kind <kind>': 'only mails of this kind, such as invitation, reset or password-changed',
  '--user <user>': 'only mails to this account: email, phone or id',
  '--import <import>': 'only mails of this import: number or id',
  '--address-unknown': "only mails whose address doesn't exist",
  '--since <time>': 'only mails since this date or time, such as 2026-01-31 or 2026-01-31T08:00:00Z',
};

export const listOptions = { ...filterOptions, ...listingOptions('mails', mailColumns) };

export const mailHeadings = ['id'];

export const changeOptions = { ...bulkOptions(mailHeadings), ...filterOptions };
