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
  'A mail with its recipient and state, without its content',
  Joi.object({
    id,
    kind: Joi.valid(...mailKindNames).required(),
    state: Joi.valid(...mailStates)
      .required()
      .description('State of the mail'),
    address: nullableText,
    user: Joi.object({ id, firstName: text, lastName: text, email: text })
      .allow(null)
      .required()
      .description("The recipient's account; null without an account, if it was deleted, and for a forgotten password"),
    courseId: nullableText.description('Id of the course of the mail; null without a course'),
    importId: nullableText.description('Id of the import that queued the mail; null without an import').example(null),
    attempts: count,
    nextAt: nullableTimestamp,
    lastError: nullableText,
    messageId: text,
    createdAt: timestamp.description('Time at which the mail was queued'),
    finishedAt: nullableTimestamp.description(
      'Time at which the mail was sent, failed or was withdrawn; null until then',
    ),
  }),
);

export const mailOperations = {
  listMails: operation.get('/api/mails', {
    summary: 'Waiting, sent, failed and withdrawn mails, newest first',
    description: 'Mails for a forgotten password are listed after their first attempt, and never show their recipient.',
    access: superAdmin,
    query: mailListingSchema,
    success: ok('One page of mails', shapes.pageOf('mails', mail)),
  }),
  changeManyMails: operation.post('/api/mails/bulk', {
    summary: 'Send up to 1,000 mails again, or withdraw them',
    description:
      'Failed and deferred mails can be sent again, waiting mails can be withdrawn. Each mail is changed independently, and has an outcome.',
    access: superAdmin,
    body: mailChangeSchema,
    databaseDeadline: 'none',
    success: ok('The outcomes', {
      action: Joi.valid(...mailActions)
        .required()
        .description('The requested action'),
      outcomes: Joi.array()
        .items(
          Joi.object({
            id,
            outcome: Joi.valid('done', 'refused').required().description('Whether the mail was changed'),
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
    summary: 'Queue a test mail',
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
