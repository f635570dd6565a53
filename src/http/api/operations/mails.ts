import Joi from 'joi';
import {
  mailActions,
  mailChangeSchema,
  mailKindNames,
  mailListingSchema,
  mailStates,
  testMailSchema,
} from '../../../schemas/mail.js';
import { publicCodes } from '../failures.js';
import { component } from '../json-schema.js';
import { ok, operations, superAdmin } from '../operation.js';
import * as shapes from '../response-schemas.js';

const operation = operations('Mails');

const { count, id, nullableText, nullableTimestamp, text, timestamp } = shapes;

const mail = component(
  'Mail',
  'A mail: whom it is for and what became of it, not what it says',
  Joi.object({
    id,
    kind: Joi.valid(...mailKindNames).required(),
    state: Joi.valid(...mailStates)
      .required()
      .description('What became of it'),
    address: nullableText,
    user: Joi.object({ id, firstName: text, lastName: text, email: text })
      .allow(null)
      .required()
      .description('The account that it is for; null without one, when it was deleted, and for a forgotten password'),
    courseId: nullableText.description('Id of the course that it is about; null without one'),
    importId: nullableText.description('Id of the import that queued it; null without one').example(null),
    attempts: count,
    nextAt: nullableTimestamp,
    lastError: nullableText,
    messageId: text,
    createdAt: timestamp.description('When it was queued'),
    finishedAt: nullableTimestamp.description('When it was sent, failed or was withdrawn; null until then'),
  }),
);

/** The outbox. */
export const mailOperations = {
  listMails: operation.get('/api/mails', {
    summary: 'Mails that wait, were sent, failed or were withdrawn, newest first',
    description: 'Links for a forgotten password are listed once they have left, and never say whom they are for.',
    access: superAdmin,
    query: mailListingSchema,
    success: ok('One page of mails', shapes.pageOf('mails', mail)),
  }),
  changeManyMails: operation.post('/api/mails/bulk', {
    summary: 'Send up to 1,000 mails again, or withdraw them',
    description:
      'Mails that failed or are deferred can be sent again, mails that wait can be withdrawn. Each is changed by itself, and has an outcome.',
    access: superAdmin,
    body: mailChangeSchema,
    databaseDeadline: 'none',
    success: ok('The outcomes', {
      action: Joi.valid(...mailActions)
        .required()
        .description('What was done'),
      outcomes: Joi.array()
        .items(
          Joi.object({
            id,
            outcome: Joi.valid('done', 'refused').required().description('Whether it was changed'),
            code: shapes.nullableEnum(publicCodes).description('Code of the refusal; null otherwise').example(null),
            message: nullableText.description('Reason of the refusal, for people; null otherwise').example(null),
          }),
        )
        .required()
        .description('The outcome for each mail'),
    }),
    failures: ['MAIL_NOT_SET_UP'],
  }),
  sendTestMail: operation.post('/api/mails/test', {
    summary: 'Queue a mail that shows whether mail arrives',
    access: superAdmin,
    body: testMailSchema,
    success: ok('The mail is queued', { message: shapes.message('Test mail queued.') }),
    failures: ['MAIL_NOT_SET_UP'],
  }),
  showMail: operation.get('/api/mails/:id', {
    summary: 'A mail',
    access: superAdmin,
    params: Joi.object({ id: shapes.idOf('mail') }),
    success: ok('The mail', { mail: mail.required() }),
    failures: ['NOT_FOUND'],
  }),
};
